// What is said when ranks do not fit together. Every plane and the control plane use these texts,
// so that a mistake reads the same however the data travels.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "distributed/collective.h"

namespace td::distributed {

/// Empty when all ranks make the same call; else the text that shows what each one makes.
/// @param calls one a rank.
std::string mismatch(const std::vector<CollectiveKey>& calls);
/// Rank `gone` ended its group while `waiting` is in a call.
std::string left_while_waiting(int gone, int waiting, const CollectiveKey& key);
/// Ranks that others wait for: `missing` is "rank 1, rank 2".
std::string did_not_come(const std::string& missing, const CollectiveKey& key,
                         std::chrono::milliseconds timeout);
/// "50 ms" or "30 s".
std::string in_words(std::chrono::milliseconds time);
/// A send and its recv differ in elements, or in their tags where these must come in one order.
std::string unequal_parcel(int from, const CollectiveKey& sent, int to, const CollectiveKey& taken);

}  // namespace td::distributed
