// The cost of a GradScaler in a training step: chapter 04's network for CIFAR-10 in float32, with
// Adam, without and with a scaler, interleaved. Prints medians, launches, and how much longer each
// variant takes than the plain step of the same round.
//   bench_grad_scaler [--device cpu|sim|cuda] [--batch N] [--rounds N]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "../../chapters/04_training_loop/models.h"
#include "harness.h"
#include "td/device/record.h"

namespace {

using td::Tensor;

struct Settings {
  td::Device device = td::kCPU;
  int batch = 64, rounds = 25;
};

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--device")) s.device = td::check_device(td::Device(argv[i + 1]));
    if (!std::strcmp(argv[i], "--batch")) s.batch = std::max(1, std::atoi(argv[i + 1]));
    if (!std::strcmp(argv[i], "--rounds")) s.rounds = std::max(1, std::atoi(argv[i + 1]));
  }
  return s;
}

enum class Way { kPlain, kCapturable, kStep, kStepOnDevice };

// A model that is trained in one of the variants.
struct Variant {
  const char* name;
  Way way;
  td::nn::Sequential model;
  td::optim::Adam optimizer;
  td::amp::GradScaler scaler;
  std::vector<double> wall, cpu;  // seconds per step
  int launches = 0;

  Variant(const char* called, Way how, td::Device device)
      : name(called), way(how), model(cifar_net()), optimizer(parameters_on(device), options()) {}
  td::TensorList parameters_on(td::Device device) {
    model->to(device);
    return model->parameters();
  }
  td::optim::AdamOptions options() const {
    const bool on_device = way == Way::kCapturable || way == Way::kStepOnDevice;
    return td::optim::AdamOptions(1e-3).capturable(on_device);
  }
  bool scaled() const { return way == Way::kStep || way == Way::kStepOnDevice; }

  void step(const Tensor& pictures, const Tensor& labels) {
    optimizer.zero_grad();
    const Tensor loss = td::nn::functional::cross_entropy(model->forward(pictures), labels);
    (scaled() ? scaler.scale(loss) : loss).backward();
    if (way == Way::kStep)
      scaler.step(optimizer);
    else if (way == Way::kStepOnDevice)
      scaler.step_on_device(optimizer);
    else
      optimizer.step();
    if (scaled()) scaler.update();
    td::synchronize(pictures.device());
  }
};

int launches = 0;
void count_launches(const td::Record&, td::Device) { ++launches; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(std::deque<Variant>& all, const Settings& s) {
  const Tensor pictures = td::randn({s.batch, 3, 32, 32}).to(s.device);
  const Tensor labels = td::randint(0, 10, {s.batch}, td::kInt64).to(s.device);
  for (int round = -1; round < s.rounds; ++round)  // the first one does not count
    for (Variant& variant : all) {
      variant.step(pictures, labels);  // its memory is cold after the other runs
      const bench::Case work{nullptr, [&] { variant.step(pictures, labels); }, nullptr};
      const bench::Sample time = bench::sample(work, 5);
      if (round < 0) continue;
      variant.wall.push_back(time.wall);
      variant.cpu.push_back(time.cpu);
    }
  const td::RecordObserver counting(count_launches);
  for (Variant& variant : all) {
    launches = 0;
    variant.step(pictures, labels);
    variant.launches = launches;
  }
}

// The median over the rounds of the time of `of` above `plain`, in percent.
double above(const std::vector<double>& of, const std::vector<double>& plain) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < of.size(); ++i) shares.push_back(100 * (of[i] / plain[i] - 1));
  return median(shares);
}

}  // namespace

int main(int argc, char** argv) {
  const Settings s = parse(argc, argv);
  std::deque<Variant> all;
  all.emplace_back("Adam", Way::kPlain, s.device);
  all.emplace_back("Adam, capturable", Way::kCapturable, s.device);
  all.emplace_back("scaler, step", Way::kStep, s.device);
  all.emplace_back("scaler, step_on_device", Way::kStepOnDevice, s.device);
  measure(all, s);
  std::printf("%s, batch %d, CIFAR-10 CNN\n", s.device.str().c_str(), s.batch);
  for (const Variant& c : all)
    std::printf("%-23s %8.2f ms a step %+6.1f %%, processors %8.2f ms %+6.1f %%, %3d launches\n",
                c.name, 1e3 * median(c.wall), above(c.wall, all[0].wall), 1e3 * median(c.cpu),
                above(c.cpu, all[0].cpu), c.launches);
}
