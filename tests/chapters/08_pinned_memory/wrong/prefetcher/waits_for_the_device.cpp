// expect: batch 2 is not loaded while the work on batch 0 is under way
// A wait for the device in every step: the values are right, but nothing overlaps.
#include <algorithm>

#include "exercises.h"

namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();  // the host waits until no copy reads slot.host
  load(batch, slot.host);
  slot.consumed.block(copies);  // the copy waits until no work reads slot.on_device
  const td::StreamGuard on_copies(copies);
  slot.on_device.copy_(slot.host, /*non_blocking=*/true);
  slot.copied.record(copies);
}

}  // namespace

void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies) {
  const td::Stream compute = td::getCurrentStream(copies.device());
  const std::int64_t ahead = std::ssize(slots);
  const auto slot_of = [&](std::int64_t i) -> Slot& {
    return slots[static_cast<std::size_t>(i % ahead)];
  };
  for (std::int64_t i = 0; i < std::min(ahead, batches); ++i) send(slot_of(i), i, load, copies);
  for (std::int64_t i = 0; i < batches; ++i) {
    Slot& slot = slot_of(i);
    slot.copied.block(compute);  // the work waits until the batch is there
    step(i, slot.on_device);
    slot.consumed.record(compute);
    td::synchronize(copies.device());
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
