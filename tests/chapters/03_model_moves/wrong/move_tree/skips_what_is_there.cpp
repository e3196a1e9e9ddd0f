// expect: whose parameter was on sim:0 already
// Goes on to the next parameter when one is on the device, and forgets that its gradient may not
// be.
#include "exercises.h"

void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) {
    if (parameter.device() == td::check_device(device)) continue;
    parameter.set_data(parameter.to(device));
    td::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
