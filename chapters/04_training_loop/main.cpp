// Chapter 04, training loop: a network for small color images learns on one device.
#include <iostream>

#include "app/images.h"
#include "td/td.h"

namespace nn = td::nn;
namespace data = td::data;
using data::datasets::CIFAR10;

// Three convolutions, each with pooling, and two linear layers.
nn::Sequential cifar_net() {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 32, 5).padding(2)), nn::MaxPool2d(2),
                        nn::Conv2d(nn::Conv2dOptions(32, 32, 5).padding(2)), nn::MaxPool2d(2),
                        nn::Conv2d(nn::Conv2dOptions(32, 64, 5).padding(2)), nn::MaxPool2d(2),
                        nn::Flatten(), nn::Linear(1024, 64), nn::Linear(64, 10));
}

// Batches of 64 images, in pinned memory where the device copies them.
auto batches(CIFAR10::Mode mode, td::Device device) {
  return data::make_data_loader(
      CIFAR10(app::image_folder(app::Images::kColor), mode)
          .map(data::transforms::Normalize<>(0.5, 0.25))
          .map(data::transforms::Stack<>()),
      data::DataLoaderOptions(64).workers(1).pin_memory(!device.is_cpu()));
}

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Trains a network for images on one device.");
  td::manual_seed(1);
  const auto train_batches = batches(CIFAR10::Mode::kTrain, device);
  const auto test_batches = batches(CIFAR10::Mode::kTest, device);

  nn::Sequential model = cifar_net();
  nn::CrossEntropyLoss loss_fn;
  model->to(device);
  loss_fn->to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01).momentum(0.9));

  for (int epoch = 1; epoch <= 5; ++epoch) {
    model->train();
    td::Tensor total = td::zeros({}, device);  // on the device, so that no step waits for it
    int steps = 0;
    for (const auto& batch : *train_batches) {
      const td::Tensor images = batch.data.to(device, /*non_blocking=*/true);
      const td::Tensor targets = batch.target.to(device, /*non_blocking=*/true);
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(model->forward(images), targets);
      loss.backward();
      optimizer.step();
      total += loss.detach();
      ++steps;
    }

    model->eval();
    const td::NoGradGuard no_grad;
    td::Tensor right = td::zeros({}, td::TensorOptions(device).dtype(td::kInt64));
    std::int64_t samples = 0;
    for (const auto& batch : *test_batches) {
      const td::Tensor classes = model->forward(batch.data.to(device)).argmax(1);
      right += classes.eq(batch.target.to(device)).sum();
      samples += batch.data.size(0);
    }
    std::cout << "Epoch " << epoch << ", Loss: " << total.item<float>() / static_cast<float>(steps)
              << ", test accuracy: " << 100 * right.item<std::int64_t>() / samples << " %"
              << std::endl;
  }
}
