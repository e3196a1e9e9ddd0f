// One step of training, seen from outside: 5 samples with 10 numbers each, and 10 outputs.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Makes one step of training, and prints it.");
  td::manual_seed(1);

  td::nn::Linear model(10, 10);
  model->to(device);
  td::nn::MSELoss criterion;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));
  const td::Tensor inputs = td::randn({5, 10}).to(device);
  const td::Tensor targets = td::randn({5, 10}).to(device);

  const td::Tensor outputs = model(inputs);
  std::cout << "inputs " << inputs.sizes() << ", outputs " << outputs.sizes() << " on "
            << outputs.device() << '\n';
  const td::Tensor loss = criterion(outputs, targets);
  std::cout << "Loss: " << loss.item<float>() << '\n';
  loss.backward();
  std::cout << "gradient of the weight " << model->weight.grad().sizes() << " on "
            << model->weight.grad().device() << '\n';
  optimizer.step();
  std::cout << "Loss after the step: " << criterion(model(inputs), targets).item<float>() << '\n';
}
