// The spans of programs as NVTX ranges, which NVIDIA's profilers (nsys, ncu) draw beside what they
// see themselves: `nsys profile ./ch04_training_loop`, `ncu --nvtx ...`. Needs no --trace.
// Invariant: spans know nothing of NVTX unless such a tool has started this process and named
// itself in NVTX_INJECTION64_PATH. A tool that attaches later sees no ranges.
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>

#include "td/base/span_recorder.h"

namespace td::cuda {
namespace {

// A domain of our own, so that a tool can tell our ranges from those of libraries.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("todevice");
  return handle;
}

void begin_range(const char* name) {
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &range);
}

void end_range() { nvtxDomainRangePop(domain()); }

const trace::Listener kRanges{begin_range, end_range};

// How a tool tells NVTX that it is there; without it each span would call NVTX for nothing.
[[maybe_unused]] const bool kListens = [] {
  const bool tool = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
  if (tool) trace::set_listener(&kRanges);
  return tool;
}();

}  // namespace
}  // namespace td::cuda
#endif
