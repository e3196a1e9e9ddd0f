// Two reports side by side: the same cases before and now, or in two frameworks. Called by the
// tables and the page. Invariant: results are paired by the name of the case, never by their order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model.h"

namespace report {

/// What a difference means.
enum class Verdict { faster, slower, same };

/// "faster", "slower" or "the same within the spread".
const char* word(Verdict verdict);

/// The verdict on `now`. It is faster where its p90 is below the p10 of `before`, slower where its
/// p10 is above the p90, and the same where the two ranges overlap. Times are with transfers.
Verdict judge(const Result& now, const Result& before);

/// One case before and now.
struct Change {
  const Result* before = nullptr;
  const Result* now = nullptr;
  double difference = 0;  ///< time now / time before - 1; negative is faster.
  Verdict verdict = Verdict::same;
};

/// The cases that both reports have measured, in the order of `now`.
std::vector<Change> changes(const Report& before, const Report& now);

/// One case in td and in another framework, on the same machine.
struct Pair {
  const Result* ours = nullptr;
  const Result* theirs = nullptr;
  double ratio = 0;  ///< time of theirs / time of ours; above 1: todevice is faster.
  /// Difference of the losses over their size; empty where one of the two has none.
  std::optional<double> loss_difference;
  bool losses_agree() const;
};

/// The cases that both frameworks have measured. Steps with transfers are compared.
std::vector<Pair> pairs(const Report& report);

}  // namespace report
