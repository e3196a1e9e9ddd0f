#include "exercises.h"

#include <sstream>

// answer: own_message
// Skips what is in place itself, and has another message.
namespace own_message {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (parameters.size() != momentum.size()) {
    std::ostringstream text;
    text << parameters.size() << " parameters need as many tensors, not " << momentum.size();
    throw td::ShapeError(text.str());
  }
  auto parameter = parameters.begin();
  for (td::Tensor& tensor : momentum) {
    const td::Device target = (parameter++)->device();
    if (!tensor.defined() || tensor.device() == target) continue;
    td::Tensor moved = td::empty(tensor.sizes(), td::TensorOptions(tensor.dtype()).device(target));
    moved.copy_(tensor);
    tensor = moved;
  }
}
}  // namespace own_message
