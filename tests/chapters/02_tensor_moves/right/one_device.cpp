#include "exercises.h"

#include <algorithm>

// answer: other_words
// Two passes, and another text of the message.
namespace other_words {
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const auto plain = [](const Argument& a) { return a.tensor.dim() == 0 && a.tensor.is_cpu(); };
  auto base = std::find_if_not(arguments.begin(), arguments.end(), plain);
  if (base == arguments.end()) return td::kCPU;
  const auto other = std::find_if(base, arguments.end(), [&](const Argument& a) {
    return !plain(a) && !(a.tensor.device() == base->tensor.device());
  });
  if (other == arguments.end()) return base->tensor.device();
  const bool base_moves = base->tensor.is_cpu();
  const Argument& from = base_moves ? *base : *other;
  const Argument& to = base_moves ? *other : *base;
  throw td::DeviceError("In " + operation + " the devices differ: use " + from.name + ".to(\"" +
                        to.tensor.device().str() + "\"), because \"" + from.name + "\" is on " +
                        from.tensor.device().str() + " and \"" + to.name + "\" is on " +
                        to.tensor.device().str());
}
}  // namespace other_words
