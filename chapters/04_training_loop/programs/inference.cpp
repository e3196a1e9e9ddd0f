// Inference compared with training: what evaluation mode, no_grad and inference mode each change in
// time, in memory and in the answers. Compared runs are interleaved. Evaluation and predict are the
// exercise `inference`; with --mine they are yours.
#include "inference.h"

#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "app/app.h"
#include "exercises.h"

namespace inference {
namespace {

struct Mode {
  const char* name;
  Work forward;
};

std::vector<Mode> modes_of(td::nn::Sequential model, const td::Tensor& x) {
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
std::string effects(const Mode& mode, const Mode& eval, const td::Tensor& statistics) {
  const td::Tensor before = statistics.clone(), expected = eval.forward().detach();
  const td::Tensor result = mode.forward();
  std::ostringstream text;
  text << std::setw(10) << (result.requires_grad() ? "yes" : "no") << std::setw(12)
       << (td::equal(statistics, before) ? "stay" : "move") << std::setw(12) << std::setprecision(2)
       << (result.detach().to(td::kFloat32) - expected).abs().max().item<float>();
  return text.str();
}

/// The table of the modes, on one batch.
void print_modes(const td::Tensor& x, int rounds) {
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

/// predict on several batches, and a loop that builds a graph for every batch.
void print_predict(std::int64_t batch_size, td::Device device) {
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

}  // namespace
}  // namespace inference

int main(int argc, char** argv) {
  app::Command command("ch04-inference", "Compares the modes in which a model can run.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 64;
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    inference::print_modes(td::randn({options.batch_size, 3, 32, 32}).to(device), 7);
    inference::print_predict(options.batch_size, device);
  });
}
