// One loop that is `ahead` loads in front of the steps; after an error the current stream waits.
#include "exercises.h"

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
