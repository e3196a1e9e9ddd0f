// Inference compared with training: what evaluation mode, no_grad and inference mode each change in
// time, in memory and in the answers. main.cpp shows it.
// Invariant: compared runs are interleaved, and every measurement ends when the device has
// finished.
#pragma once

#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/interleaved.h"
#include "exercises.h"
#include "td/device/graph.h"

namespace inference {

/// Four convolutions with batch norm, and dropout before the linear layer.
inline td::nn::Sequential image_net() {
  using namespace td::nn;
  const auto conv = [](std::int64_t in, std::int64_t out) {
    return Sequential(Conv2d(Conv2dOptions(in, out, 3).padding(1)), BatchNorm2d(out), ReLU());
  };
  return Sequential(conv(3, 16), conv(16, 16), MaxPool2d(2), conv(16, 32), conv(32, 32),
                    MaxPool2d(2), Dropout(0.3), Flatten(), Linear(2048, 10));
}

using Work = std::function<td::Tensor()>;

/// Bytes in addition to the memory before: at the peak, and after the work.
struct Memory {
  double peak, held;
};

inline Memory memory_of(const Work& work, td::Device device) {
  td::synchronize(device);
  td::allocator(device).reset_peak();
  const std::size_t before = td::memory_stats(device).allocated;
  const td::Tensor result = work();
  td::synchronize(device);
  const td::MemoryStats after = td::memory_stats(device);
  return {static_cast<double>(after.peak_allocated - before),
          static_cast<double>(after.allocated - before)};
}

/// The work, followed by a wait for the device.
inline app::Variant waited(const Work& work, td::Device device) {
  return [=] {
    work();
    td::synchronize(device);
  };
}

inline double mib(double bytes) { return bytes / (1 << 20); }

struct Mode {
  const char* name;
  Work forward;
};

inline std::vector<Mode> modes_of(td::nn::Sequential model, const td::Tensor& x) {
  const auto training = [=]() mutable {
    model->train();
    return model->forward(x);
  };
  const auto eval = [=]() mutable {
    model->eval();
    return model->forward(x);
  };
  const auto no_grad = [=]() mutable {
    model->eval();
    const td::NoGradGuard guard;
    return model->forward(x);
  };
  const auto inference = [=]() mutable {
    const Evaluation evaluation(*model);  // eval() and InferenceMode, of the exercise
    return model->forward(x);
  };
  const auto bfloat16 = [=]() mutable {
    const Evaluation evaluation(*model);
    const td::amp::AutocastGuard autocast(x.device().type(), td::kBFloat16);
    return model->forward(x);
  };
  return {{"training mode", training},
          {"eval()", eval},
          {"eval(), no_grad", no_grad},
          {"inference mode", inference},
          {"... in bfloat16", bfloat16}};
}

/// What a mode changes, and how much its outputs differ from those of `eval`.
inline std::string effects(const Mode& mode, const Mode& eval, const td::Tensor& statistics) {
  const td::Tensor before = statistics.clone(), expected = eval.forward().detach();
  const td::Tensor result = mode.forward();
  std::ostringstream text;
  text << std::setw(10) << (result.requires_grad() ? "yes" : "no") << std::setw(12)
       << (td::equal(statistics, before) ? "stay" : "move") << std::setw(12) << std::setprecision(2)
       << (result.detach().to(td::kFloat32) - expected).abs().max().item<float>();
  return text.str();
}

/// The table of the modes, on one batch.
inline void print_modes(const td::Tensor& x, int rounds) {
  td::nn::Sequential model = image_net();
  model->to(x.device());
  for (int i = 0; i < 5; ++i) model->forward(x);  // gives batch norm running statistics
  const td::Tensor statistics = model->buffers()[0];
  const std::vector<Mode> modes = modes_of(model, x);
  std::vector<app::Variant> variants;
  for (const Mode& mode : modes) variants.push_back(waited(mode.forward, x.device()));
  const std::vector<double> seconds = app::median_seconds_interleaved(variants, rounds);
  const double training_peak = memory_of(modes[0].forward, x.device()).peak;
  std::cout << x.size(0) << " images of 3 x 32 x 32; medians of " << rounds
            << " rounds; MiB in addition to model and images\n"
            << "                      ms  of training     peak  of training     held"
               "     graph  statistics  differs by\n";
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Memory memory = memory_of(modes[i].forward, x.device());
    std::cout << std::left << std::setw(16) << modes[i].name << std::right << std::fixed
              << std::setprecision(1) << std::setw(8) << 1e3 * seconds[i] << std::setprecision(2)
              << std::setw(13) << seconds[i] / seconds[0] << std::setprecision(1) << std::setw(9)
              << mib(memory.peak) << std::setprecision(2) << std::setw(13)
              << memory.peak / training_peak << std::setprecision(1) << std::setw(9)
              << mib(memory.held) << effects(modes[i], modes[1], statistics) << std::endl;
  }
}

/// Seconds of a replay of the model's forward pass, captured in inference mode.
inline double replay_seconds(td::nn::Sequential model, const td::Tensor& x, int rounds) {
  const td::Stream stream = td::getStreamFromPool(x.device());
  td::synchronize(x.device());
  const td::StreamGuard guard(stream);  // the default stream cannot be captured
  const Evaluation evaluation(*model);
  td::Tensor scores = model->forward(x);  // creates what the first use needs
  td::Graph graph;
  graph.capture(stream, [&] { scores = model->forward(x); });
  const auto replay = [&] {
    graph.replay();
    stream.synchronize();
  };
  return app::median_seconds_interleaved({replay}, rounds)[0];
}

/// Latency and throughput.
inline void print_batch_sizes(const td::Tensor& x, int rounds) {
  td::nn::Sequential model = image_net();
  model->to(x.device());
  std::cout << "inference mode, by batch size\n"
            << "  images   ms per batch   images per second   peak MiB   ms as a graph\n";
  for (std::int64_t size = 1; size <= x.size(0); size *= 4) {
    const td::Tensor batch = x.narrow(0, 0, size);
    const Work forward = modes_of(model, batch)[3].forward;
    const double seconds =
        app::median_seconds_interleaved({waited(forward, x.device())}, rounds)[0];
    std::cout << std::setw(8) << size << std::fixed << std::setprecision(2) << std::setw(13)
              << 1e3 * seconds << std::setprecision(0) << std::setw(20)
              << static_cast<double>(size) / seconds << std::setprecision(1) << std::setw(11)
              << mib(memory_of(forward, x.device()).peak) << std::setprecision(2) << std::setw(16);
    if (x.device().is_cpu())
      std::cout << "-";
    else
      std::cout << 1e3 * replay_seconds(model, batch, rounds);
    std::cout << std::endl;
  }
}

/// Nanoseconds of one call: the median of 11 rounds of 1000 calls.
inline double nanoseconds(const Work& work) {
  constexpr int kCalls = 1000;
  const auto many = [&] {
    for (int i = 0; i < kCalls; ++i) work();
  };
  return app::median_seconds_interleaved({many}, 11)[0] * 1e9 / kCalls;
}

/// Operations so small that the cost of a graph node is visible. The host pays it, so the tensors
/// are on the host.
inline void print_bookkeeping() {
  const td::Tensor x = td::randn({1, 10}), w = td::randn({1, 10}, td::requires_grad());
  td::nn::Linear simple(10, 1);
  const std::vector<std::pair<const char*, Work>> calls = {
      {"x * w", [=] { return x * w; }},
      {"w.view({2, 5})",
       [=] {
         return w.view({2, 5});
       }},
      {"SimpleModel", [=]() mutable { return simple->forward(x); }}};
  std::cout << "nanoseconds per call on the host, one sample\n"
            << "               with graph   no_grad   inference mode\n";
  for (const auto& call : calls) {
    const Work& work = call.second;
    const double tracked = nanoseconds(work);
    const auto untracked = [&] {
      const td::NoGradGuard guard;
      return nanoseconds(work);
    };
    const auto inference = [&] {
      const td::InferenceMode guard;
      return nanoseconds(work);
    };
    std::cout << std::left << std::setw(17) << call.first << std::right << std::fixed
              << std::setprecision(0) << std::setw(8) << tracked << std::setw(10) << untracked()
              << std::setw(17) << inference() << std::endl;
  }
}

/// predict on several batches, and a loop that builds a graph for every batch.
inline void print_predict(std::int64_t batch_size, td::Device device) {
  constexpr int kBatches = 4;
  td::nn::Sequential model = image_net();
  model->to(device);
  std::vector<td::Tensor> batches;
  for (int i = 0; i < kBatches; ++i) {
    const td::Tensor batch = td::randn({batch_size, 3, 32, 32});
    batches.push_back(device.is_cpu() ? batch : batch.pin_memory());
  }
  const Work predicted = [&] { return predict(model, batches, device); };
  const Work forgets = [&] {
    model->eval();  // but without no_grad: every output keeps the saved tensors of its graph
    std::vector<td::Tensor> outputs;
    for (const td::Tensor& batch : batches) outputs.push_back(model->forward(batch.to(device)));
    return td::cat(outputs).argmax(1).cpu();
  };
  std::cout << kBatches << " batches of " << batch_size << " images: predict needs " << std::fixed
            << std::setprecision(1) << mib(memory_of(predicted, device).peak)
            << " MiB at its peak; with eval() alone and all outputs kept, the peak is "
            << mib(memory_of(forgets, device).peak) << " MiB.\nThe classes are "
            << (td::equal(predicted(), forgets()) ? "the same.\n" : "NOT the same.\n");
}

}  // namespace inference

inline void show_inference(const app::Options& options, td::Device device) {
  constexpr int kRounds = 7;
  const td::Tensor x = td::randn({options.batch_size, 3, 32, 32}).to(device);
  inference::print_modes(x, kRounds);
  inference::print_batch_sizes(x, kRounds);
  inference::print_bookkeeping();
  inference::print_predict(options.batch_size, device);
}
