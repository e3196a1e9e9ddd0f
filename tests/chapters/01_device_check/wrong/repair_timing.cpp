#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/stream.h"

// answer: no_wait
// expect: this is the time of the launches
// The first fault alone: the clock is read when the launches have returned.
namespace no_wait {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace no_wait

// answer: no_warm_up
// expect: nothing was run as a warm-up
// The second fault alone: the first run is measured.
namespace no_warm_up {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace no_warm_up

// answer: memory_afterwards
// expect: needs 0 bytes on sim:0
// The third fault alone: the tensors of the work are released by then.
namespace memory_afterwards {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).allocated - before};
}
}  // namespace memory_afterwards

// answer: current_device
// expect: sim:1 was measured while sim:0 was current: the clock was read while sim:1 was working
// The fourth fault alone: right for the current device only.
namespace current_device {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(td::Device(device.type()));
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace current_device

// answer: warm_up_without_wait
// expect: the clock started while the warm-up was still running
// The warm-up is still running when the clock starts.
namespace warm_up_without_wait {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  td::synchronize(measured);
  work();
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace warm_up_without_wait

// answer: no_wait_at_the_start
// expect: the clock started while
// Waits at the end only, so that earlier work is measured, too.
namespace no_wait_at_the_start {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace no_wait_at_the_start

// answer: current_stream
// expect: the clock
// Waits for the current stream, but the work has more than one.
namespace current_stream {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::getCurrentStream(measured).synchronize();
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::getCurrentStream(measured).synchronize();
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace current_stream

// answer: all_runs
// expect: milliseconds per run
// Returns the time of all runs.
namespace all_runs {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / 1, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace all_runs

// answer: earlier_peak
// expect: bytes in all needs
// Does not reset the peak, which is that of earlier work.
namespace earlier_peak {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::synchronize(measured);
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace earlier_peak

// answer: reserved_memory
// expect: bytes in all needs
// Reads what the allocator has reserved, cached memory included.
namespace reserved_memory {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).reserved - before};
}
}  // namespace reserved_memory

// answer: waits_after_each_run
// expect: the clock should be read twice
// Reads the clock around each run.
namespace waits_after_each_run {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  double total = 0;
  for (int run = 0; run < runs; ++run) {
    td::synchronize(measured);
    const double start = milliseconds();
    work();
    td::synchronize(measured);
    total += milliseconds() - start;
  }
  return {total / runs, td::memory_stats(measured).peak_allocated};
}
}  // namespace waits_after_each_run

// answer: warms_up_after_the_reset
// expect: the warm-up is not part of the measurement
// The peak is reset before the warm-up. Right where the first run needs no more than the others.
namespace warms_up_after_the_reset {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  work();
  td::synchronize(measured);
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace warms_up_after_the_reset

// answer: memory_before_the_warm_up
// expect: the warm-up is not part of the measurement
// Counts what the warm-up keeps. Right where the work keeps nothing.
namespace memory_before_the_warm_up {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  const std::size_t before = td::memory_stats(measured).allocated;
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace memory_before_the_warm_up

// answer: float_clock
// expect: 6000000000.75
// A float has 24 bits. Right for a clock that began a moment ago.
namespace float_clock {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::Device measured = td::check_device(device);
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const float start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const float end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace float_clock

// answer: makes_the_device_current
// expect: another current device than the caller's
// The work runs under another current device. Right where the work names its device.
namespace makes_the_device_current {
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds) {
  const td::DeviceGuard guard(td::check_device(device));
  const td::Device measured = td::check_device(device);
  work();
  td::synchronize(measured);
  td::allocator(measured).reset_peak();
  const std::size_t before = td::memory_stats(measured).allocated;
  const double start = milliseconds();
  for (int run = 0; run < runs; ++run) work();
  td::synchronize(measured);
  const double end = milliseconds();
  return {(end - start) / runs, td::memory_stats(measured).peak_allocated - before};
}
}  // namespace makes_the_device_current
