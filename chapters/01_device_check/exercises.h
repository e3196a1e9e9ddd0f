// The exercises of chapter 01: names of devices, the choice of one, and the two version numbers
// that decide whether a GPU can be used. Included by main.cpp, the exercises and their tests. None
// of them touches a device; each can be solved, and judged, on a machine without a GPU.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "td/base/error.h"
#include "td/device/device.h"

/// Exercise 1.first_device. The line that every PyTorch script begins with:
/// `device = "cuda:0" if torch.cuda.is_available() else "cpu"`.
///
/// @param gpus how many GPUs there are, 0 or more.
/// @return cuda:0 where there is a GPU, else cpu.
///
/// Example: first_device(2) is td::Device("cuda:0"), first_device(0) is td::Device("cpu").
td::Device first_device(int gpus);

/// What parse_device finds in a string.
struct DeviceName {
  std::string kind;  ///< "cuda"
  int index = -1;    ///< 1 for "cuda:1"; -1 where none is written
};

/// Exercise 1.parse_device. Takes a device string apart: a kind, and after a colon an index.
///
/// @param text "cpu", "cuda", "cuda:1". The index is decimal digits only, at most 127, and has no
///     leading zeros: "cuda:01" and "cuda:+1" are refused.
/// @param kinds the kinds there are, for example {"cpu", "sim", "cuda"}. Case matters.
/// @throws td::DeviceError for anything else. The message quotes `text` and lists all of `kinds`.
/// For
///     "tpu" and "xla", with or without an index, where `kinds` does not have them, it also says
///     "chapter 10".
///
/// Example: parse_device("cuda:1", kinds) is {"cuda", 1}, parse_device("cpu", kinds) is {"cpu",
/// -1}.
DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds);

/// Exercise 1.pick_device. The first of several wishes that this machine can fulfil, and cpu where
/// it can fulfil none. A fallback that nobody is told about looks like a GPU, so each step is
/// logged.
///
/// @param wishes device strings, the most expensive first.
/// @param log gets one line for each wish that is passed over, with its name and the reason, and
///     one last line with the device that is used.
/// @return a device that exists. It has an index, unless it is cpu: "sim" is the current sim
/// device.
/// @throws td::DeviceError for a string that is no device at all ("cuda0"): a typing mistake must
/// not
///     end in a quiet fallback.
///
/// Example: on a machine without a GPU, pick_device({"cuda:0", "sim:1"}, log) is sim:1, and the log
/// has two lines: one with cuda:0 and why there is none, one with sim:1.
td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log);

/// Exercise 1.refuse_device. Refuses a device that does not exist, in words that help.
///
/// @param kind "cuda", @param index which device is wanted, @param count how many of the kind there
///     are: valid indices are 0 to count - 1.
/// @throws td::DeviceError when there is no such device. The message names the device that was
/// asked
///     for (`cuda:3`), says how many there are, and names the valid ones: `cuda:0 to cuda:1` for
///     two, `cuda:0` for one. Where there is none of a kind it says `nvidia-smi`, the next thing to
///     look at for cuda, and `cpu`, which is always there.
///
/// Example: refuse_device("cuda", 3, 2) might say
/// `there is no cuda:3: this machine has 2 cuda devices, cuda:0 to cuda:1. Use one of them.`
void refuse_device(const std::string& kind, int index, int count);

/// One line of NVIDIA's release notes (Linux, x86_64).
struct ToolkitRow {
  std::string toolkit;  ///< "12.4"
  std::string driver;   ///< The driver that was released with it, "550.54.14".
};

/// What a driver can do for a program that was built with a toolkit.
enum class Fit {
  kTooOld,        ///< The program finds no GPU: error 35, "driver version is insufficient".
  kMinorVersion,  ///< It runs by minor-version compatibility: machine code yes, newer PTX no.
  kFull           ///< The driver is as new as the toolkit, or newer.
};

/// Exercise 1.driver_fits. Does this driver serve programs that were built with this toolkit?
///
/// kFull when the driver is at least the one of the toolkit's own row. Otherwise kMinorVersion when
/// it is at least the oldest driver of the same major version (the `x` of `x.y`), because since
/// CUDA 11 a program needs the driver of its major version only. Otherwise kTooOld.
///
/// Versions are compared number by number, "580.65.06" as 580, 65, 6; numbers that are not written
/// count as 0.
///
/// @param driver as `nvidia-smi` prints it. @param toolkit as `nvcc --version` prints it, "12.4".
/// @param rows the table, in any order.
/// @throws td::Error when `toolkit` is not in the table, with the toolkit in the message.
///
/// Example, with the rows {12.0, 525.60.13} and {12.4, 550.54.14}: driver 535.104.05 gives
/// kMinorVersion for toolkit 12.4, driver 560.35.03 gives kFull, driver 470.82.01 gives kTooOld.
Fit driver_fits(const std::string& driver, const std::string& toolkit,
                const std::vector<ToolkitRow>& rows);
