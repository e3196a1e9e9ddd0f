// The advisor's decision: which contender from which size on, and the reasons in words. advise.h
// prints it. Invariant: a contender that is hardly faster is not chosen over a simpler one.
#pragma once

#include <cmath>
#include <iomanip>
#include <sstream>

#include "timings.h"

namespace advising {

/// One contender, from this batch on until the next choice.
struct Choice {
  std::size_t contender;
  std::int64_t from;
};

/// To be chosen a contender must take this much less time: below it, noise would decide.
constexpr double kWorthSwitching = 0.9;

/// Costs that differ by less are not a reason.
constexpr double kSame = 0.95;

/// The batch from which on `other` is ahead of `current`, looking back from sizes[s], where it is.
inline std::int64_t crossing(const Timings& timings, std::size_t current, std::size_t other,
                             std::size_t s) {
  for (; s > 0; --s) {
    const auto from = static_cast<double>(timings.sizes[s - 1]);
    const auto to = static_cast<double>(timings.sizes[s]);
    const Crossover found =
        crossover(timings.through(current, s - 1, s), timings.through(other, s - 1, s), from, to);
    if (found.worth == Worth::kFrom) return static_cast<std::int64_t>(std::ceil(found.size));
  }
  return timings.sizes[0];
}

/// The first `count` contenders, of which those listed first are the simpler ones.
inline std::vector<Choice> choose(const Timings& timings, std::size_t count) {
  std::vector<Choice> choices = {{0, timings.sizes[0]}};
  for (std::size_t s = 0; s < timings.sizes.size(); ++s) {
    std::size_t best = 0;
    for (std::size_t n = 1; n < count; ++n)
      if (timings.seconds[n][s] < timings.seconds[best][s]) best = n;
    const Choice last = choices.back();
    if (timings.seconds[best][s] > kWorthSwitching * timings.seconds[last.contender][s]) continue;
    const std::int64_t from = std::max(last.from, crossing(timings, last.contender, best, s));
    if (from == last.from) choices.pop_back();  // it was ahead all along
    if (choices.empty() || choices.back().contender != best) choices.push_back({best, from});
  }
  return choices;
}

inline std::size_t choice_at(const std::vector<Choice>& choices, std::int64_t size) {
  std::size_t contender = choices[0].contender;
  for (const Choice& choice : choices)
    if (choice.from <= size) contender = choice.contender;
  return contender;
}

/// Microseconds with the digits that count.
inline std::string microseconds(double seconds) {
  std::ostringstream text;
  const double us = 1e6 * seconds, size = std::abs(us);
  text << std::fixed << std::setprecision(size < 10 ? 2 : size < 100 ? 1 : 0) << us;
  return text.str();
}

/// "from batch 41 on", "up to batch 40", "from batch 41 to 512", "for every batch".
inline std::string range(const std::vector<Choice>& choices, std::size_t place) {
  const bool begins = place == 0, ends = place + 1 == choices.size();
  if (begins && ends) return "for every batch";
  std::ostringstream text;
  if (begins)
    text << "up to batch " << choices[1].from - 1;
  else if (ends)
    text << "from batch " << choices[place].from << " on";
  else
    text << "from batch " << choices[place].from << " to " << choices[place + 1].from - 1;
  return text.str();
}

/// Why `one` beats `other`: by what a step costs, by what a sample costs, or by both.
inline std::string reason(const Timings& timings, std::size_t one, std::size_t other) {
  const Cost &a = timings.costs[one], &b = timings.costs[other];
  std::string text;
  const auto say = [&](const char* what, double mine, double theirs) {
    if (mine > kSame * theirs) return;
    text.append(text.empty() ? "" : ", and ").append(what).append(microseconds(mine));
    text.append(" us, not ").append(microseconds(theirs)).append(" us");
  };
  say("a step costs ", a.fixed, b.fixed);
  say("a sample adds ", a.per_sample, b.per_sample);
  return text.empty() ? "one line for all batches does not show it; look at the table" : text;
}

}  // namespace advising
