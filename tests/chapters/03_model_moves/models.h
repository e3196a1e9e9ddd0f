// Models that the tests of chapter 03 move, and a count of the bytes that a move copies.
#pragma once

#include "check_tensors.h"
#include "exercises.h"
#include "trace/trace.h"

/// Two levels, parameters and buffers: body is a Linear and a BatchNorm1d, head a Linear.
struct NetImpl : td::nn::Module {
  NetImpl() {
    body =
        register_module("body", td::nn::Sequential(td::nn::Linear(7, 31), td::nn::BatchNorm1d(31)));
    head = register_module("head", td::nn::Linear(31, 3));
  }
  td::Tensor forward(const td::Tensor& x) { return head(body->forward(x)); }
  /// For a head in float64.
  td::Tensor forward_to_double(const td::Tensor& x) {
    return head(body->forward(x).to(td::kFloat64));
  }
  td::nn::Sequential body{nullptr};
  td::nn::Linear head{nullptr};
};

inline std::shared_ptr<NetImpl> make_net() {
  td::manual_seed(3);
  return std::make_shared<NetImpl>();
}

/// Returns the values of many tensors, one list per tensor.
inline std::vector<std::vector<double>> all_values(const std::vector<td::Tensor>& tensors) {
  std::vector<std::vector<double>> all;
  for (const td::Tensor& tensor : tensors) all.push_back(check::values(tensor));
  return all;
}

/// Returns the memory addresses of many tensors.
inline std::vector<const void*> addresses(const std::vector<td::Tensor>& tensors) {
  std::vector<const void*> all;
  for (const td::Tensor& tensor : tensors) all.push_back(tensor.data_ptr());
  return all;
}

/// Returns how many bytes `work` copies over the links of sim devices.
template <class Work>
std::uint64_t copied_bytes(Work&& work) {
  td::synchronize("sim:0");
  td::trace::start();
  work();
  std::uint64_t bytes = 0;
  for (const auto& span : td::trace::stop().spans)
    if (span.category == td::trace::Category::kCopy) bytes += span.bytes;
  return bytes;
}

inline std::string name_of(std::size_t i) { return "tensor " + std::to_string(i); }
