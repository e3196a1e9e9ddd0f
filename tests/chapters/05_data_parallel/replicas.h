// What the tests of chapter 05 share: lists of devices, and a model whose gradients are known.
#pragma once

#include "check_tensors.h"
#include "exercises.h"

/// Two and three devices, with and without an accelerator.
inline std::vector<std::vector<td::Device>> device_lists() {
  return {{"sim:0", "sim:1"}, {"cpu", "cpu", "cpu"}, {"sim:1", "sim:0", "sim:1"}};
}

inline std::string named(const std::vector<td::Device>& devices) {
  std::string text;
  for (const td::Device& device : devices) text += (text.empty() ? "" : ", ") + device.str();
  return "{" + text + "}";
}

/// 0, 1, 2, ... in rows of `columns`.
inline td::Tensor counted(std::int64_t rows, std::int64_t columns, td::Device device = td::kCPU) {
  return td::arange(rows * columns).to(td::kFloat32).reshape({rows, columns}).to(device);
}

/// A linear layer and batch norm, on a device: parameters and buffers.
inline td::nn::Sequential make_model(td::Device device) {
  td::manual_seed(3);
  td::nn::Sequential model(td::nn::Linear(3, 2), td::nn::BatchNorm1d(2));
  model->to(device);
  return model;
}
