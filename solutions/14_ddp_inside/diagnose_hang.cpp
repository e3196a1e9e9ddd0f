// diagnose_hang: exercise 14.diagnose_hang, declared in exercises.h.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  // blank: Number by number: who has a record, do they agree, who is not there yet? About 20 lines.
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const CallRecords& rank : records) {
    if (!rank.calls.empty()) first = std::min(first, rank.calls.front().sequence);
    last = std::max(last, rank.latest());
  }
  for (std::uint64_t number = first; number <= last; ++number) {
    std::vector<CallRecords::Call> made;
    for (const CallRecords& rank : records)
      if (const auto* call = rank.find(number)) made.push_back(*call);
    const auto votes = [&](const auto& call) { return std::count(made.begin(), made.end(), call); };
    const auto most =  // the first of several that are made equally often
        std::max_element(made.begin(), made.end(),
                         [&](const auto& a, const auto& b) { return votes(a) < votes(b); });
    std::vector<int> different, missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[static_cast<std::size_t>(r)];
      if (const auto* call = rank.find(number); call && *call != *most) different.push_back(r);
      if (rank.latest() < number) missing.push_back(r);
    }
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
  }
  return {};
  // end
}
