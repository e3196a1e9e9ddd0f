// Chapter 05, DataParallel: one line gives a model all devices, and the training loop stays the
// same.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

namespace nn = td::nn;

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Trains one model on all devices of a kind.");
  td::manual_seed(1);

  nn::Sequential network(nn::Linear(10, 1));
  nn::AnyModule model = network;  // can also hold a DataParallel
  std::vector<td::Device> devices;
  for (int i = 0; i < td::device_count(device.type()); ++i) devices.emplace_back(device.type(), i);
  if (devices.size() > 1) {
    std::cout << "Using " << devices.size() << ' ' << device.type() << " devices!\n";
    model = nn::DataParallel(network, devices);
  }
  model.ptr()->to(device);
  std::cout << *model.ptr() << '\n';

  nn::MSELoss criterion;
  td::optim::SGD optimizer(model.ptr()->parameters(), td::optim::SGDOptions(0.05));
  const td::Tensor inputs = td::randn({30, 10}).to(device);
  const td::Tensor targets = inputs.sum(1, /*keepdim=*/true);
  for (int epoch = 1; epoch <= 5; ++epoch) {
    optimizer.zero_grad();
    const td::Tensor outputs = model.forward(inputs);  // each device computes a part of the rows
    const td::Tensor loss = criterion(outputs, targets);
    loss.backward();  // each device computes its part of the gradients; device 0 adds them
    optimizer.step();
    std::cout << "Epoch " << epoch << ", " << outputs.size(0) << " outputs on " << outputs.device()
              << ", Loss: " << loss.item<float>() << '\n';
  }
}
