// DistributedDataParallel in the worker: each request starts this program again for each rank, and
// the ranks end after their answer. worker.cpp calls both functions.
// Invariant: when measure_ranks returns or throws, or the worker is killed, no rank is left.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

#include "explain.h"

namespace timing {

/// A request for one job: "run" with its seconds, or "explain".
struct Request {
  std::string verb, name;
  double seconds = 0;
};
/// @throws td::Error for a line that is neither.
Request parse_request(const std::string& line);

/// The answer to a request, from a job that is set up.
nlohmann::json answer(const Request& request, const Case& c, Job& job, double checked_value,
                      const Agreement& ranks = {});

/// Starts the ranks of a case and returns the answer of rank 0.
/// @throws td::Error with the first failing rank's message.
nlohmann::json ask_ranks(const Request& request, const Case& c);

/// Whether this process is a rank that ask_ranks started.
bool is_rank();
/// What such a process does instead of reading requests. @return the exit code.
int be_a_rank(std::ostream& out);

}  // namespace timing
