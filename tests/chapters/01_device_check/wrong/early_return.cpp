#include "exercises.h"
#include "td/device/stream.h"

// answer: no_wait
// expect: last time while the device was still working
// Right with the cpu. Reads the clock twice after the launch, and never waits for the work.
namespace no_wait {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  td::synchronize(device);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  const double done = milliseconds();
  return {returned - start, done - start};
}
}  // namespace no_wait

// answer: waits_before_both
// expect: the second reading of the clock came after the work
// Waits, and reads the clock for both times: the launch seems to take as long as the work.
namespace waits_before_both {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  td::synchronize(device);
  const double start = milliseconds();
  work();
  td::synchronize(device);
  const double returned = milliseconds();
  const double done = milliseconds();
  return {returned - start, done - start};
}
}  // namespace waits_before_both

// answer: no_wait_at_the_start
// expect: while the device still had earlier work
// Measures what the device was still doing, too.
namespace no_wait_at_the_start {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::synchronize(device);
  const double done = milliseconds();
  return {returned - start, done - start};
}
}  // namespace no_wait_at_the_start

// answer: current_stream
// expect: last time while the device was still working
// Waits for the current stream, but the work is on two streams.
namespace current_stream {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  const td::Device here = td::check_device(device);
  td::synchronize(here);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::getCurrentStream(here).synchronize();
  const double done = milliseconds();
  return {returned - start, done - start};
}
}  // namespace current_stream

// answer: current_device
// expect: work on sim:1 while sim:0 is current: the clock was read for the last time
// Waits for the current device of the kind.
namespace current_device {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  const td::Device here(device.type());
  td::synchronize(here);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::synchronize(here);
  const double done = milliseconds();
  return {returned - start, done - start};
}
}  // namespace current_device

// answer: all_devices
// expect: the host waited for sim:1, too
// Waits for all devices of the kind.
namespace all_devices {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  const auto wait = [&] {
    for (int i = 0; i < td::device_count(device.type()); ++i)
      td::synchronize(td::Device(device.type(), i));
  };
  if (device.is_cpu()) {
    const double start = milliseconds();
    work();
    const double end = milliseconds();
    return {end - start, end - start};
  }
  wait();
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  wait();
  return {returned - start, milliseconds() - start};
}
}  // namespace all_devices

// answer: done_after_return
// expect: `done`, for a clock that shows 100, 103 and 121
// Returns the time from the end of the launch to the end of the work.
namespace done_after_return {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  td::synchronize(device);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::synchronize(device);
  return {returned - start, milliseconds() - returned};
}
}  // namespace done_after_return

// answer: two_launches
// expect: the work should be launched once; it was launched 2 times
// Launches the work once for each time.
namespace two_launches {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  td::synchronize(device);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::synchronize(device);
  const double again = milliseconds();
  work();
  td::synchronize(device);
  return {returned - start, milliseconds() - again};
}
}  // namespace two_launches

// answer: exchanged
// expect: `returned`, for a clock that shows 100, 103 and 121
// Returns the two times in the wrong order.
namespace exchanged {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  td::synchronize(device);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::synchronize(device);
  return {milliseconds() - start, returned - start};
}
}  // namespace exchanged

// answer: sets_the_device
// expect: another device is current afterwards
// Makes the device current and leaves it so.
namespace sets_the_device {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  if (!device.is_cpu()) td::set_device(td::check_device(device));
  td::synchronize(device);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::synchronize(device);
  return {returned - start, milliseconds() - start};
}
}  // namespace sets_the_device

// answer: guards_the_work
// expect: in `work`, sim:1 was current
// Makes the measured device current for the whole measurement, and so for the work, too.
namespace guards_the_work {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  const td::DeviceGuard guard(td::check_device(device));
  td::synchronize(device);
  const double start = milliseconds();
  work();
  const double returned = milliseconds();
  td::synchronize(device);
  return {returned - start, milliseconds() - start};
}
}  // namespace guards_the_work
