// The worker's side of compare_gpu.py: a program that sets up pieces of work and times them, as its
// input lines request, so that the driver can interleave several programs. Included by
// compare_gpu.cpp (td) and raw_cuda.cpp (CUDA itself); compare_gpu_torch.py does the same in
// Python.
//   setup NAME DEVICE WORK PRECISION MODE SIZE   makes a piece of work; SIZE is full or tiny
//   run NAME STEPS SECONDS                       times it
// Each line gets one line of JSON as its answer, {"error": text} where it failed.
// Invariant: no piece of work runs between two commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "number.h"

namespace bench {

/// The request of a setup line.
struct Request {
  std::string device, work, precision, mode, size;

  /// The first size, or the second one if the driver only tests the programs.
  std::int64_t sized(std::int64_t full, std::int64_t tiny) const {
    return size == "tiny" ? tiny : full;
  }
};

/// A piece of work that is set up.
struct Job {
  std::function<void()> step;      ///< enqueues one step; does not wait for the device
  std::function<void()> wait;      ///< waits for all steps
  std::vector<double> values;      ///< its results: other programs must compute the same
  std::function<void()> begin{};   ///< sets what is global for the process; may be empty
  std::function<double()> loss{};  ///< the loss of the last training step; may be empty
  std::size_t peak_bytes = 0;      ///< memory that tensors needed
};
using Setup = std::function<Job(const Request&)>;

/// Runs of `steps` steps for `seconds`, at least three. "host" is the time to enqueue a step,
/// "step" the time until the device has done it, both in seconds.
inline nlohmann::json timed(const Job& job, int steps, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  nlohmann::json host = nlohmann::json::array(), step = host;
  if (job.begin) job.begin();
  const auto start = Clock::now();
  while (step.size() < 3 || since(start) < seconds) {
    job.wait();
    const auto turn = Clock::now();
    for (int i = 0; i < steps; ++i) job.step();
    host.push_back(since(turn) / steps);
    job.wait();
    step.push_back(since(turn) / steps);
  }
  nlohmann::json answer{{"host", host}, {"step", step}};
  if (job.loss) answer["loss"] = job.loss();
  return answer;
}

/// Executes one line.
inline nlohmann::json obey(const std::string& line, const Setup& setup,
                           std::map<std::string, Job>& jobs) {
  std::istringstream words(line);
  std::string verb, name;
  words >> verb >> name;
  if (verb == "setup") {
    Request r;
    words >> r.device >> r.work >> r.precision >> r.mode >> r.size;
    const Job& job = jobs[name] = setup(r);
    return {{"values", job.values}, {"peak_bytes", job.peak_bytes}};
  }
  int steps = 0;
  double seconds = 0;
  if (verb != "run" || !(words >> steps >> seconds) || !jobs.count(name))
    throw std::runtime_error("expected setup or run of what is set up, but got " + line);
  return timed(jobs[name], steps, seconds);
}

/// The main loop, until the input ends.
inline int work(const Setup& setup) {
  std::map<std::string, Job> jobs;
  for (std::string line; std::getline(std::cin, line);) {
    nlohmann::json answer;
    try {
      answer = obey(line, setup, jobs);
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    std::cout << answer << std::endl;
  }
  return 0;
}

}  // namespace bench
