// What the tests of chapter 05 share: lists of devices, a model whose gradients are known, and a
// count of what a function copies and how often it makes the host wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "check_tensors.h"
#include "exercises.h"
#include "lanes.h"
#include "trace/trace.h"

/// Two and three devices, with and without an accelerator. With GPUs the lists use them: two of
/// them, or the only one together with sim:0 and with itself.
inline std::vector<std::vector<td::Device>> device_lists() {
  std::vector<std::vector<td::Device>> lists = {
      {"sim:0", "sim:1"}, {"cpu", "cpu", "cpu"}, {"sim:1", "sim:0", "sim:1"}};
  const int gpus = td::device_count(td::kCUDA);
  if (gpus > 1) lists.push_back({"cuda:0", "cuda:1"});
  if (gpus == 1) lists.push_back({"cuda:0", "sim:0"});
  if (gpus == 1) lists.push_back({"cuda:0", "cuda:0"});
  return lists;
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

/// What a function copies on sim devices, and how often it makes the host wait.
struct Traffic {
  std::uint64_t bytes = 0;
  std::ptrdiff_t waits = 0;
};

template <class Work>
Traffic traffic_of(Work&& work) {
  for (const char* device : {"sim:0", "sim:1"}) td::synchronize(device);
  td::trace::start();
  work();
  const td::trace::Trace trace = td::trace::stop();
  Traffic traffic;
  for (const auto& span : trace.spans) {
    if (span.category == td::trace::Category::kCopy) traffic.bytes += span.bytes;
    traffic.waits += span.category == td::trace::Category::kWait &&
                     trace.tracks[span.track].kind == td::trace::TrackKind::kThread;
  }
  return traffic;
}

/// Fails if the host waited, or if more than `bytes` bytes were copied.
inline void expect_traffic(const Traffic& traffic, std::uint64_t bytes, const std::string& what) {
  check::expect(traffic.bytes <= bytes, what + ": " + std::to_string(traffic.bytes) +
                                            " bytes were copied between devices; " +
                                            std::to_string(bytes) + " are enough");
  check::expect(traffic.waits == 0, what + ": the host waited " + std::to_string(traffic.waits) +
                                        " times; all tensors are on accelerators, so a copy from "
                                        "device to device needs no wait");
}

/// Replicas wait here for each other, but not forever.
class Barrier {
 public:
  explicit Barrier(int members) : missing_(members) {}
  bool all_came() {
    std::unique_lock lock(mutex_);
    --missing_;
    changed_.notify_all();
    if (expired_) return false;  // one replica has waited long enough
    const bool came =
        changed_.wait_for(lock, std::chrono::milliseconds(1500), [&] { return missing_ <= 0; });
    expired_ = !came;
    return came;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int missing_;
  bool expired_ = false;
};
