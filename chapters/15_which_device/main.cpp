// Chapter 15, which device?: times one training step on the CPU and on a device, for batches of
// growing size.
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "td/td.h"

namespace nn = td::nn;

// Milliseconds of a training step on `device`, the median of eleven. The batch begins on the CPU.
double milliseconds_per_step(td::Device device, std::int64_t samples) {
  nn::Sequential model(nn::Linear(256, 256), nn::ReLU(), nn::Linear(256, 256), nn::ReLU(),
                       nn::Linear(256, 10));
  model->to(device);
  nn::CrossEntropyLoss criterion;
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));
  const td::Tensor data = td::randn({samples, 256});
  const td::Tensor target = td::randint(0, 10, {samples}, td::kInt64);

  std::vector<double> times;
  for (int step = 0; step < 12; ++step) {
    const auto start = std::chrono::steady_clock::now();
    const td::Tensor inputs = data.to(device), labels = target.to(device);
    optimizer.zero_grad();
    criterion(model->forward(inputs), labels).backward();
    optimizer.step();
    td::synchronize(device);  // otherwise you time the launches alone
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    if (step > 0) times.push_back(taken.count());  // the first step allocates memory
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Times a step on the CPU and on a device.");
  td::manual_seed(1);
  std::cout << "samples   ms on cpu   ms on " << device << "   use\n"
            << std::fixed << std::setprecision(3);
  for (const std::int64_t samples : {1, 4, 16, 64, 256, 1024}) {
    const double cpu = milliseconds_per_step(td::kCPU, samples);
    const double other = milliseconds_per_step(device, samples);
    std::cout << std::setw(7) << samples << std::setw(12) << cpu << std::setw(12) << other << "   "
              << (other < cpu ? device : td::Device(td::kCPU)) << '\n';
  }
}
