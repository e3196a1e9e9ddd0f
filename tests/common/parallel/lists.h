// What the tests of parallel/ share: lists of devices, and modules with a closed form.
#pragma once

#include "../td/nn/nets.h"
#include "parallel/data_parallel.h"
#include "sim/sim.h"

/// The tests with three sims need them; nothing of sim may be in use before.
inline const bool kThreeSims = (td::sim::set_devices(3), true);

/// 0, 1, 2, ... in `n` rows of two.
inline td::Tensor rows(std::int64_t n, td::Device device) {
  return ramp(td::empty({n, 2}), 0, 1).to(device);
}

/// Lists of two devices, and one of three: the cpu twice, two sims, GPUs where there are any.
inline std::vector<std::vector<td::Device>> device_lists() {
  std::vector<std::vector<td::Device>> all{
      {"cpu", "cpu"}, {"sim:0", "sim:1"}, {"cpu", "cpu", "cpu"}, {"sim:0", "sim:1", "sim:2"}};
  const int gpus = td::device_count(td::kCUDA);
  if (gpus > 0) all.push_back({"cuda:0", td::Device(td::kCUDA, gpus > 1 ? 1 : 0)});
  return all;
}

inline std::string named(const std::vector<td::Device>& devices) {
  std::string text;
  for (const td::Device& device : devices) text += device.str() + " ";
  return text;
}

/// Counts its calls in a buffer and multiplies by a weight; y = x * weight + count.
struct CounterImpl : td::nn::Cloneable<CounterImpl> {
  CounterImpl() { reset(); }
  void reset() override {
    weight = register_parameter("weight", td::ones({2}));
    count = register_buffer("count", td::zeros({}));
  }
  td::Tensor forward(const td::Tensor& x) {
    count += 1;
    ++calls;
    return x * weight;
  }
  td::Tensor weight, count;
  int calls = 0;
};
TD_MODULE(Counter);
