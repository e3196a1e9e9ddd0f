// The exercises of chapter 01: the names of devices, the choice of a device, and the version
// numbers that decide whether a program can use a GPU. The programs, the exercises and their tests
// include it. No exercise needs a GPU, so every machine can check them.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "td/base/error.h"
#include "td/device/device.h"

/// Exercise 1.first_device. Implement `first_device`, the line that most PyTorch scripts begin
/// with: `device = "cuda:0" if torch.cuda.is_available() else "cpu"`.
///
/// @param gpus the number of GPUs, 0 or more.
/// @return cuda:0 if there is a GPU, otherwise cpu.
///
/// Example: first_device(2) is td::Device("cuda:0"), first_device(0) is td::Device("cpu").
td::Device first_device(int gpus);

/// Exercise 1.pick_device. Implement `pick_device`. It must return the first device of a list that
/// exists on this machine, or cpu if none of them exists. It must log every step.
///
/// * Before it chooses, it checks that every wish is a device string. A typing mistake must be
///   found on every machine, even if it comes after a wish that exists.
/// * It tries the wishes in their order, and none after the one that it returns.
/// * For each wish that it tries and that does not exist, it writes one line to `log`. The line
///   contains the wish and the reason, which is the `what()` of the error that td::check_device
///   throws.
/// * Its last line contains the device that it returns.
/// * It does not change the current device.
///
/// @param wishes device strings, in order of preference.
/// @return a device that exists. It has an index, unless it is cpu: "sim" means the current sim
///     device.
/// @throws td::DeviceError for a string that is no device ("cuda0"), as td::Device(text) does.
///
/// Example: without a GPU, pick_device({"cuda:0", "sim:1"}, log) returns sim:1, and the log has two
/// lines: one with cuda:0 and the reason, one with sim:1.
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log);

/// Exercise 1.emptiest_device. Implement `emptiest_device`. It must return the accelerator on which
/// this process can allocate the most memory.
///
/// * The device reports its free bytes: `td::backend(type).memory(index, &free, &total)`, see
///   td/device/backend.h.
/// * Memory that the caching allocator of this process holds and that no tensor uses can be
///   allocated as well. It counts as free: `reserved - allocated` of td::memory_stats(device), see
///   td/device/allocator.h.
/// * If several devices have the same number of bytes, it returns the first of them in `devices`.
/// * It allocates nothing, releases no cached memory, and does not change the current device.
///
/// @param devices accelerators that exist, each with its index; in any order.
/// @throws td::DeviceError if `devices` is empty.
///
/// Example: if a tensor of 64 MiB is stored on sim:0 and none on sim:1, then
/// emptiest_device({"sim:0", "sim:1"}) returns sim:1.
td::Device emptiest_device(const std::vector<td::Device>& devices);

/// Exercise 1.parse_device. Implement `parse_device`. It must turn what a user wrote after
/// `--device` into a device of a machine, or reject it with a message that helps. Two things can be
/// wrong: the text is no device string, or the machine does not have this device.
///
/// * The form is that of td::Device(text), which throws for everything else: "gpu", "cuda:",
///   "cuda:01", and "tpu", for which it refers to chapter 10. Use it.
/// * A device with an index must be in `devices`.
/// * A kind alone means the current device of the kind, as in PyTorch. The machine must have at
///   least one device of the kind, and the result has no index: "cuda" gives td::Device("cuda").
/// * "cpu:0" is another spelling of "cpu". The result is td::Device("cpu") for both.
/// * It never replaces a device by another one: a silent fallback looks like a slow GPU.
///
/// @param devices all devices of the machine, in any order; cpu is one of them, and the others have
///     an index.
/// @throws td::DeviceError. The message contains `text` in double quotes. If the machine lacks the
///     device, the message also contains each of `devices`. If the kind is "tpu" or "xla", it also
///     contains "chapter 10".
///
/// Example: with devices = {"cpu", "sim:0", "cuda:0"}, parse_device("cuda:0", devices) is
/// td::Device("cuda:0"), and "cuda:1" is an error: there is one GPU.
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices);

/// One line of NVIDIA's release notes (Linux, x86_64).
struct ToolkitRow {
  std::string toolkit;  ///< "12.4", or "12.x" for all toolkits of a major version
  std::string driver;   ///< "550.54.14", the driver of this toolkit; for "12.x", the oldest driver
                        ///< with minor-version compatibility
};

/// What a driver can do for a program that was built with a toolkit.
enum class Fit {
  kTooOld,        ///< The program finds no GPU: error 35, "driver version is insufficient".
  kMinorVersion,  ///< It runs by minor-version compatibility: machine code yes, newer PTX no.
  kFull           ///< The driver is as new as the toolkit, or newer.
};

/// Exercise 1.driver_fits. Implement `driver_fits`. It must decide whether a driver can run
/// programs that were built with a toolkit.
///
/// * kFull if the driver is at least the one of the toolkit's own row.
/// * Otherwise kMinorVersion if the driver is at least the one of the row of the toolkit's major
///   version ("11.x" for "11.8"), if there is such a row. CUDA 10 and older have no such row:
///   each of their toolkits needs its own driver.
/// * Otherwise kTooOld.
///
/// Versions are compared number by number: "580.65.06" is 580, 65, 6. Missing numbers count as 0.
///
/// @param driver as `nvidia-smi` prints it. @param toolkit as `nvcc --version` prints it, "12.4".
/// @param rows the table, in any order.
/// @throws td::Error if the table has no row for `toolkit`; the message contains `toolkit`.
///
/// Example, with the rows {12.x, 525.60.13}, {12.0, 525.60.13} and {12.4, 550.54.14}: driver
/// 535.104.05 is kMinorVersion for toolkit 12.4, 560.35.03 is kFull, and 470.82.01 is kTooOld.
Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows);

/// Two times of one piece of work, both in milliseconds and from the beginning of its launch.
struct LaunchTimes {
  double returned;  ///< until the launch has returned, and the host can continue
  double done;      ///< until the device has finished the work
};

/// Exercise 1.early_return. Implement `time_launch`. It must measure that a launch returns before
/// its work is done: it launches work on a device once, without a warm-up, and returns two times.
///
/// * It reads the clock three times: before the launch, when the launch has returned, and when the
///   device has finished.
/// * Neither time includes work that the device had before.
/// * The work may be on several streams of `device`. The host waits for no other device.
/// * The current device stays as it is, also in `work`. Each device is measured, current or not.
///
/// @param device that `work` uses; without an index it means the current device of its kind.
/// @param work launches work on `device`, and may return before it is done.
/// @param milliseconds reads the clock.
///
/// Example: clock values 100, 103 and 121 give {3, 21}. On the cpu, whose work is done when the
/// call returns, both times are the same.
LaunchTimes time_launch(td::Device device, const std::function<void()>& work,
                        const std::function<double()>& milliseconds);

/// What `measure` finds out about a piece of work.
struct Measurement {
  double milliseconds;  ///< per run
  std::size_t bytes;    ///< the most memory of tensors on the device, beyond what was there before
};

/// Exercise 1.repair_timing. Repair `measure`, which measures the time and the memory of work on a
/// device. The file compiles and runs, but it has four faults. Its author reports:
///   - "A product of large matrices takes as long as a product of small ones."
///   - "My first measurement is ten times as long as the second one of the same work."
///   - "The work needs no memory: 0 bytes, however large its tensors are."
///   - "On sim:1 the time is too short and the memory is 0, even after I repaired it for sim:0."
///
/// * It runs `work` at least once as a warm-up, and then exactly `runs` times for the measurement.
/// * It reads the clock twice. At both times, all streams of `device` have finished their work.
/// * The memory is the most that tensors on `device` use during the measurement, minus what they
///   use when it begins.
/// * The current device stays as it is. Each device is measured correctly, current or not.
///
/// @param device that `work` uses; without an index it means the current device of its kind.
/// @param runs 1 or more. @param work starts work on `device`, and may return before it is done.
/// @param milliseconds reads the clock.
///
/// Example: clock values 5 and 11 for runs = 3 give 2 milliseconds per run.
Measurement measure(td::Device device, int runs, const std::function<void()>& work,
                    const std::function<double()>& milliseconds);
