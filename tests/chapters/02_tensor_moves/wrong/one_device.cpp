#include "exercises.h"

// answer: first_is_right
// expect: input on cpu, weight on sim:0: the error should report "input"; it reports "weight"
// Expects the device of the first argument: it would move the model to the cpu.
namespace first_is_right {
td::Device one_device(const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    if (found.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device expected = first->tensor.device();
    if (found != expected) throw WrongDevice(a.name, found, expected);
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace first_is_right

// answer: any_number
// expect: input on sim:0, a number on sim:1: an error was expected
// Takes a tensor without dimensions for a number on every device.
namespace any_number {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = a.tensor.dim() == 0;
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace any_number

// answer: numbers_do_not_count
// expect: a number on sim:0 and one on the cpu: these may be mixed, but an error was thrown
// Skips tensors without dimensions when it looks for the device.
namespace numbers_do_not_count {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu() && a.tensor.dim() > 0) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.dim() == 0;
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace numbers_do_not_count

// answer: empty_goes_with_all
// expect: bias of sizes [0] on cpu: an error was expected
// Skips tensors without elements: "there is nothing to move".
namespace empty_goes_with_all {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = a.tensor.numel() == 0 || (found.is_cpu() && a.tensor.dim() == 0);
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace empty_goes_with_all

// answer: one_element_is_a_number
// expect: bias of sizes [1] on cpu: an error was expected
// Takes every tensor with one element for a number.
namespace one_element_is_a_number {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.numel() == 1;
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace one_element_is_a_number

// answer: first_two_only
// expect: bias alone is on cpu: an error was expected, none was thrown
// Right on the README's example: looks at the first two arguments.
namespace first_two_only {
td::Device one_device(const std::vector<Argument>& arguments) {
  const auto is_number = [](const td::Tensor& t) { return t.is_cpu() && t.dim() == 0; };
  const Argument& a = arguments[0];
  if (arguments.size() == 1) return a.tensor.device();
  const Argument& b = arguments[1];
  const td::Device first = a.tensor.device(), second = b.tensor.device();
  if (first == second || is_number(b.tensor)) return first;
  if (is_number(a.tensor)) return second;
  if (first.is_cpu()) throw WrongDevice(a.name, first, second);
  throw WrongDevice(b.name, second, first);
}
}  // namespace first_two_only

// answer: looks_at_the_kind
// expect: input on sim:0, weight on sim:1: an error was expected, none was thrown
// Right with one device of each kind: compares the kinds and not the indices.
namespace looks_at_the_kind {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.type() == expected.type() || (found.is_cpu() && a.tensor.dim() == 0);
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace looks_at_the_kind

// answer: refuses_numbers
// expect: sim:0 and a number on the cpu: these may be mixed, but an error was thrown
// Treats a number like any tensor: x * 2 would be an error.
namespace refuses_numbers {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = false;
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace refuses_numbers

// answer: last_one
// expect: bias alone is on sim:0: the error should report "input"; it reports "weight"
// Reports the last argument on another device.
namespace last_one {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  const Argument* wrong = nullptr;
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    if (found != expected && !(found.is_cpu() && a.tensor.dim() == 0)) wrong = &a;
  }
  if (wrong) throw WrongDevice(wrong->name, wrong->tensor.device(), expected);
  return expected;
}
}  // namespace last_one

// answer: last_accelerator
// expect: input on sim:0, weight on sim:1: the error should report "weight"; it reports "input"
// Expects the device of the last argument on an accelerator.
namespace last_accelerator {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (!a.tensor.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.dim() == 0;
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace last_accelerator

// answer: exchanges_the_devices
// expect: "input" was found on cpu; the error says sim:0
// Finds the argument, and exchanges the two devices.
namespace exchanges_the_devices {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.dim() == 0;
    if (found != expected && !number) throw WrongDevice(a.name, expected, found);
  }
  return expected;
}
}  // namespace exchanges_the_devices

// answer: names_the_other
// expect: the error should report "input"; it reports "weight"
// Reports the argument that is on the right device.
namespace names_the_other {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  std::string name;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device(), name = a.name;
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.dim() == 0;
    if (found != expected && !number) throw WrongDevice(name, found, expected);
  }
  return expected;
}
}  // namespace names_the_other

// answer: plain_error
// expect: expected a WrongDevice, got td::DeviceError: "weight" is on the wrong device
// Throws an error without the facts: its user has to guess the devices.
namespace plain_error {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.dim() == 0;
    if (found != expected && !number) throw td::DeviceError("\"weight\" is on the wrong device");
  }
  return expected;
}
}  // namespace plain_error

// answer: moves_it
// expect: input on cpu, weight on sim:0: an error was expected, none was thrown
// Moves the argument instead: the program is slow, and its author does not learn why.
namespace moves_it {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.dim() == 0;
    if (found != expected && !number) a.tensor.to(expected);
  }
  return expected;
}
}  // namespace moves_it

// answer: reads_the_numbers
// expect: one_device waited for the work of sim:0
// Reads a value, "to make sure that the tensor is there".
namespace reads_the_numbers {
td::Device one_device(const std::vector<Argument>& arguments) {
  for (const auto& a : arguments)
    if (a.tensor.numel() > 0) a.tensor.reshape({-1}).narrow(0, 0, 1).to(td::kDouble).item<double>();
  td::Device expected = td::kCPU;
  for (const auto& a : arguments) {
    if (expected.is_cpu()) expected = a.tensor.device();
  }
  for (const auto& a : arguments) {
    const td::Device found = a.tensor.device();
    const bool number = found.is_cpu() && a.tensor.dim() == 0;
    if (found != expected && !number) throw WrongDevice(a.name, found, expected);
  }
  return expected;
}
}  // namespace reads_the_numbers

// answer: majority
// expect: (the first one counts, not the majority)
// Expects the accelerator that most arguments are on.
namespace majority {
td::Device one_device(const std::vector<Argument>& arguments) {
  td::Device expected = td::kCPU;
  std::ptrdiff_t most = 0;
  for (const Argument& candidate : arguments) {
    std::ptrdiff_t votes = 0;
    for (const Argument& a : arguments) votes += a.tensor.device() == candidate.tensor.device();
    if (candidate.tensor.is_cpu() || votes <= most) continue;
    most = votes;
    expected = candidate.tensor.device();
  }
  for (const Argument& a : arguments) {
    const bool number = a.tensor.is_cpu() && a.tensor.dim() == 0;
    if (!number && a.tensor.device() != expected)
      throw WrongDevice(a.name, a.tensor.device(), expected);
  }
  return expected;
}
}  // namespace majority
