#include "exercises.h"

#include <cstring>
#include <vector>

#include "td/device/backend.h"

// answer: memcpy_everywhere
// expect: host code wrote to memory of sim:0
// Right from cpu to cpu. The host's memcpy cannot reach an accelerator's memory.
namespace memcpy_everywhere {
void copy_between(void* to, td::Device, const void* from, td::Device, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
}  // namespace memcpy_everywhere

// answer: nobody_waits
// expect: read right after the copy from sim:0 to pinned memory
// Right on the README's example, and with ordinary memory: only a copy into pinned memory returns
// early.
namespace nobody_waits {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(),
            td::getCurrentStream(worker).native());
}
}  // namespace nobody_waits

// answer: on_the_default_stream
// expect: work that was queued on a stream from the pool
// nullptr is the default stream, which is not always the current one.
namespace on_the_default_stream {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  td::backend(worker.type()).copy(to, to_device, from, from_device, bytes, worker.index(), nullptr);
  td::backend(worker.type()).synchronize(worker.index(), nullptr, false);
}
}  // namespace on_the_default_stream

// answer: targets_stream
// expect: from was filled with 10 by work that was queued on
// Between two accelerators it takes the target's stream, which does not wait for the source's work.
namespace targets_stream {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = to_device.is_cpu() ? from_device : to_device;
  const td::Stream stream = td::getCurrentStream(worker);
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
  stream.synchronize();
}
}  // namespace targets_stream

// answer: the_sources_backend
// expect: host code wrote to memory of sim:0
// Right from the device to the host. Towards the device it lets the cpu do the work, which cannot.
namespace the_sources_backend {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  const td::Stream stream = td::getCurrentStream(from_device);
  td::backend(from_device.type())
      .copy(to, to_device, from, from_device, bytes, from_device.index(), stream.native());
  stream.synchronize();
}
}  // namespace the_sources_backend

// answer: through_the_host
// expect: sim:0 to sim:1: expected 1 transfer of
// Makes two copies where one is enough.
namespace through_the_host {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  std::vector<char> host(bytes);
  const auto step = [&](void* a, td::Device a_device, const void* b, td::Device b_device) {
    const td::Device worker = b_device.is_cpu() ? a_device : b_device;
    const td::Stream stream = td::getCurrentStream(worker);
    td::backend(worker.type())
        .copy(a, a_device, b, b_device, bytes, worker.index(), stream.native());
    stream.synchronize();
  };
  if (to_device.is_cpu() || from_device.is_cpu()) return step(to, to_device, from, from_device);
  step(host.data(), td::kCPU, from, from_device);
  step(to, to_device, host.data(), td::kCPU);
}
}  // namespace through_the_host

// answer: waits_before
// expect: read right after the copy from sim:0 to pinned memory
// Waits for what came before, and not for the copy itself.
namespace waits_before {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  const td::Stream stream = td::getCurrentStream(worker);
  stream.synchronize();
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
}
}  // namespace waits_before

// answer: waits_for_the_host_only
// expect: read by another stream of sim:1 right after the copy
// Waits if the host takes part, and not between two accelerators.
namespace waits_for_the_host_only {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  const td::Stream stream = td::getCurrentStream(worker);
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
  if (from_device.is_cpu() || to_device.is_cpu()) stream.synchronize();
}
}  // namespace waits_for_the_host_only

// answer: whole_words_only
// expect: cpu to cpu, 1 bytes: index 0: expected 1, got 99
// Right for floats. Rounds the number of bytes down to whole words and loses the rest.
namespace whole_words_only {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  const td::Stream stream = td::getCurrentStream(worker);
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes / 4 * 4, worker.index(), stream.native());
  stream.synchronize();
}
}  // namespace whole_words_only

// answer: target_makes_the_copy
// expect: sim:0 to sim:1, 124 bytes: expected the copy on
// Orders everything rightly, but between two accelerators the target makes the copy.
namespace target_makes_the_copy {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  if (bytes == 0) return;
  const td::Device worker = to_device.is_cpu() ? from_device : to_device;
  if (!from_device.is_cpu()) td::synchronize(from_device);
  const td::Stream stream = td::getCurrentStream(worker);
  td::backend(worker.type())
      .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
  stream.synchronize();
}
}  // namespace target_makes_the_copy

// answer: waits_for_nothing
// expect: 0 bytes between cpu and sim:0: nothing should happen
// Waits for the stream also where there is nothing to copy.
namespace waits_for_nothing {
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes) {
  const td::Device worker = from_device.is_cpu() ? to_device : from_device;
  const td::Stream stream = td::getCurrentStream(worker);
  if (bytes > 0)
    td::backend(worker.type())
        .copy(to, to_device, from, from_device, bytes, worker.index(), stream.native());
  stream.synchronize();
}
}  // namespace waits_for_nothing
