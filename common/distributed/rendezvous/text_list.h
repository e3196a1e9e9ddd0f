// Several texts as one, for notes and messages between ranks.
#pragma once

#include <string>
#include <vector>

namespace td::distributed {

/// "<length>:<text>" one after the other; any bytes may occur in a text.
std::string join_texts(const std::vector<std::string>& texts);
/// @throws Error for what join_texts did not make, or when `count` >= 0 and there are not so many.
std::vector<std::string> split_texts(const std::string& joined, int count = -1);

}  // namespace td::distributed
