// See warning.h.
#include "td/base/warning.h"

#include <iostream>
#include <mutex>
#include <set>

namespace td {

void write_warning_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> written;
  const std::lock_guard lock(mutex);
  if (written.insert(text).second) std::cerr << "Warning: " << text << '\n';
}

}  // namespace td
