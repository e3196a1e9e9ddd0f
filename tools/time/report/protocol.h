// Reads the answers of a worker, one line of JSON each. Called by worker.cpp alone. Invariant: only
// protocol.cpp and json_file.cpp use JSON, because its header is slow to compile.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "model.h"

namespace report {

/// A case could not be measured; the message is one sentence for the reader.
struct CaseFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The answer to `list`.
struct Listing {
  std::string framework;
  Machine machine;  ///< Processor, cores, GPUs, libraries, and what is not here.
  std::vector<Case> cases;
};

/// Each throws CaseFailed with the worker's sentence where the answer is {"error": ...}, and
/// otherwise naming what the answer lacks.
Listing parse_listing(const std::string& answer);
Sample parse_sample(const std::string& answer);
Parts parse_parts(const std::string& answer);

}  // namespace report
