#include "exercises.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

// answer: counts_back
// Waits by the backend, and keeps the start as a negative time.
namespace counts_back {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  const td::Device here = td::check_device(device);
  const auto wait = [&] {
    if (!here.is_cpu()) td::backend(here.type()).synchronize(here.index(), nullptr, true);
  };
  wait();
  LaunchTimes times{};
  times.returned = times.done = -milliseconds();
  work();
  times.returned += milliseconds();
  wait();
  times.done += milliseconds();
  return times;
}
}  // namespace counts_back

// answer: with_a_guard
// Makes the device current meanwhile, and adds the time of the rest to that of the launch.
namespace with_a_guard {
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds) {
  const td::Device here = td::check_device(device);
  if (!here.is_cpu()) td::synchronize(here);
  const double before = milliseconds();
  work();
  const double between = milliseconds();
  if (!here.is_cpu()) {
    const td::DeviceGuard guard(here);
    td::synchronize(td::Device(here.type()));
  }
  const double rest = milliseconds() - between;
  return {between - before, between - before + rest};
}
}  // namespace with_a_guard
