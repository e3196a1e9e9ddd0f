// expect: although its own slot is free
// The host waits for the stream that copies instead of for one event.
#include <algorithm>

#include "exercises.h"

namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  copies.synchronize();
  load(batch, slot.host);
  slot.consumed.block(copies);
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
  try {
    for (std::int64_t i = 0; i < std::min(ahead, batches); ++i) send(slot_of(i), i, load, copies);
    for (std::int64_t i = 0; i < batches; ++i) {
      Slot& slot = slot_of(i);
      slot.copied.block(compute);
      step(i, slot.on_device);
      slot.consumed.record(compute);
      if (i + ahead < batches) send(slot, i + ahead, load, copies);
    }
  } catch (...) {
    copies.synchronize();
    throw;
  }
}
