// The fields of a case and of the parts of a step in JSON. Included by protocol.cpp, which reads
// them from a worker, and json_file.cpp, which keeps them in files. Invariant: both spell them
// alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model.h"

namespace report {

using Json = nlohmann::ordered_json;

Json case_to_json(const Case& what);
/// @throws nlohmann::json::exception naming the field.
Case case_from_json(const Json& json);
Json parts_to_json(const Parts& parts);
Parts parts_from_json(const Json& json);
/// Processor, cores, GPUs, libraries; the layout of "context" in a worker's answer.
Json machine_to_json(const Machine& machine);
Machine machine_from_json(const Json& json);
Json not_here_to_json(const Machine& machine);
std::vector<NotHere> not_here_from_json(const Json& json);

}  // namespace report
