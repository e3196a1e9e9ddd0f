// Tests of prefetcher: the order of its calls, and that it makes each of the waits. Batch i is
// filled with the number i.
#include <sstream>

#include "accelerators.h"
#include "exercises.h"
#include "lanes.h"
#include "races.h"

namespace {

std::vector<Slot> make_slots(std::size_t count, std::int64_t n = 1000, td::Device device = kSim) {
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < count; ++i) {
    slots.emplace_back(std::vector<std::int64_t>{n}, device);
    check::poison(slots.back().on_device);
  }
  td::synchronize(device);
  return slots;
}

const Slot& slot_of(const std::vector<Slot>& slots, std::int64_t batch) {
  return slots[static_cast<std::size_t>(batch) % slots.size()];
}

void load_number(std::int64_t index, const td::Tensor& host) {
  host.fill_(static_cast<double>(index));
}

void expect_sums(const std::vector<td::Tensor>& sums, std::int64_t n) {
  for (std::size_t i = 0; i < sums.size(); ++i)
    check::expect_close(sums[i].item<double>() / static_cast<double>(n), static_cast<double>(i), 0,
                        "the mean of batch " + std::to_string(i) + " as the step saw it");
}

}  // namespace

TEST_CASE("every batch is loaded and used once, in order, and loaded in time", "[prefetcher]") {
  const td::Stream copies = td::getStreamFromPool(kSim), compute = td::getCurrentStream(kSim);
  for (const std::size_t count : {1u, 2u, 3u})
    for (const std::int64_t batches : {0, 1, 2, 3, 7}) {
      std::vector<Slot> slots = make_slots(count, 31);
      const std::string with =
          std::to_string(batches) + " batches in " + std::to_string(count) + " slots";
      std::int64_t loaded = 0, stepped = 0;
      std::vector<td::Tensor> sums;
      train_prefetched(
          slots, batches,
          [&](std::int64_t index, const td::Tensor& host) {
            check::expect(index < batches, with + ": load(" + std::to_string(index) +
                                               ") was called; the last batch is " +
                                               std::to_string(batches - 1) +
                                               ", so there is nothing to load");
            check::expect(index == loaded, with + ": load(" + std::to_string(index) +
                                               ") was called, and load(" + std::to_string(loaded) +
                                               ") comes next: once per batch, in order");
            check::expect(host.data_ptr() == slot_of(slots, index).host.data_ptr(),
                          with + ": load(" + std::to_string(index) +
                              ") is given another tensor than slots[index % slots.size()].host");
            load_number(index, host);
            ++loaded;
          },
          [&](std::int64_t index, const td::Tensor& batch) {
            check::expect(index == stepped, with + ": step(" + std::to_string(index) +
                                                ") was called, and step(" +
                                                std::to_string(stepped) + ") comes next");
            const std::int64_t ahead =
                std::min<std::int64_t>(batches, index + static_cast<std::int64_t>(count));
            std::ostringstream text;
            text << with << ": when step(" << index << ") is called, " << ahead
                 << " batches must have been loaded (up to index + slots - 1); there are "
                 << loaded;
            check::expect(loaded == ahead, text.str());
            check::expect(td::getCurrentStream(kSim) == compute,
                          with + ": during step(" + std::to_string(index) +
                              ") the current stream is not the caller's");
            check::expect(batch.data_ptr() == slot_of(slots, index).on_device.data_ptr(),
                          with + ": step(" + std::to_string(index) +
                              ") is given another tensor than slots[index % "
                              "slots.size()].on_device");
            sums.push_back(batch.sum());
            ++stepped;
          },
          copies);
      check::expect(stepped == batches,
                    with + ": there were " + std::to_string(stepped) + " steps");
      expect_sums(sums, 31);
    }
}

TEST_CASE("a step waits for its copy", "[prefetcher]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 20000});
  std::vector<Slot> slots = make_slots(2);
  std::vector<td::Tensor> sums;
  train_prefetched(
      slots, 4, load_number,
      [&](std::int64_t, const td::Tensor& batch) { sums.push_back(batch.sum()); },
      td::getStreamFromPool(kSim));
  expect_sums(sums, 1000);
}

TEST_CASE("pinned memory is not filled again while a copy reads it", "[prefetcher]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  std::vector<Slot> slots = make_slots(2);
  std::vector<td::Tensor> sums;
  Gate gate(kSoon);
  gate.hold(copies);
  train_prefetched(
      slots, 5,
      [&](std::int64_t index, const td::Tensor& host) {
        check::expect(index < 2 || gate.is_open(),
                      "load(" + std::to_string(index) +
                          ") comes with 2 slots and before any copy "
                          "was made: a batch that is still to be copied is overwritten");
        load_number(index, host);
      },
      [&](std::int64_t, const td::Tensor& batch) { sums.push_back(batch.sum()); }, copies);
  expect_sums(sums, 1000);
}

TEST_CASE("a copy does not write what a step still reads", "[prefetcher]") {
  std::vector<Slot> slots = make_slots(2);
  std::vector<td::Tensor> sums;
  const td::Stream copies = td::getStreamFromPool(kSim), compute = td::getCurrentStream(kSim);
  Gate gate(kHeld);
  train_prefetched(
      slots, 6,
      [&](std::int64_t index, const td::Tensor& host) {
        if (index == 2)
          check::expect(!gate.has_expired(),
                        "batch 2 is not loaded while the work on batch 0 is under way: the host "
                        "waits for a step, or for the device");
        if (index == 3) {  // batch 2 was sent to the slot that batch 0 is still read from
          check::expect(
              !gate.has_expired(),
              "batch 3 is not loaded while the work on batch 0 is under way, although its "
              "own slot is free: the host waits for more than the copy from this slot");
          give_it_time();
          gate.open();
        }
        load_number(index, host);
      },
      [&](std::int64_t index, const td::Tensor& batch) {
        if (index == 0) gate.hold(compute);  // the work on batch 0 takes as long as we like
        sums.push_back(batch.sum());
      },
      copies);
  expect_sums(sums, 1000);
}

TEST_CASE("the next batch is copied while a step works", "[prefetcher]") {
  std::vector<Slot> slots = make_slots(2);
  const td::Stream copies = td::getStreamFromPool(kSim), compute = td::getCurrentStream(kSim);
  const td::Tensor arrived = td::zeros({1000}).pin_memory();
  const LinkOf slow({.gb_per_s = 12, .latency_us = 20000});
  Gate gate(kHeld);
  train_prefetched(
      slots, 2, load_number,
      [&](std::int64_t index, const td::Tensor&) {
        if (index == 0) gate.hold(compute);
      },
      copies);
  {
    const td::StreamGuard guard(copies);
    arrived.copy_(slots[1].on_device, /*non_blocking=*/true);
  }
  copies.synchronize();
  check::expect(
      !gate.has_expired(),
      "with the work on batch 0 under way, the copy of batch 1 does not end: does it wait "
      "for that work?");
  check::expect_close(arrived, td::ones({1000}), 0,
                      "batch 1 on the device, when `copies` has done all it was given and the work "
                      "on batch 0 is under way: was it copied on another stream?");
}

TEST_CASE("other streams are not waited for", "[prefetcher]") {
  std::vector<Slot> slots = make_slots(2);
  Gate gate(kHeld);
  gate.hold(td::getStreamFromPool(kSim));
  train_prefetched(
      slots, 5, load_number, [](std::int64_t, const td::Tensor&) {}, td::getStreamFromPool(kSim));
  check::expect(
      !gate.has_expired(),
      "train_prefetched waits for a stream that has nothing to do with it: wait for events, not "
      "for the device");
}

TEST_CASE("steps run on a current stream that is not the default", "[prefetcher]") {
  std::vector<Slot> slots = make_slots(2);
  std::vector<td::Tensor> sums;
  const td::Stream copies = td::getStreamFromPool(kSim), work = td::getStreamFromPool(kSim);
  const LinkOf slow({.gb_per_s = 12, .latency_us = 10000});
  const td::StreamGuard guard(work);
  Gate gate(kSoon);
  train_prefetched(
      slots, 5, load_number,
      [&](std::int64_t index, const td::Tensor& batch) {
        if (index == 1) gate.hold(work);
        sums.push_back(batch.sum());
      },
      copies);
  expect_sums(sums, 1000);
}

TEST_CASE("slots of an earlier call are used again", "[prefetcher]") {
  std::vector<Slot> slots = make_slots(2);
  std::vector<td::Tensor> sums;
  const td::Stream copies = td::getStreamFromPool(kSim), compute = td::getCurrentStream(kSim);
  const auto add_sum = [&](std::int64_t, const td::Tensor& batch) { sums.push_back(batch.sum()); };
  Gate gate(kHeld);
  train_prefetched(
      slots, 2, load_number,
      [&](std::int64_t index, const td::Tensor& batch) {
        if (index == 0) gate.hold(compute);
        add_sum(index, batch);
      },
      copies);
  train_prefetched(
      slots, 2,
      [&](std::int64_t index, const td::Tensor& host) {
        if (index == 1) {
          give_it_time();
          gate.open();
        }
        host.fill_(static_cast<double>(index + 2));
      },
      add_sum, copies);
  check::expect(!gate.has_expired(),
                "a second call with the same slots waits for a step on the host");
  expect_sums(sums, 1000);  // batches 2 and 3 were loaded while the steps on 0 and 1 were held
}

TEST_CASE("after an error no copy is in flight", "[prefetcher]") {
  for (const bool in_load : {false, true}) {
    const std::string what = in_load ? "load(2) throws" : "step(1) throws";
    std::vector<Slot> slots = make_slots(3);
    const td::Stream copies = td::getStreamFromPool(kSim), compute = td::getCurrentStream(kSim);
    Gate gate(kSoon);
    gate.hold(copies);
    std::string message;
    try {
      train_prefetched(
          slots, 7,
          [&](std::int64_t index, const td::Tensor& host) {
            if (in_load && index == 2) throw std::runtime_error("no such file");
            load_number(index, host);
          },
          [&](std::int64_t index, const td::Tensor&) {
            if (!in_load && index == 1) throw std::runtime_error("no such file");
          },
          copies);
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    check::expect(message == "no such file", what + ": the exception did not reach the caller");
    compute.synchronize();  // work that the current stream waits for is ordered, too
    check::expect(copies.query(), what +
                                      ": a copy into a slot is still in flight, and neither the "
                                      "host nor the current stream waits for it; the caller may "
                                      "destroy the slots now");
  }
}

TEST_CASE("every accelerator gets its batches", "[prefetcher]") {
  for (const td::Device device : accelerators()) {
    std::vector<Slot> slots = make_slots(2, 33, device);
    std::vector<td::Tensor> sums;
    train_prefetched(
        slots, 5, load_number,
        [&](std::int64_t, const td::Tensor& batch) { sums.push_back(batch.sum()); },
        td::getStreamFromPool(device));
    expect_sums(sums, 33);
  }
}

TEST_CASE("all uses of the slots are ordered", "[prefetcher]") {
  for (const std::size_t count : {1u, 2u, 3u}) {
    std::vector<Slot> slots = make_slots(count, 33);
    const Looking looking;
    std::vector<td::Tensor> sums;
    train_prefetched(
        slots, 7, load_number,
        [&](std::int64_t, const td::Tensor& batch) { sums.push_back(batch.sum()); },
        td::getStreamFromPool(kSim));
    Looking::expect_none("7 batches in " + std::to_string(count) +
                         " slots: the race finder reports");
  }
}

TEST_CASE("pinned memory that an earlier call's copy still reads is not filled", "[prefetcher]") {
  const td::Stream copies = td::getStreamFromPool(kSim);
  std::vector<Slot> slots = make_slots(2);
  std::vector<td::Tensor> sums;
  const auto add_sum = [&](std::int64_t, const td::Tensor& batch) { sums.push_back(batch.sum()); };
  Gate gate(kSoon);
  gate.hold(copies);
  train_prefetched(slots, 2, load_number, add_sum, copies);
  train_prefetched(
      slots, 2,
      [&](std::int64_t index, const td::Tensor& host) {
        check::expect(gate.is_open(), "load(" + std::to_string(index) +
                                          ") of a second call comes before a copy of the first "
                                          "call has read the slot: wait for `copied` in the first "
                                          "round, too");
        load_number(index + 2, host);
      },
      add_sum, copies);
  expect_sums(sums, 1000);
}

TEST_CASE("an earlier call may have used other streams", "[prefetcher]") {
  std::vector<Slot> slots = make_slots(2, 33);
  const Looking looking;
  for (int call = 0; call < 3; ++call) {
    const td::StreamGuard guard(td::getStreamFromPool(kSim));
    train_prefetched(
        slots, 3, load_number, [](std::int64_t, const td::Tensor& batch) { batch.sum(); },
        td::getStreamFromPool(kSim));
  }
  Looking::expect_none(
      "three calls with the same slots, each on streams of its own: the race "
      "finder reports");
}

TEST_CASE("after an error in a later load no copy is in flight", "[prefetcher]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 50000});
  std::vector<Slot> slots = make_slots(2);
  const td::Stream copies = td::getStreamFromPool(kSim), compute = td::getCurrentStream(kSim);
  check::expect_throws<std::runtime_error>(
      [&] {
        train_prefetched(
            slots, 7,
            [&](std::int64_t index, const td::Tensor& host) {
              if (index == 3) throw std::runtime_error("no such file");
              load_number(index, host);
            },
            [](std::int64_t, const td::Tensor&) {}, copies);
      },
      {"no such file"}, "load(3) throws, with 2 slots");
  compute.synchronize();
  check::expect(copies.query(),
                "load(3) throws, with 2 slots, while the copy of batch 2 takes 50 ms: that copy is "
                "still in flight, and neither the host nor the current stream waits for it");
}

TEST_CASE("after an exception of any type the copies for later steps are not in flight",
          "[prefetcher]") {
  for (const bool number : {false, true}) {
    const std::string what =
        number ? "step(0) throws the int 7, which is no std::exception" : "step(0) throws";
    std::vector<Slot> slots = make_slots(3);
    const td::Stream copies = td::getStreamFromPool(kSim), compute = td::getCurrentStream(kSim);
    Gate gate(kSoon);
    bool came = false;
    try {
      train_prefetched(
          slots, 7,
          [&](std::int64_t index, const td::Tensor& host) {
            if (index == 1) gate.hold(copies);  // copy 0 arrives, copies 1 and 2 do not
            load_number(index, host);
          },
          [&](std::int64_t, const td::Tensor&) {
            if (number) throw 7;
            throw std::runtime_error("no such file");
          },
          copies);
    } catch (const std::runtime_error&) {
      came = !number;
    } catch (int) {
      came = number;
    }
    check::expect(came, what + ": the exception did not reach the caller");
    compute.synchronize();
    check::expect(copies.query(), what +
                                      ": a copy into a slot is still in flight, and neither the "
                                      "host nor the current stream waits for it");
  }
}
