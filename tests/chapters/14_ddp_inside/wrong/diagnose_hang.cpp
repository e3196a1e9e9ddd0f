#include <algorithm>

#include "exercises.h"

// answer: rank_0_is_right
// expect: rank 0 is the only one with 2 elements
// Compares all ranks with rank 0, even if rank 0 is the only one that differs.
namespace rank_0_is_right {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const CallRecords& rank : records) {
    if (!rank.calls.empty()) first = std::min(first, rank.calls.front().sequence);
    last = std::max(last, rank.latest());
  }
  for (std::uint64_t number = first; number <= last; ++number) {
    std::vector<CallRecords::Call> made;
    for (const CallRecords& rank : records)
      if (const auto* call = rank.find(number)) made.push_back(*call);
    const auto most = made.begin();
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
}
}  // namespace rank_0_is_right

// answer: last_of_equals
// expect: rank 0 counts as right
// If two calls are made equally often, takes that of the highest rank.
namespace last_of_equals {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
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
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) <= votes(b);
    });
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
}
}  // namespace last_of_equals

// answer: by_index
// expect: the records are matched by number
// Compares the i-th records. Right if all lists begin with the same number.
namespace by_index {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::size_t longest = 0;
  for (const CallRecords& rank : records) longest = std::max(longest, rank.calls.size());
  for (std::size_t i = 0; i < longest; ++i) {
    std::vector<CallRecords::Call> made;
    std::uint64_t number = 0;
    std::vector<int> different, missing;
    for (const CallRecords& rank : records) {
      if (i >= rank.calls.size()) continue;
      number = std::max(number, rank.calls[i].sequence);
      made.push_back(rank.calls[i]);
      made.back().sequence = 0;
    }
    const auto votes = [&](const auto& call) { return std::count(made.begin(), made.end(), call); };
    const auto common =
        std::max_element(made.begin(), made.end(),
                         [&](const auto& a, const auto& b) { return votes(a) < votes(b); });
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[static_cast<std::size_t>(r)];
      if (i >= rank.calls.size()) {
        missing.push_back(r);
        continue;
      }
      CallRecords::Call call = rank.calls[i];
      call.sequence = 0;
      if (call != *common) different.push_back(r);
    }
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
  }
  return {};
}
}  // namespace by_index

// answer: gone_is_missing
// expect: no longer has the record of call 2
// Takes a record that is gone for a call that was not made.
namespace gone_is_missing {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
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
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) < votes(b);
    });
    std::vector<int> different, missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[static_cast<std::size_t>(r)];
      if (const auto* call = rank.find(number); call && *call != *most) different.push_back(r);
      if (!rank.find(number)) missing.push_back(r);
    }
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
  }
  return {};
}
}  // namespace gone_is_missing

// answer: empty_ranks_are_left_out
// expect: have made no call
// Ranks without any call are left out.
namespace empty_ranks_are_left_out {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
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
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) < votes(b);
    });
    std::vector<int> different, missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[static_cast<std::size_t>(r)];
      if (const auto* call = rank.find(number); call && *call != *most) different.push_back(r);
      if (!rank.calls.empty() && rank.latest() < number) missing.push_back(r);
    }
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
  }
  return {};
}
}  // namespace empty_ranks_are_left_out

// answer: missing_first
// expect: call 1 differs, and rank 1 has not made it
// Reports a missing call although the others differ in it.
namespace missing_first {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
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
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) < votes(b);
    });
    std::vector<int> different, missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[static_cast<std::size_t>(r)];
      if (const auto* call = rank.find(number); call && *call != *most) different.push_back(r);
      if (rank.latest() < number) missing.push_back(r);
    }
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
  }
  return {};
}
}  // namespace missing_first

// answer: only_sizes
// expect: rank 2 makes the call
// Compares the numbers of elements alone.
namespace only_sizes {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const CallRecords& rank : records) {
    if (!rank.calls.empty()) first = std::min(first, rank.calls.front().sequence);
    last = std::max(last, rank.latest());
  }
  for (std::uint64_t number = first; number <= last; ++number) {
    std::vector<CallRecords::Call> made;
    for (const CallRecords& rank : records)
      if (const auto* call = rank.find(number)) made.push_back({.numel = call->numel});
    const auto votes = [&](const auto& call) { return std::count(made.begin(), made.end(), call); };
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) < votes(b);
    });
    std::vector<int> different, missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[static_cast<std::size_t>(r)];
      if (const auto* call = rank.find(number); call && call->numel != most->numel)
        different.push_back(r);
      if (rank.latest() < number) missing.push_back(r);
    }
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
  }
  return {};
}
}  // namespace only_sizes

// answer: differences_first
// expect: call 2 differs
// Looks for different calls in all records first, and for missing calls after that.
namespace differences_first {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
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
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) < votes(b);
    });
    std::vector<int> different, missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[static_cast<std::size_t>(r)];
      if (const auto* call = rank.find(number); call && *call != *most) different.push_back(r);
      if (rank.latest() < number) missing.push_back(r);
    }
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
  }
  for (std::uint64_t number = first; number <= last; ++number) {
    std::vector<int> missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r)
      if (records[static_cast<std::size_t>(r)].latest() < number) missing.push_back(r);
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
  }
  return {};
}
}  // namespace differences_first

// answer: until_the_shortest
// expect: the example: expected kNotCalled
// Stops at the latest call that all ranks have made.
namespace until_the_shortest {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::uint64_t first = UINT64_MAX, last = UINT64_MAX;
  for (const CallRecords& rank : records) {
    if (!rank.calls.empty()) first = std::min(first, rank.calls.front().sequence);
    last = std::min(last, rank.latest());
  }
  for (std::uint64_t number = first; number <= last; ++number) {
    std::vector<CallRecords::Call> made;
    for (const CallRecords& rank : records)
      if (const auto* call = rank.find(number)) made.push_back(*call);
    const auto votes = [&](const auto& call) { return std::count(made.begin(), made.end(), call); };
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) < votes(b);
    });
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
}
}  // namespace until_the_shortest

// answer: latest_only
// expect: the example: expected kNotCalled, call 8, ranks { 2 }
// Looks for the rank with the smallest number, and never at the calls.
namespace latest_only {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::uint64_t last = 0, least = UINT64_MAX;
  for (const CallRecords& rank : records) {
    last = std::max(last, rank.latest());
    least = std::min(least, rank.latest());
  }
  if (least == last) return {};
  Diagnosis found{Diagnosis::kNotCalled, last + 1, {}};
  for (int r = 0; r < static_cast<int>(records.size()); ++r)
    if (records[static_cast<std::size_t>(r)].latest() == least) found.ranks.push_back(r);
  return found;
}
}  // namespace latest_only

// answer: begins_where_all_have_records
// expect: rank 0 no longer has the record of call 4, in which
// Skips the calls of which one rank has no record.
namespace begins_where_all_have_records {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::uint64_t first = 1, last = 0;
  for (const CallRecords& rank : records) {
    if (!rank.calls.empty()) first = std::max(first, rank.calls.front().sequence);
    last = std::max(last, rank.latest());
  }
  for (std::uint64_t number = first; number <= last; ++number) {
    std::vector<CallRecords::Call> made;
    for (const CallRecords& rank : records)
      if (const auto* call = rank.find(number)) made.push_back(*call);
    const auto votes = [&](const auto& call) { return std::count(made.begin(), made.end(), call); };
    const auto most = std::max_element(made.begin(), made.end(), [&](const auto& a, const auto& b) {
      return votes(a) < votes(b);
    });
    std::vector<int> different, missing;
    for (int r = 0; r < static_cast<int>(records.size()); ++r) {
      const CallRecords& rank = records[std::size_t(r)];
      if (const auto* call = rank.find(number); call && *call != *most) different.push_back(r);
      if (rank.latest() < number) missing.push_back(r);
    }
    if (!different.empty()) return {Diagnosis::kDifferent, number, different};
    if (!missing.empty()) return {Diagnosis::kNotCalled, number, missing};
  }
  return {};
}
}  // namespace begins_where_all_have_records

// answer: ranks_grouped_by_call
// expect: three different calls: the ranks are in ascending order: expected kDifferent, call 4
// Lists the ranks call by call, so with three different calls they are not in ascending order.
namespace ranks_grouped_by_call {
Diagnosis diagnose_hang(const std::vector<CallRecords>& records) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const CallRecords& r : records) {
    if (r.calls.empty()) continue;
    first = std::min(first, r.calls.front().sequence);
    last = std::max(last, r.latest());
  }
  for (std::uint64_t number = last ? first : 1; number <= last; ++number) {
    std::vector<std::pair<CallRecords::Call, std::vector<int>>> groups;
    std::vector<int> late;
    for (int rank = 0; rank < static_cast<int>(records.size()); ++rank) {
      const CallRecords& r = records[static_cast<std::size_t>(rank)];
      const CallRecords::Call* call = r.find(number);
      if (!call) {
        if (r.latest() < number) late.push_back(rank);
        continue;
      }
      const auto same = [&](const auto& group) { return group.first == *call; };
      auto group = std::find_if(groups.begin(), groups.end(), same);
      if (group == groups.end()) group = groups.insert(groups.end(), {*call, {}});
      group->second.push_back(rank);
    }
    if (groups.size() > 1) {
      auto most = groups.begin();
      for (auto group = groups.begin(); group != groups.end(); ++group)
        if (group->second.size() > most->second.size()) most = group;
      Diagnosis found{Diagnosis::kDifferent, number, {}};
      for (auto group = groups.begin(); group != groups.end(); ++group)
        if (group != most)
          found.ranks.insert(found.ranks.end(), group->second.begin(), group->second.end());
      return found;
    }
    if (!late.empty()) return {Diagnosis::kNotCalled, number, late};
  }
  return {};
}
}  // namespace ranks_grouped_by_call
