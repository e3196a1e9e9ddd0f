// The names of the machine and its libraries, for the head of a report. worker.cpp calls it.
#pragma once

#include <nlohmann/json.hpp>

namespace timing {

/// {"processor", "cores", "gpus", "libraries"}: names, and versions as text.
nlohmann::json context();

}  // namespace timing
