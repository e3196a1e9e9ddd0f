#include "exercises.h"

// answer: any_number
// expect: input on cpu, a number on sim:0: an error was expected
// Takes a tensor without dimensions for a number on every device.
namespace any_number {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace any_number

// answer: empty_goes_with_all
// expect: bias of sizes [0] on cpu: an error was expected
// Skips tensors without elements: "there is nothing to move".
namespace empty_goes_with_all {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.numel() == 0 || (a.tensor.is_cpu() && a.tensor.dim() == 0)) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace empty_goes_with_all

// answer: first_two_only
// expect: bias alone is on cpu: an error was expected, none was thrown
// Right on the README's example: looks at the first two arguments.
namespace first_two_only {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const auto is_number = [](const td::Tensor& t) { return t.is_cpu() && t.dim() == 0; };
  if (arguments.size() == 1 || is_number(arguments[1].tensor)) return arguments[0].tensor.device();
  const Argument &a = arguments[0], &b = arguments[1];
  if (is_number(a.tensor)) return b.tensor.device();
  const td::Device first = a.tensor.device(), second = b.tensor.device();
  if (first == second) return first;
  throw td::DeviceError(operation + ": \"" + b.name + "\" is on " + second.str() + " but \"" +
                        a.name + "\" is on " + first.str() + ". Move one with " +
                        (first.is_cpu() ? a.name + ".to(\"" + second.str() + "\")"
                                        : b.name + ".to(\"" + first.str() + "\")"));
}
}  // namespace first_two_only

// answer: looks_at_the_kind
// expect: input on sim:0, weight on sim:1: an error was expected, none was thrown
// Right with one device of each kind: compares the kinds and not the indices.
namespace looks_at_the_kind {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here.type() == there.type()) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")"));
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace looks_at_the_kind

// answer: moves_the_later_one
// expect: input on cpu, weight on sim:0: the error should say "input.to("sim:0")"
// Suggests the later argument, also towards the cpu.
namespace moves_the_later_one {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " + a.name +
                          ".to(\"" + there.str() + "\")" + ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace moves_the_later_one

// answer: names_the_first
// expect: beta is a number, mat1 is on cpu
// Compares with the first argument, but names it even if it is a number.
namespace names_the_first {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          arguments[0].name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? arguments[0].name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace names_the_first

// answer: one_element_is_a_number
// expect: input on sim:0, bias of sizes [1] on cpu: an error was expected
// Takes every tensor with one element for a number.
namespace one_element_is_a_number {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.numel() == 1) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace one_element_is_a_number

// answer: reads_the_numbers
// expect: one_device waited for the work of sim:0
// Reads a value, "to make sure that the tensor is there".
namespace reads_the_numbers {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  for (const auto& a : arguments)
    if (a.tensor.numel() > 0) a.tensor.reshape({-1}).narrow(0, 0, 1).to(td::kDouble).item<double>();
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace reads_the_numbers

// answer: refuses_numbers
// expect: sim:0 and a number on the cpu: these may be mixed, but an error was thrown
// Treats a number like any tensor: x * 2 would be an error.
namespace refuses_numbers {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument& first = arguments[0];
  const td::Device there = first.tensor.device();
  for (const auto& a : arguments) {
    const td::Device here = a.tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first.name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first.name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")"));
  }
  return there;
}
}  // namespace refuses_numbers

// answer: suggests_both
// expect: the message should suggest one call
// Suggests both calls, also the one that moves a tensor away from the accelerator.
namespace suggests_both {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& argument : arguments) {
    const td::Device here = argument.tensor.device();
    if (here.is_cpu() && argument.tensor.dim() == 0) continue;
    if (!first) first = &argument;
    const td::Device there = first->tensor.device();
    if (here == there) continue;
    const std::string call = first->name + ".to(\"" + here.str() + "\") or " + argument.name +
                             ".to(\"" + there.str() + "\")";
    throw td::DeviceError(operation + ": \"" + argument.name + "\" is on " + here.str() +
                          " but \"" + first->name + "\" is on " + there.str() + ". Move one with " +
                          call + ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace suggests_both

// answer: swaps_the_devices
// expect: the message should say where the argument is
// Finds the error, and exchanges the two devices in the message.
namespace swaps_the_devices {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + there.str() + " but \"" +
                          first->name + "\" is on " + here.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace swaps_the_devices

// answer: words_of_old
// expect: the error should say "linear"; it says: Expected object of type
// PyTorch's message before version 1.5: correct, but it names a type instead of a device.
namespace words_of_old {
td::Device one_device(const std::string&, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    if (a.tensor.device() == first->tensor.device()) continue;
    throw td::DeviceError(
        "Expected object of type torch.cuda.FloatTensor but found type torch.FloatTensor for "
        "argument #3 'other'");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace words_of_old

// answer: only_numbers_is_cpu
// expect: a number on sim:0 and one on the cpu: expected sim:0, got cpu
// Compares rightly, but takes arguments without dimensions for "all numbers".
namespace only_numbers_is_cpu {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  bool numbers = true;
  for (const auto& argument : arguments) {
    const td::Device here = argument.tensor.device();
    numbers = numbers && argument.tensor.dim() == 0;
    if (here.is_cpu() && argument.tensor.dim() == 0) continue;
    if (!first) first = &argument;
    const td::Device there = first->tensor.device();
    if (here == there) continue;
    const std::string call = there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                            : argument.name + ".to(\"" + there.str() + "\")";
    throw td::DeviceError(operation + ": \"" + argument.name + "\" is on " + here.str() +
                          " but \"" + first->name + "\" is on " + there.str() + ". Move one with " +
                          call + ".");
  }
  return numbers ? td::Device(td::kCPU) : first->tensor.device();
}
}  // namespace only_numbers_is_cpu

// answer: always_linear
// expect: the operation addmm with input on cpu and mat1 on sim:0: the error should say "addmm"
// Writes the name of the example into the message.
namespace always_linear {
td::Device one_device(const std::string&, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& argument : arguments) {
    const td::Device here = argument.tensor.device();
    if (here.is_cpu() && argument.tensor.dim() == 0) continue;
    if (!first) first = &argument;
    const td::Device there = first->tensor.device();
    if (here == there) continue;
    const std::string call = there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                            : argument.name + ".to(\"" + there.str() + "\")";
    throw td::DeviceError("linear: \"" + argument.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " + call);
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}
}  // namespace always_linear
