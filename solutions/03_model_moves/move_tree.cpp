// move_tree: exercise 3.move_tree, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void move_tree(td::nn::Module& model, td::Device device) {
  // blank: For each parameter: set_data with the moved values, then the gradient. About 7 lines.
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) {
    parameter.set_data(parameter.to(device));
    td::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
  // end
}
