// expect: tensor 0: expected on
// Only the module's own parameters; those of its children stay.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters(/*recurse=*/false))
    parameter.set_data(parameter.to(device));
}
