// The smallest training program: one linear layer, on random data that is made once.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Trains one linear layer on random data.");
  td::manual_seed(1);

  td::nn::Sequential model(td::nn::Linear(10, 1));
  model->to(device);
  td::nn::MSELoss criterion;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));
  const td::Tensor inputs = td::randn({100, 10}).to(device);
  const td::Tensor targets = td::randn({100, 1}).to(device);

  for (int epoch = 1; epoch <= 10; ++epoch) {
    optimizer.zero_grad();
    const td::Tensor outputs = model->forward(inputs);
    const td::Tensor loss = criterion(outputs, targets);
    loss.backward();
    optimizer.step();
    std::cout << "Epoch " << epoch << ", Loss: " << loss.item<float>() << '\n';
  }
}
