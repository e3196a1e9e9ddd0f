// The networks that programs of chapter 04 train. Each is a Sequential: a list of layers, called in
// order.
#pragma once

#include "td/td.h"

/// SimpleModel: one linear layer with 10 inputs.
inline td::nn::Sequential simple_model(std::int64_t outputs) {
  return td::nn::Sequential(td::nn::Linear(10, outputs));
}

/// LeNet-5 for gray images of 28 x 28 (LeCun et al., 1998, with ReLU and max pooling).
inline td::nn::Sequential lenet() {
  using namespace td::nn;
  return Sequential(Conv2d(Conv2dOptions(1, 6, 5).padding(2)), ReLU(), MaxPool2d(2),
                    Conv2d(Conv2dOptions(6, 16, 5)), ReLU(), MaxPool2d(2), Flatten(),
                    Linear(400, 120), ReLU(), Linear(120, 84), ReLU(), Linear(84, 10));
}

// anchor: cifar
/// A network for color images of 32 x 32: three convolutions, two linear layers, no ReLU.
inline td::nn::Sequential cifar_net() {
  using namespace td::nn;
  return Sequential(Conv2d(Conv2dOptions(3, 32, 5).padding(2)), MaxPool2d(2),
                    Conv2d(Conv2dOptions(32, 32, 5).padding(2)), MaxPool2d(2),
                    Conv2d(Conv2dOptions(32, 64, 5).padding(2)), MaxPool2d(2), Flatten(),
                    Linear(1024, 64), Linear(64, 10));
}
// anchor end

/// A linear classifier: what single pixels reveal about the class. A baseline for the others.
inline td::nn::Sequential linear_classifier() {
  return td::nn::Sequential(td::nn::Flatten(), td::nn::Linear(3 * 32 * 32, 10));
}
