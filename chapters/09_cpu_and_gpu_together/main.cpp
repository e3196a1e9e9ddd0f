// Chapter 09, CPU and GPU together: the CPU prepares the batches for a device, and a model is split
// over both.
#include <iostream>

#include "app/app.h"
#include "td/td.h"

namespace nn = td::nn;
namespace data = td::data;

// Stands for work on the CPU, such as decoding and cropping images.
td::Tensor preprocess_data(const td::Tensor& data) { return data * 2; }

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "The CPU and a device train together.");
  td::manual_seed(1);
  const td::Tensor examples = td::randn({128, 10});
  const td::Tensor classes = examples.sum(1).gt(0).to(td::kInt64);  // is the sum positive?
  data::TensorDataset dataset(examples, classes);
  const auto dataloader = data::make_data_loader(dataset.map(data::transforms::Stack<>()), 32);
  nn::CrossEntropyLoss criterion;

  std::cout << "The CPU prepares, and " << device << " computes:\n";
  nn::Sequential model(nn::Linear(10, 64), nn::ReLU(), nn::Linear(64, 2));
  model->to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.5));
  for (const auto& batch : *dataloader) {
    const td::Tensor processed = preprocess_data(batch.data);  // on the CPU
    const td::Tensor inputs = processed.to(device);
    const td::Tensor labels = batch.target.to(device);
    optimizer.zero_grad();
    const td::Tensor loss = criterion(model->forward(inputs), labels);  // on the device
    loss.backward();
    optimizer.step();
    std::cout << "prepared on " << processed.device() << ", trained on " << inputs.device()
              << ", Loss: " << loss.item<float>() << '\n';
  }

  std::cout << "A model whose first part is on the CPU and whose second part is on " << device
            << ":\n";
  nn::Sequential first(nn::Linear(10, 64), nn::ReLU()), second(nn::Linear(64, 2));
  second->to(device);
  td::TensorList parameters = first->parameters();
  for (const td::Tensor& parameter : second->parameters()) parameters.push_back(parameter);
  td::optim::SGD split_optimizer(parameters, td::optim::SGDOptions(0.5));
  for (const auto& batch : *dataloader) {
    split_optimizer.zero_grad();
    const td::Tensor hidden = first->forward(preprocess_data(batch.data));  // on the CPU
    const td::Tensor outputs = second->forward(hidden.to(device));          // on the device
    const td::Tensor loss = criterion(outputs, batch.target.to(device));
    loss.backward();  // the gradient of `hidden` is copied back to the CPU
    split_optimizer.step();
    std::cout << "hidden on " << hidden.device() << ", outputs on " << outputs.device()
              << ", Loss: " << loss.item<float>() << '\n';
  }
}
