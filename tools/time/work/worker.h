// The measuring side of `./course time`: one request per line in, one line of JSON out.
//   list             what can be measured here
//   run NAME SECONDS times a case
//   explain NAME     where a step's time goes
//   quit             ends the worker, as the end of the input does
// The driver in ../report sends requests to it, and to ../pytorch.py, which answers the same ones.
// Invariant: a request that fails gets {"name", "error"} as its answer, and the worker continues.
#pragma once

#include <iosfwd>

namespace timing {

/// Answers requests until the input ends, and returns the exit code. In a process that the worker
/// started as a rank it makes that rank's steps instead, and does not read `in`.
int work(std::istream& in, std::ostream& out);

}  // namespace timing
