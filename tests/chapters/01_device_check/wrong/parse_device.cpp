#include <algorithm>
#include <stdexcept>

#include "exercises.h"

// answer: form_only
// expect: an error was expected, none was thrown
// Reads the form only: cuda:1 is a device string on every machine.
namespace form_only {
td::Device parse_device(const std::string& text, const std::vector<td::Device>&) {
  const td::Device device(text);
  return device.is_cpu() && device.index() <= 0 ? td::Device("cpu") : device;
}
}  // namespace form_only

// answer: this_machine
// expect: but it was rejected
// Looks at the machine on which it runs, not at the list.
namespace this_machine {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  const td::Device device(text);
  try {
    td::check_device(device);
    return device.is_cpu() ? td::Device("cpu") : device;
  } catch (const td::DeviceError& error) {
    throw td::DeviceError('"' + text + "\": " + error.what() + names);
  }
}
}  // namespace this_machine

// answer: falls_back
// expect: an error was expected, none was thrown
// A silent fallback: the program runs on the cpu, and its user believes that it uses the GPU.
namespace falls_back {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  const td::Device wish(text);
  for (const td::Device device : devices) {
    if (wish == device || (wish.type() == device.type() && !wish.has_index())) return wish;
  }
  return td::Device("cpu");
}
}  // namespace falls_back

// answer: any_of_the_kind
// expect: "cuda:1" on a machine with cpu, sim:0, sim:1, cuda:0: an error was expected
// Accepts every index if the machine has a device of the kind.
namespace any_of_the_kind {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  const td::Device wish(text);
  for (const td::Device device : devices) {
    if (device.type() == wish.type() && (!wish.is_cpu() || wish.index() <= 0))
      return wish.is_cpu() ? device : wish;
  }
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace any_of_the_kind

// answer: counts_one_too_many
// expect: "cuda:1" on a machine with cpu, sim:0, sim:1, cuda:0: an error was expected
// Compares the index with the number of devices by <=.
namespace counts_one_too_many {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  const td::Device wish(text);
  int count = 0;
  for (const td::Device device : devices) count += device.type() == wish.type();
  if (wish.is_cpu() && wish.index() <= 0) return td::Device("cpu");
  if (!wish.is_cpu() && count > 0 && wish.index() <= count) return wish;
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace counts_one_too_many

// answer: current_of_no_device
// expect: "cuda" on a machine with cpu, sim:0, sim:1: an error was expected
// The index -1 of a kind alone is smaller than every count, also than 0.
namespace current_of_no_device {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  const td::Device wish(text);
  int count = 0;
  for (const td::Device device : devices) count += device.type() == wish.type();
  if (wish.is_cpu() && wish.index() <= 0) return td::Device("cpu");
  for (const td::Device device : devices) {
    if (device == wish) return wish;
  }
  if (!wish.is_cpu() && wish.index() < count) return wish;
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace current_of_no_device

// answer: index_0
// expect: "cuda" on a machine with cpu, sim:0, sim:1, cuda:0: expected cuda, got cuda:0
// Takes a kind alone for its first device, although another one may be current.
namespace index_0 {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  const td::Device wish(text);
  for (const td::Device device : devices) {
    if (device.type() != wish.type()) continue;
    if (std::max(device.index(), 0) == std::max(wish.index(), 0)) return device;
  }
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace index_0

// answer: compares_text
// expect: "cuda" on a machine with cpu, sim:0, sim:1, cuda:0: expected cuda, but it was rejected
// Looks for the text in the list: the other spellings of a device are not there.
namespace compares_text {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  for (const td::Device device : devices) {
    if (device.str() == text) return device;
  }
  const td::Device form(text);
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace compares_text

// answer: two_cpus
// expect: "cpu:0" on a machine with cpu, sim:0, sim:1, cuda:0: expected cpu, but it was rejected
// Compares devices as they are written: the processor has two spellings.
namespace two_cpus {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  const td::Device wish(text);
  for (const td::Device device : devices) {
    if (device == wish || (device.type() == wish.type() && !wish.has_index())) return wish;
  }
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace two_cpus

// answer: one_message
// expect: the error should say "chapter 10"
// Catches the error of td::Device, and replaces its advice by a message for all mistakes.
namespace one_message {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  try {
    const td::Device wish(text);
    for (const td::Device device : devices) {
      if (device.type() != wish.type()) continue;
      if (wish.is_cpu() && wish.index() <= 0) return device;
      if (!wish.is_cpu() && (!wish.has_index() || wish == device)) return wish;
    }
  } catch (const td::DeviceError&) {
  }
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace one_message

// answer: devices_of_the_kind
// expect: "cuda:1" on a machine with cpu, sim:0, sim:1, cuda:0: the error should say "cpu"
// Names the devices of the kind only. Where there is none, the user learns nothing.
namespace devices_of_the_kind {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  const td::Device wish(text);
  std::string names;
  for (const td::Device device : devices) {
    if (device.type() != wish.type()) continue;
    if (wish.is_cpu() && wish.index() <= 0) return device;
    if (!wish.is_cpu() && (!wish.has_index() || wish == device)) return wish;
    names += ' ' + device.str();
  }
  throw td::DeviceError("there is no \"" + text + "\"; there are" + names);
}
}  // namespace devices_of_the_kind

// answer: another_error
// expect: an error of another type was thrown
// Throws the error of the standard library for an index that is out of range.
namespace another_error {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string names;
  for (const td::Device device : devices) names += ' ' + device.str();
  const td::Device wish(text);
  for (const td::Device device : devices) {
    if (device.type() != wish.type()) continue;
    if (wish.is_cpu() && wish.index() <= 0) return device;
    if (!wish.is_cpu() && (!wish.has_index() || wish == device)) return wish;
  }
  throw std::out_of_range('"' + text + "\" is not one of" + names);
}
}  // namespace another_error

// answer: compares_beginnings
// expect: "sim:1" on a machine with cpu, sim:10, cuda:12: an error was expected
// Takes sim:1 for a device of a machine with sim:10.
namespace compares_beginnings {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  const td::Device device(text == "cpu:0" ? "cpu" : text);
  std::string all;
  for (const td::Device other : devices) {
    if (other.str().rfind(device.str(), 0) == 0) return device;
    all += " " + other.str();
  }
  throw td::DeviceError('"' + text + "\" does not exist here; there are" + all);
}
}  // namespace compares_beginnings

// answer: kind_means_the_first
// expect: "sim" on a machine with cpu, sim:1, sim:2: expected sim, but it was rejected
// Takes a kind without an index for device 0, which the machine may lack.
namespace kind_means_the_first {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  const td::Device device(text == "cpu:0" ? "cpu" : text);
  std::string all;
  for (const td::Device other : devices) {
    if (other == device || (!device.has_index() && other == td::Device(device.type(), 0)))
      return device;
    all += " " + other.str();
  }
  throw td::DeviceError('"' + text + "\" does not exist here; there are" + all);
}
}  // namespace kind_means_the_first
