// One model over the host and a device, then over two devices: its losses, and how much faster
// micro-batches make a step.
#include <algorithm>
#include <cmath>
#include <deque>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "split_training.h"

namespace split {
namespace {

/// Returns how many layers to put on the first device so that both devices take equally long.
std::int64_t balance(td::Device first, td::Device second, std::int64_t rows) {
  const auto layer = [rows](td::Device device) -> app::Variant {
    td::nn::Linear linear(kWidth, kWidth);
    linear->to(device);
    const td::Tensor x = td::randn({rows, kWidth}).to(device).requires_grad_();
    return [linear, x, device]() mutable {
      linear->forward(x).relu().sum().backward();
      td::synchronize(device);
    };
  };
  const std::vector<double> seconds =
      app::median_seconds_interleaved({layer(first), layer(second)}, 5);
  const double share = seconds[1] / (seconds[0] + seconds[1]);
  return std::clamp<std::int64_t>(std::llround(share * kLayers), 1, kLayers - 1);
}

/// Losses of the plain model and of its splits. @throws Error when they differ.
void print_losses(std::deque<Training>& trainings) {
  constexpr int kSteps = 5;
  double plain = 0, furthest = 0;
  for (int step = 0; step < kSteps; ++step)
    for (std::size_t i = 0; i < trainings.size(); ++i) {
      trainings[i].step(i == 0 ? 0 : kMicroBatches);
      const double loss = trainings[i].loss.item<double>();
      if (i == 0) plain = loss;
      furthest = std::max(furthest, std::abs(loss - plain));
    }
  TD_CHECK(td::Error, furthest < 1e-3, "split: a loss is ", furthest,
           " away from the plain model's; on two devices the model should compute the same");
  std::cout << "After " << kSteps << " steps the loss is " << std::fixed << std::setprecision(4)
            << plain << " on one device; on two it differed by at most " << std::setprecision(6)
            << std::max(furthest, 1e-6) << ".\n";
}

/// Times in milliseconds.
void print_times(std::deque<Training>& trainings) {
  std::vector<app::Variant> variants;
  for (Training& training : trainings)
    for (const std::int64_t micro_batches : {std::int64_t{0}, kMicroBatches})
      variants.push_back(training.variant(micro_batches));
  const std::vector<double> seconds = app::median_seconds_interleaved(variants, 11);
  std::cout << "milliseconds per step the whole batch   " << kMicroBatches
            << " micro-batches   speed-up\n"
            << std::fixed << std::setprecision(2);
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    const double whole = seconds[2 * i], pieces = seconds[2 * i + 1];
    std::cout << std::setw(19) << trainings[i].where() << std::setw(18) << 1e3 * whole
              << std::setw(18) << 1e3 * pieces << std::setw(11) << whole / pieces << '\n';
  }
}

void compare(td::Device device, std::int64_t rows) {
  const app::CoresForTheHost cores(device);
  const Batch batch = formula_batch(rows);
  const std::int64_t on_host = balance("cpu", device, rows);
  std::cout << "A model of " << kLayers << " layers, " << rows << " rows per step; " << on_host
            << " layers are on the cpu\n";
  const int count = td::device_count(device.type());
  std::deque<Training> trainings;
  trainings.emplace_back(kLayers / 2, device, device, batch);
  trainings.emplace_back(on_host, "cpu", device, batch);
  if (count > 1) trainings.emplace_back(kLayers / 2, device, next(device), batch);
  print_losses(trainings);
  print_times(trainings);
  if (count == 1)
    std::cout << "There is one " << device.type()
              << " device: the model cannot be split over two\n";
}

}  // namespace
}  // namespace split

int main(int argc, char** argv) {
  app::Command command("ch09-split", "Trains a model that is split over two devices.");
  command.takes({"batch-size"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    TD_CHECK(app::OptionError, !device.is_cpu(),
             "the cpu is one of this program's devices; name another one: use --device sim");
    split::compare(device, split::kRowsPerSample * options.batch_size);
  });
}
