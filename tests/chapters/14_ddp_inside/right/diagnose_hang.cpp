#include <algorithm>
#include <map>

#include "exercises.h"

// answer: number_by_number
// Collects the numbers of all records, and counts the ranks that make each call.
namespace number_by_number {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::map<std::uint64_t, std::vector<std::pair<CallRecords::Call, std::vector<int>>>> by_number;
  for (std::size_t r = 0; r < records.size(); ++r)
    for (const auto& call : records[r].calls) {
      auto& kinds = by_number[call.sequence];
      auto kind = kinds.begin();
      while (kind != kinds.end() && kind->first != call) ++kind;
      if (kind == kinds.end()) kind = kinds.insert(kind, {call, {}});
      kind->second.push_back(static_cast<int>(r));
    }
  for (const auto& [number, kinds] : by_number) {
    std::size_t right = 0;
    for (std::size_t k = 1; k < kinds.size(); ++k)
      if (kinds[k].second.size() > kinds[right].second.size()) right = k;
    Diagnosis found{Diagnosis::kDifferent, number, {}};
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (k != right)
        found.ranks.insert(found.ranks.end(), kinds[k].second.begin(), kinds[k].second.end());
    std::sort(found.ranks.begin(), found.ranks.end());
    if (!found.ranks.empty()) return found;
    found.reason = Diagnosis::kNotCalled;
    for (std::size_t r = 0; r < records.size(); ++r)
      if (records[r].calls.empty() || records[r].calls.back().sequence < number)
        found.ranks.push_back(static_cast<int>(r));
    if (!found.ranks.empty()) return found;
  }
  return {};
}
}  // namespace number_by_number
