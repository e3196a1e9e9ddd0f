// Models that the tests of chapter 03 move about.
#pragma once

#include "check_tensors.h"
#include "exercises.h"

/// Two levels, parameters and buffers: body is a Linear and a BatchNorm1d, head a Linear.
struct NetImpl : td::nn::Module {
  NetImpl() {
    body =
        register_module("body", td::nn::Sequential(td::nn::Linear(7, 31), td::nn::BatchNorm1d(31)));
    head = register_module("head", td::nn::Linear(31, 3));
  }
  td::Tensor forward(const td::Tensor& x) { return head(body->forward(x)); }
  td::nn::Sequential body{nullptr};
  td::nn::Linear head{nullptr};
};

inline std::shared_ptr<NetImpl> make_net() {
  td::manual_seed(3);
  return std::make_shared<NetImpl>();
}

/// The values of many tensors, one list a tensor.
inline std::vector<std::vector<double>> all_values(const std::vector<td::Tensor>& tensors) {
  std::vector<std::vector<double>> all;
  for (const td::Tensor& tensor : tensors) all.push_back(check::values(tensor));
  return all;
}

inline std::string name_of(std::size_t i) { return "tensor " + std::to_string(i); }
