// Small modules and helpers that the tests of nn share.
#pragma once

#include "../tensor/values.h"
#include "td/nn/nn.h"

struct TwoLayersImpl : td::nn::Cloneable<TwoLayersImpl> {
  TwoLayersImpl() { reset(); }
  void reset() override {
    first = register_module("first", td::nn::Linear(3, 4));
    norm = register_module("norm", td::nn::BatchNorm1d(4));
    last = register_module("last", td::nn::Linear(td::nn::LinearOptions(4, 2).bias(false)));
    scale = register_parameter("scale", td::ones({1}));
    steps = register_buffer("steps", td::zeros({}, td::kLong));
  }
  td::Tensor forward(const td::Tensor& x) { return last(norm(first(x)).relu()) * scale; }

  td::nn::Linear first{nullptr}, last{nullptr};
  td::nn::BatchNorm1d norm{nullptr};
  td::Tensor scale, steps;
};
TD_MODULE(TwoLayers);

template <class Module>
std::string printed(const Module& module) {
  std::ostringstream text;
  text << module;
  return text.str();
}

/// Fills a tensor with start, start + step, ...: weights that need no random numbers.
inline td::Tensor ramp(td::Tensor tensor, double start, double step) {
  td::Tensor host = td::empty(tensor.sizes());
  for (std::int64_t i = 0; i < host.numel(); ++i)
    host.data_ptr<float>()[i] = static_cast<float>(start + step * static_cast<double>(i));
  td::NoGradGuard no_grad;
  tensor.copy_(host);
  return tensor;
}
