// Tests of pinned_buffer: the allocator counts what is allocated, gates hold the streams.
#include "accelerators.h"
#include "exercises.h"
#include "lanes.h"

namespace {

std::size_t taken() { return td::pinned_allocator(td::kSIM).stats().allocated; }

void expect_taken(std::size_t expected, const std::string& when) {
  check::expect(taken() == expected, when + ": " + std::to_string(expected) +
                                         " bytes should be taken from the allocator; " +
                                         std::to_string(taken()) + " are");
}

}  // namespace

TEST_CASE("the memory is pinned, and is released at the end", "[pinned_buffer]") {
  const std::size_t before = taken();
  for (const std::size_t bytes : {1u, 1000u, 4096u, 5000000u}) {
    {
      const PinnedBuffer buffer(td::kSIM, bytes);
      check::expect(td::is_pinned_memory(buffer.data()), "data() is not pinned memory");
      check::expect(buffer.bytes() == bytes, "bytes() is " + std::to_string(buffer.bytes()) +
                                                 ", asked for were " + std::to_string(bytes));
      std::memset(buffer.data(), 1, bytes);
      check::expect(taken() > before, "nothing was taken from the allocator");
    }
    expect_taken(before, "after the end of a buffer of " + std::to_string(bytes) + " bytes");
  }
}

TEST_CASE("free may be called twice, and leaves an empty buffer", "[pinned_buffer]") {
  const std::size_t before = taken();
  PinnedBuffer buffer(td::kSIM, 3000);
  buffer.free();
  expect_taken(before, "after free()");
  check::expect(buffer.data() == nullptr && buffer.bytes() == 0,
                "after free() data() should be null and bytes() 0");
  const PinnedBuffer next(td::kSIM, 3000);  // has the same memory now
  const std::size_t with_next = taken();
  buffer.free();
  expect_taken(with_next, "after a second free(), with another buffer alive");
}

TEST_CASE("a moved-from buffer is empty, and releases nothing", "[pinned_buffer]") {
  const std::size_t before = taken();
  {
    std::optional<PinnedBuffer> first(std::in_place, td::kSIM, 2000);
    void* const data = first->data();
    PinnedBuffer second(std::move(*first));
    check::expect(second.data() == data && second.bytes() == 2000,
                  "the new buffer should have the memory");
    check::expect(first->data() == nullptr && first->bytes() == 0,
                  "the buffer that was moved from should have no memory");
    const std::size_t alive = taken();
    first.reset();
    expect_taken(alive, "after the end of a buffer that was moved from");
    PinnedBuffer third(td::kSIM, 8000);
    third = std::move(second);
    check::expect(third.data() == data, "the new buffer should have the memory");
    expect_taken(alive, "after moving onto a buffer with memory of its own");
  }
  expect_taken(before, "in the end");
}

TEST_CASE("many buffers move as a vector grows", "[pinned_buffer]") {
  const std::size_t before = taken();
  {
    std::vector<PinnedBuffer> buffers;
    for (int i = 0; i < 31; ++i) {
      buffers.emplace_back(td::kSIM, 512);
      *static_cast<int*>(buffers.back().data()) = i;
    }
    for (int i = 0; i < 31; ++i)
      check::expect_close(*static_cast<int*>(buffers[static_cast<std::size_t>(i)].data()), i, 0,
                          "the number in buffer " + std::to_string(i));
    expect_taken(before + 31 * 512, "with 31 buffers of 512 bytes");
  }
  expect_taken(before, "after 31 buffers");
}

TEST_CASE("free waits for every stream that uses the memory", "[pinned_buffer]") {
  const td::Stream streams[] = {td::getStreamFromPool(kSim), td::getStreamFromPool(kSim),
                                td::getStreamFromPool("sim:1")};
  for (int held = 0; held < 3; ++held) {
    PinnedBuffer buffer(td::kSIM, 1000);
    Gate gate(kSoon);
    gate.hold(streams[held]);
    for (const td::Stream& stream : streams) buffer.used_on(stream);
    buffer.free();
    check::expect(gate.is_open(),
                  "stream " + std::to_string(held + 1) +
                      " of 3, the last of which is on sim:1, still uses the memory, and "
                      "free() did not wait");
  }
}

TEST_CASE("the new owner waits for the copies in flight", "[pinned_buffer]") {
  const td::Stream stream = td::getStreamFromPool(kSim);
  PinnedBuffer buffer(td::kSIM, 1000);
  Gate gate(kSoon);
  gate.hold(stream);
  buffer.used_on(stream);
  PinnedBuffer other(std::move(buffer));
  other.free();
  check::expect(gate.is_open(),
                "the memory was moved while a stream used it, and then free() of its new owner did "
                "not wait");
}

TEST_CASE("free waits for nothing else", "[pinned_buffer]") {
  const td::Stream stream = td::getStreamFromPool(kSim), other = td::getStreamFromPool(kSim);
  PinnedBuffer buffer(td::kSIM, 1000);
  Gate later(kHeld), elsewhere(kHeld);
  elsewhere.hold(other);
  buffer.used_on(stream);
  later.hold(stream);  // after the work that uses the buffer
  buffer.free();
  check::expect(!elsewhere.has_expired() && !later.has_expired(),
                "free() waits for work that does not use the memory: another stream's, or what was "
                "queued after used_on()");
}

TEST_CASE("a stream that uses the memory twice is waited for twice", "[pinned_buffer]") {
  const td::Stream stream = td::getStreamFromPool(kSim);
  PinnedBuffer buffer(td::kSIM, 1000);
  buffer.used_on(stream);
  Gate gate(kSoon);
  gate.hold(stream);
  buffer.used_on(stream);  // with the gate
  buffer.free();
  check::expect(gate.is_open(),
                "used_on was called twice with the same stream, and free() did not wait for the "
                "work that was enqueued between the calls");
}

TEST_CASE("a moved-from buffer waits for nothing", "[pinned_buffer]") {
  const td::Stream stream = td::getStreamFromPool(kSim);
  PinnedBuffer buffer(td::kSIM, 1000);
  Gate gate(kHeld);
  gate.hold(stream);
  buffer.used_on(stream);
  PinnedBuffer other(std::move(buffer));
  buffer.free();
  check::expect(!gate.has_expired(), "free() of a buffer without memory waits for a stream");
  gate.open();
}

TEST_CASE("copies on every accelerator", "[pinned_buffer]") {
  for (const td::Device device : accelerators()) {
    const td::Tensor there = td::zeros({256}, device);
    td::synchronize(device);
    {
      PinnedBuffer buffer(device.type(), 1024);
      const td::Tensor host = td::from_blob(buffer.data(), {256});
      host.fill_(3);
      const td::StreamGuard guard(td::getStreamFromPool(device));
      there.copy_(host, /*non_blocking=*/true);
      buffer.used_on(td::getCurrentStream(device));
    }
    const std::size_t left = td::pinned_allocator(device.type()).stats().allocated;
    const PinnedBuffer next(device.type(), 1024);
    std::memset(next.data(), 0, 1024);
    check::expect(td::pinned_allocator(device.type()).stats().allocated > left,
                  "nothing was allocated for " + device.str());
    td::synchronize(device);
    check::expect_close(there, td::full({256}, 3), 0, "what was copied to " + device.str());
  }
}

TEST_CASE("the memory is released after the wait, not before", "[pinned_buffer]") {
  const td::Stream stream = td::getStreamFromPool(kSim);
  PinnedBuffer buffer(td::kSIM, 1000);
  const std::size_t with_buffer = taken();
  Gate gate(kSoon);
  gate.hold(stream);
  buffer.used_on(stream);
  std::atomic<bool> too_early{false}, done{false};
  std::thread watcher([&] {
    while (!done) {
      const bool released = taken() < with_buffer;
      if (released && !gate.is_open()) too_early = true;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  buffer.free();
  done = true;
  watcher.join();
  check::expect(!too_early, "free() releases the memory while a stream still uses it: wait first");
}
