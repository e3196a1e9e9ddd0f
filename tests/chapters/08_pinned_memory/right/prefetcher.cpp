#include "exercises.h"

// answer: counts_the_loads
// Counts how many batches are loaded, and loads until the slots are full.
namespace counts_the_loads {
void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies) {
  const td::Device device = copies.device();
  const auto count = static_cast<std::int64_t>(slots.size());
  const auto slot = [&](std::int64_t batch) -> Slot& {
    return slots.at(static_cast<std::size_t>(batch % count));
  };
  std::int64_t loaded = 0;
  try {
    for (std::int64_t i = 0; i < batches; ++i) {
      for (; loaded < batches && loaded < i + count; ++loaded) {
        Slot& next = slot(loaded);
        next.copied.synchronize();
        load(loaded, next.host);
        const td::StreamGuard guard(copies);
        next.consumed.block(copies);
        next.on_device.copy_(next.host, /*non_blocking=*/true);
        next.copied.record(copies);
      }
      slot(i).copied.block(td::getCurrentStream(device));
      step(i, slot(i).on_device);
      slot(i).consumed.record(td::getCurrentStream(device));
    }
  } catch (...) {
    td::synchronize(device);
    throw;
  }
}
}  // namespace counts_the_loads

// answer: one_loop
// One loop that is `ahead` loads in front of the steps; after an error the current stream waits.
namespace one_loop {
void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies) {
  const td::Stream compute = td::getCurrentStream(copies.device());
  const auto ahead = static_cast<std::int64_t>(slots.size());
  struct Join {
    td::Stream compute, copies;
    ~Join() { compute.wait(copies); }
  } const join{compute, copies};
  for (std::int64_t i = 0; i < batches + ahead; ++i) {
    Slot& slot = slots[static_cast<std::size_t>(i % ahead)];
    if (i >= ahead) {
      slot.copied.block(compute);
      step(i - ahead, slot.on_device);
      slot.consumed.record(compute);
    }
    if (i >= batches) continue;
    while (!slot.copied.query()) {
    }
    load(i, slot.host);
    slot.consumed.block(copies);
    {
      const td::StreamGuard guard(copies);
      slot.on_device.copy_(slot.host, true);
    }
    slot.copied.record(copies);
  }
}
}  // namespace one_loop
