// Chapter 03's exercises, as their solutions are in the course, compiled with libtorch as well.
// move_buffers and tied_state are not here: they hand a dtype() on as a ScalarType, and libtorch's
// is another class. follow throws the course's own kind of error. The program itself uses
// app/app.h.
#include "conformance.h"

// After libtorch or td, both of which include the headers that this file needs.
#include "../../solutions/03_model_moves/devices_of.cpp"
#include "../../solutions/03_model_moves/move_tree.cpp"

using namespace conformance;
namespace nn = torch::nn;

namespace {

struct SimpleModelImpl : nn::Module {
  SimpleModelImpl() { fc = register_module("fc", nn::Linear(10, 1)); }
  Tensor forward(const Tensor& x) { return fc(x); }
  nn::Linear fc{nullptr};
};
TORCH_MODULE(SimpleModel);

void places() {
  SimpleModel model;
  REPORT(devices_of(*model).size());
  REPORT(devices_of(*model)[0].str());
  REPORT(devices_of(*nn::ReLU()).size());
  const nn::Sequential deep(nn::Linear(10, 5), nn::BatchNorm1d(5));
  REPORT(devices_of(*deep).size());
}

void moves() {
  SimpleModel model;
  set_weights(*model);
  const Tensor input = formula({4, 10});
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  for (int step = 0; step < 4; ++step) {
    if (step == 2) move_tree(*model, torch::Device("cpu"));
    optimizer.zero_grad();
    model(input).pow(2).mean().backward();
    optimizer.step();
    REPORT(model->fc->weight);
    REPORT(model->fc->weight.grad());
    REPORT(model->fc->weight.is_leaf());
  }
  REPORT_THROWS(move_tree(*model, torch::Device("cuda:0")));
  model->to(torch::kFloat64);
  set_weights(*model);
  REPORT(model(input.to(torch::kFloat64)));
  REPORT_THROWS(model(input));
}

}  // namespace

int main() {
  places();
  moves();
  return 0;
}
