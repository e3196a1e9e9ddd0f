// Ends this program as skipped where there is no GPU.
#include <cstdio>
#include <cstdlib>

#include "td/device/backend.h"

namespace {

[[maybe_unused]] const bool kChecked = [] {
  if (td::device_count(td::kCUDA) > 0) return true;
  std::printf("skipped: %s\n", td::backend(td::kCUDA).unavailable_reason().c_str());
  std::fflush(stdout);
  std::_Exit(77);
}();

}  // namespace
