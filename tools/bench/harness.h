// How a program of compare.py is run and timed; framework.cpp and floor.cpp include it, compare.py
// talks to it. A program is started with one case and a number of threads, prints what it computed,
// and then times a slot for every line of input, so that the runs are interleaved.
// Invariant: all variants start from the same numbers, so what they compute can be compared.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace bench {

/// One piece of work.
struct Case {
  std::function<double()> check;  ///< does the work and returns a number that all variants share
  std::function<void()> step;     ///< what is timed
  std::function<void()> settle;   ///< not timed: waits for what a sample has started; may be empty
  int steps_per_sample = 0;       ///< 0: enough for a sample that can be timed
};
/// The choices that a variant made itself, by their subject; the comparison shows them.
inline std::map<std::string, std::string> choices;
/// Makes a case; nothing is built for the cases that do not run.
using Cases = std::map<std::string, std::function<Case()>>;

/// Fills p with numbers in [-scale, scale), the same for a seed in every program.
inline void fill(float* p, std::int64_t n, float scale, std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    p[i] = scale * (static_cast<float>(state >> 8) * 0x1p-23f - 1.0f);
  }
}

inline double read_clock(clockid_t which) {
  timespec t{};
  clock_gettime(which, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds for each step: of the wall clock, and of processor time of this process.
struct Sample {
  double wall, cpu;
};

inline Sample sample(const Case& work, int steps) {
  const double wall = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < steps; ++i) work.step();
  const Sample time{(read_clock(CLOCK_MONOTONIC) - wall) / steps,
                    (read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu) / steps};
  if (work.settle) work.settle();
  return time;
}

/// Samples for `seconds`, at least three.
inline nlohmann::json slot(const Case& work, int steps, double seconds) {
  nlohmann::json wall = nlohmann::json::array(), cpu = wall;
  const double start = read_clock(CLOCK_MONOTONIC);
  while (wall.size() < 3 || read_clock(CLOCK_MONOTONIC) - start < seconds) {
    const Sample time = sample(work, steps);
    wall.push_back(time.wall);
    cpu.push_back(time.cpu);
  }
  return {{"wall", wall}, {"cpu", cpu}};
}

/// Steps that together take about a millisecond, so that reading the clock costs nothing.
inline int steps_per_sample(const Case& work) {
  if (work.steps_per_sample > 0) return work.steps_per_sample;
  // The shortest of three: on a busy machine a single sample may be long for other reasons.
  const auto seconds = [&](int steps) {
    return steps *
           std::min({sample(work, steps).cpu, sample(work, steps).cpu, sample(work, steps).cpu});
  };
  int steps = 1;
  while (steps < (1 << 20) && seconds(steps) < 1e-3) steps *= 2;
  return steps;
}

/// The main loop: `program CASE THREADS`, then a line of seconds for every slot.
inline int serve(int argc, char** argv, const Cases& cases, void (*set_threads)(int)) {
  const auto found = argc == 3 ? cases.find(argv[1]) : cases.end();
  if (found == cases.end()) {
    std::fprintf(stderr, "usage: %s CASE THREADS, with one of these cases:\n", argv[0]);
    for (const auto& [name, make] : cases) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  set_threads(std::stoi(argv[2]));
  const Case work = found->second();
  std::cout << nlohmann::json{{"check", work.check()}, {"choices", choices}} << std::endl;
  const int steps = steps_per_sample(work);
  for (double seconds; std::cin >> seconds;) std::cout << slot(work, steps, seconds) << std::endl;
  return 0;
}

}  // namespace bench
