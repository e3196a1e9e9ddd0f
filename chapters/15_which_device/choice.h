// The advisor's decision: which contender from which size on, and the times and reasons as text.
// The programs advise, predictions and imagine print them. Invariant: the exercise decides; nothing
// is measured here.
#pragma once

#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "timings.h"

namespace advising {

/// Costs that differ by less are not a reason.
constexpr double kSame = 0.95;

/// The advice of exercise 15.advisor for the first `count` contenders. It measures nothing again:
/// it gets the medians of the table.
inline std::vector<Advice> choose(const Timings& timings, std::size_t count) {
  std::vector<Measure> medians;
  for (std::size_t n = 0; n < count; ++n)
    medians.push_back([&timings, n](std::int64_t size) {
      const auto at = std::find(timings.sizes.begin(), timings.sizes.end(), size);
      return timings.seconds[n].at(static_cast<std::size_t>(at - timings.sizes.begin()));
    });
  const std::vector<Advice> choices = advise(medians, timings.sizes, /*runs=*/1);
  bool valid = !choices.empty() && choices[0].from == timings.sizes[0];
  for (std::size_t i = 0; i < choices.size(); ++i)
    valid = valid && choices[i].device < count && (i == 0 || choices[i].from > choices[i - 1].from);
  TD_CHECK(td::Error, valid,
           "advise returned no advice from the first size on, or not in order; see ./course check "
           "15.advisor");
  return choices;
}

inline std::size_t choice_at(const std::vector<Advice>& choices, std::int64_t size) {
  std::size_t contender = choices[0].device;
  for (const Advice& choice : choices)
    if (choice.from <= size) contender = choice.device;
  return contender;
}

/// Returns microseconds with the significant digits.
inline std::string microseconds(double seconds) {
  std::ostringstream text;
  const double us = 1e6 * seconds, size = std::abs(us);
  text << std::fixed << std::setprecision(size < 10 ? 2 : size < 100 ? 1 : 0) << us;
  return text.str();
}

/// Characters of a column that is named like a contender.
inline int label_width(const Timings& timings) {
  std::size_t longest = 14;
  for (const std::string& name : timings.names) longest = std::max(longest, name.size());
  return static_cast<int>(longest);
}

/// "from batch 41 on", "up to batch 40", "from batch 41 to 512", "for every batch".
inline std::string range(const std::vector<Advice>& choices, std::size_t place) {
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

/// The times; `<` marks the contender that is advised.
inline void print_times(const Timings& timings, const std::vector<Advice>& choices) {
  const int width = label_width(timings);
  std::cout << "\nmicroseconds per step, medians of " << timings.runs << " runs\n batch";
  for (const std::string& name : timings.names) std::cout << std::setw(width + 3) << name;
  std::cout << '\n';
  for (std::size_t s = 0; s < timings.sizes.size(); ++s) {
    std::cout << std::setw(6) << timings.sizes[s];
    const std::size_t chosen = choice_at(choices, timings.sizes[s]);
    for (std::size_t n = 0; n < timings.names.size(); ++n)
      std::cout << std::setw(width + 1) << microseconds(timings.seconds[n][s])
                << (n == chosen ? " <" : "  ");
    std::cout << '\n';
  }
}

/// One line for each piece of advice, with its reason.
inline void print_choices(const Timings& timings, const std::vector<Advice>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t chosen = choices[i].device;
    std::cout << "  " << timings.names[chosen] << ' ' << range(choices, i);
    if (i > 0) std::cout << ": " << reason(timings, chosen, choices[i - 1].device);
    std::cout << '\n';
  }
}

}  // namespace advising
