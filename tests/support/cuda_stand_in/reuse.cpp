// Fills every block of a device's memory that the core's allocator takes back with NaN, on the
// block's own stream, as the next owner's work would overwrite it. A stream that still uses the
// block and was not announced with record_stream then races with the fill, also where no tensor
// takes the block in the test, and a later read of the block finds NaN.
#include <cstring>

#include "td/device/record.h"
#include "uses.h"

namespace cuda_stand_in {
namespace {

constexpr const char* kName = "the reuse of a released block";

/// Of a large block only the first part, so that it costs little time.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

class FillReleased final : public td::Observer {
 public:
  // What other streams use is handed out again only once they are done.
  void released(const td::Extent& block, const td::StreamUse* owner,
                const td::StreamUses& uses) noexcept override {
    if (!owner || owner->type != td::kCUDA || !uses.empty()) return;
    State& all = state();
    Lock lock(all.mutex);
    Device& device = all.devices[owner->index];
    Stream& stream =
        owner->native ? *reinterpret_cast<Stream*>(owner->native) : device.default_stream;
    if (!all.captures.empty() || device.failed || device.broken || all.is_unloaded) return;
    const Memory* const segment = find_memory(all, block.data, block.bytes).block;
    if (!segment || segment->is_of_graph) return;  // replays go on using it
    Operation operation{kName, {{block.data, block.bytes, true}}, {}};
    void* const view = device_view(block.data);
    operation.run = [view, bytes = std::min(block.bytes, kMostBytes)](bool) {
      std::memset(view, 0xFF, bytes);
      return true;
    };
    const cudaError_t unread = std::exchange(thread.last_error, cudaSuccess);  // not our affair
    put_operation(all, kName, stream, std::move(operation), lock);
    thread.last_error = unread;
  }
};

[[maybe_unused]] const bool kWatches = [] {
  td::add_observer(*new FillReleased);  // never destroyed: allocators outlive main
  return true;
}();

}  // namespace
}  // namespace cuda_stand_in
