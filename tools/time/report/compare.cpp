// Pairs of results and what their difference means.
#include "compare.h"

#include <algorithm>
#include <cmath>

#include "statistics.h"

namespace report {
namespace {

const Result* counterpart(const Report& before, const Report& now, const Result& result) {
  // With one machine in each file the names do not help: both are "this machine".
  const bool by_machine = before.machines.size() > 1 || now.machines.size() > 1;
  for (const Result& other : before.results)
    if (measured(other) && other.what.name == result.what.name && other.ours() == result.ours() &&
        (!by_machine || other.machine == result.machine))
      return &other;
  return nullptr;
}

std::optional<double> difference_of_losses(const Result& a, const Result& b) {
  const auto& one = a.samples.front().loss;
  const auto& other = b.samples.front().loss;
  if (!one || !other) return std::nullopt;
  const double size = std::max({std::fabs(*one), std::fabs(*other), 1e-6});
  return std::fabs(*one - *other) / size;
}

}  // namespace

const char* word(Verdict verdict) {
  if (verdict == Verdict::same) return "the same within the spread";
  return verdict == Verdict::faster ? "faster" : "slower";
}

Verdict judge(const Result& now, const Result& before) {
  if (within_spread(now, before)) return Verdict::same;
  const double time = time_with_transfers(now).median;
  return time < time_with_transfers(before).median ? Verdict::faster : Verdict::slower;
}

std::vector<Change> changes(const Report& before, const Report& now) {
  std::vector<Change> all;
  for (const Result& result : now.results) {
    const Result* old = measured(result) ? counterpart(before, now, result) : nullptr;
    if (!old) continue;
    const double time = time_with_transfers(result).median;
    all.push_back({old, &result, time / time_with_transfers(*old).median - 1, judge(result, *old)});
  }
  return all;
}

bool Pair::losses_agree() const {
  // Half precision keeps 8 to 11 bits of each product.
  return !loss_difference || *loss_difference <= (ours->what.amp == "off" ? 0.01 : 0.05);
}

std::vector<Pair> pairs(const Report& report) {
  std::vector<Pair> all;
  for (const Result& ours : report.results) {
    if (!ours.ours() || !measured(ours)) continue;
    for (const Result& theirs : report.results) {
      if (theirs.ours() || !measured(theirs) || theirs.machine != ours.machine ||
          theirs.what.name != ours.what.name)
        continue;
      const double ratio = time_with_transfers(theirs).median / time_with_transfers(ours).median;
      all.push_back({&ours, &theirs, ratio, difference_of_losses(ours, theirs)});
    }
  }
  return all;
}

}  // namespace report
