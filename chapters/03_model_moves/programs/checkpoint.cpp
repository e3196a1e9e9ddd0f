// Training that begins on the cpu and continues from a checkpoint on another device. Saving and
// resuming are the exercise `checkpoint`; with --mine it is yours.
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

// The same weights on every machine, so that the losses are those of checkpoint.py.
td::nn::Sequential fixed_model() {
  td::nn::Linear layer(10, 1);
  td::nn::init::constant_(layer->weight, 0.1);
  td::nn::init::constant_(layer->bias, 0.2);
  return td::nn::Sequential(layer);
}

double train_a_step(td::nn::Sequential& model, std::vector<td::Tensor>& momentum) {
  const td::Device device = model->parameters()[0].device();
  model->zero_grad(/*set_to_none=*/true);
  const td::Tensor x = td::arange(40).reshape({4, 10}).to(device) / 40;
  const td::Tensor loss = (model->forward(x) - 1).square().mean();
  loss.backward();
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < momentum.size(); ++i) {
    td::Tensor p = model->parameters()[i];
    momentum[i] = momentum[i].defined() ? momentum[i] * 0.9 + p.grad() : p.grad().clone();
    p.sub_(momentum[i] * 0.05);
  }
  return loss.item<double>();
}

void continue_elsewhere(td::Device device) {
  td::nn::Sequential model = fixed_model(), other(td::nn::Linear(10, 1));
  std::vector<td::Tensor> momentum(2);
  for (int step = 1; step <= 3; ++step)
    std::cout << "step " << step << " on cpu: loss " << train_a_step(model, momentum) << '\n';
  momentum = resume(*other, save_checkpoint(*model, momentum), device);
  for (int step = 4; step <= 6; ++step)
    std::cout << "step " << step << " on " << device << ": loss " << train_a_step(other, momentum)
              << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch03-checkpoint", "Continues training from a checkpoint, elsewhere.");
  command.takes({"seed"});
  return command.run(argc, argv, [](const app::Options& options) {
    td::manual_seed(options.seed);
    continue_elsewhere(app::choose_device(options));
  });
}
