#include "exercises.h"

#include <algorithm>

// answer: consumed_recorded_too_early
// expect: the race finder reports
// Records consumed before the step.
namespace consumed_recorded_too_early {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();
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
      slot.consumed.record(compute);
      step(i, slot.on_device);
      if (i + ahead < batches) send(slot, i + ahead, load, copies);
    }
  } catch (...) {
    copies.synchronize();
    throw;
  }
}
}  // namespace consumed_recorded_too_early

// answer: first_round_is_not_ordered
// expect: as the step saw it
// Believes that slots are new: the first round of copies waits for nothing.
namespace first_round_is_not_ordered {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();
  load(batch, slot.host);
  if (batch >= 2) slot.consumed.block(copies);
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
}  // namespace first_round_is_not_ordered

// answer: forgets_the_end
// expect: load(1) was called; the last batch is 0
// Loads past the end.
namespace forgets_the_end {
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
    if (i + ahead <= batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace forgets_the_end

// answer: leaves_copies_in_flight
// expect: a copy into a slot is still in flight
// Lets an exception pass while copies run.
namespace leaves_copies_in_flight {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();
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
    throw;
  }
}
}  // namespace leaves_copies_in_flight

// answer: marks_the_wrong_stream
// expect: as the step saw it
// consumed is recorded on the copying stream, which never reads a batch.
namespace marks_the_wrong_stream {
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
    slot.consumed.record(copies);
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace marks_the_wrong_stream

// answer: one_slot
// expect: 2 batches must have been loaded
// Only one batch is in flight at a time: right values, but no overlap.
namespace one_slot {
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
  const std::int64_t ahead = 1;
  const auto slot_of = [&](std::int64_t i) -> Slot& {
    return slots[static_cast<std::size_t>(i % ahead)];
  };
  for (std::int64_t i = 0; i < std::min(ahead, batches); ++i) send(slot_of(i), i, load, copies);
  for (std::int64_t i = 0; i < batches; ++i) {
    Slot& slot = slot_of(i);
    slot.copied.block(compute);  // the work waits until the batch is there
    step(i, slot.on_device);
    slot.consumed.record(compute);
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace one_slot

// answer: one_stream_for_all
// expect: was it copied on another stream?
// The copies are queued after the work, on the current stream.
namespace one_stream_for_all {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();  // the host waits until no copy reads slot.host
  load(batch, slot.host);
  slot.consumed.block(copies);  // the copy waits until no work reads slot.on_device
  slot.on_device.copy_(slot.host, /*non_blocking=*/true);
  slot.copied.record(td::getCurrentStream(copies.device()));
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
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace one_stream_for_all

// answer: overwrites_a_batch_in_use
// expect: as the step saw it
// The copy does not wait for the work that still reads the slot.
namespace overwrites_a_batch_in_use {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();  // the host waits until no copy reads slot.host
  load(batch, slot.host);
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
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace overwrites_a_batch_in_use

// answer: refills_in_flight
// expect: a batch that is still to be copied is overwritten
// Page-locked memory is filled again while a copy still reads it.
namespace refills_in_flight {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
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
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace refills_in_flight

// answer: step_does_not_wait
// expect: as the step saw it
// The work starts although the batch may not be there yet.
namespace step_does_not_wait {
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
    step(i, slot.on_device);
    slot.consumed.record(compute);
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace step_does_not_wait

// answer: steps_on_the_copy_stream
// expect: the current stream is not the caller's
// Holds the guard for the copies during the whole loop.
namespace steps_on_the_copy_stream {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();
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
  const td::StreamGuard on_copies(copies);
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
}  // namespace steps_on_the_copy_stream

// answer: waits_for_all_copies
// expect: although its own slot is free
// The host waits for the stream that copies instead of for one event.
namespace waits_for_all_copies {
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
}  // namespace waits_for_all_copies

// answer: waits_for_the_device
// expect: batch 2 is not loaded while the work on batch 0 is under way
// A wait for the device in every step: the values are right, but nothing overlaps.
namespace waits_for_the_device {
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
}  // namespace waits_for_the_device

// answer: first_round_overwrites_the_host
// expect: load(0) of a second call comes before a copy of the first call
// Takes the host memory of the first round for free: an earlier call may still copy from it.
namespace first_round_overwrites_the_host {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  if (batch >= 2) slot.copied.synchronize();
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
  try {
    for (std::int64_t i = 0; i < std::min(ahead, batches); ++i)
      send(slots[static_cast<std::size_t>(i)], i, load, copies);
    for (std::int64_t i = 0; i < batches; ++i) {
      Slot& slot = slots[static_cast<std::size_t>(i % ahead)];
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
}  // namespace first_round_overwrites_the_host

// answer: memory_of_its_own
// expect: is given another tensor than slots[index % slots.size()].host
// Allocates pinned memory for every batch, so that no copy has to be waited for.
namespace memory_of_its_own {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  const td::Tensor fresh = td::empty_like(slot.host).pin_memory();
  load(batch, fresh);
  slot.consumed.block(copies);
  const td::StreamGuard on_copies(copies);
  slot.on_device.copy_(fresh, /*non_blocking=*/true);
  slot.copied.record(copies);
}

}  // namespace

void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies) {
  const td::Stream compute = td::getCurrentStream(copies.device());
  const std::int64_t ahead = std::ssize(slots);
  try {
    for (std::int64_t i = 0; i < std::min(ahead, batches); ++i)
      send(slots[static_cast<std::size_t>(i)], i, load, copies);
    for (std::int64_t i = 0; i < batches; ++i) {
      Slot& slot = slots[static_cast<std::size_t>(i % ahead)];
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
}  // namespace memory_of_its_own

// answer: catches_the_step_only
// expect: load(3) throws, with 2 slots, while the copy of batch 2
// Waits for the copies after an exception of the first loads or of a step, not of a later load.
namespace catches_the_step_only {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();
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
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      copies.synchronize();
      throw;
    }
  };
  for (std::int64_t i = 0; i < std::min(ahead, batches); ++i)
    guarded([&] { send(slots[static_cast<std::size_t>(i)], i, load, copies); });
  for (std::int64_t i = 0; i < batches; ++i) {
    Slot& slot = slots[static_cast<std::size_t>(i % ahead)];
    slot.copied.block(compute);
    guarded([&] { step(i, slot.on_device); });
    slot.consumed.record(compute);
    if (i + ahead < batches) send(slot, i + ahead, load, copies);
  }
}
}  // namespace catches_the_step_only

// answer: trusts_the_current_stream
// expect: three calls with the same slots, each on streams of its own
// Orders the copies after the current stream, and not after the stream of an earlier call.
namespace trusts_the_current_stream {
namespace {

void send(Slot& slot, std::int64_t batch, const Load& load, const td::Stream& copies) {
  slot.copied.synchronize();
  load(batch, slot.host);
  if (batch >= 2) slot.consumed.block(copies);
  const td::StreamGuard on_copies(copies);
  slot.on_device.copy_(slot.host, /*non_blocking=*/true);
  slot.copied.record(copies);
}

}  // namespace

void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies) {
  const td::Stream compute = td::getCurrentStream(copies.device());
  const std::int64_t ahead = std::ssize(slots);
  copies.wait(compute);
  try {
    for (std::int64_t i = 0; i < std::min(ahead, batches); ++i)
      send(slots[static_cast<std::size_t>(i)], i, load, copies);
    for (std::int64_t i = 0; i < batches; ++i) {
      Slot& slot = slots[static_cast<std::size_t>(i % ahead)];
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
}  // namespace trusts_the_current_stream

// answer: std_exceptions_only
// expect: throws the int 7, which is no std::exception: a copy into a slot is still in flight
// Waits for the copies only after exceptions that derive from std::exception.
namespace std_exceptions_only {
void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies) {
  const td::Stream compute = td::getCurrentStream(copies.device());
  const auto count = static_cast<std::int64_t>(slots.size());
  const auto fetch = [&](std::int64_t index) {
    Slot& slot = slots[static_cast<std::size_t>(index % count)];
    slot.copied.synchronize();
    load(index, slot.host);
    slot.consumed.block(copies);
    const td::StreamGuard guard(copies);
    slot.on_device.copy_(slot.host, /*non_blocking=*/true);
    slot.copied.record(copies);
  };
  try {
    for (std::int64_t i = 0; i < std::min(count, batches); ++i) fetch(i);
    for (std::int64_t i = 0; i < batches; ++i) {
      Slot& slot = slots[static_cast<std::size_t>(i % count)];
      slot.copied.block(compute);
      step(i, slot.on_device);
      slot.consumed.record(compute);
      if (i + count < batches) fetch(i + count);
    }
  } catch (const std::exception&) {
    copies.synchronize();
    throw;
  }
}
}  // namespace std_exceptions_only
