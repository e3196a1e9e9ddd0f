#include "exercises.h"

#include <algorithm>

// answer: with_algorithms
// Searches twice, without a loop of its own.
namespace with_algorithms {
td::Device one_device(const std::vector<Argument>& arguments) {
  const auto on_accelerator = [](const Argument& a) { return !a.tensor.is_cpu(); };
  const auto model = std::find_if(arguments.begin(), arguments.end(), on_accelerator);
  if (model == arguments.end()) return td::kCPU;
  const td::Device device = model->tensor.device();
  const auto wrong = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) {
    return a.tensor.is_cpu() ? a.tensor.dim() > 0 : a.tensor.device() != device;
  });
  if (wrong == arguments.end()) return device;
  throw WrongDevice(wrong->name, wrong->tensor.device(), device);
}
}  // namespace with_algorithms

// answer: one_pass
// One pass: remembers the first tensor on the cpu, in case an accelerator comes later.
namespace one_pass {
td::Device one_device(const std::vector<Argument>& arguments) {
  const Argument *on_cpu = nullptr, *leader = nullptr;
  for (const auto& a : arguments) {
    const td::Device here = a.tensor.device();
    if (here.is_cpu()) {
      if (a.tensor.dim() == 0) continue;
      if (leader) throw WrongDevice(a.name, here, leader->tensor.device());
      if (!on_cpu) on_cpu = &a;
    } else {
      if (on_cpu) throw WrongDevice(on_cpu->name, td::kCPU, here);
      if (!leader) leader = &a;
      if (here != leader->tensor.device()) throw WrongDevice(a.name, here, leader->tensor.device());
    }
  }
  return leader ? leader->tensor.device() : td::Device(td::kCPU);
}
}  // namespace one_pass
