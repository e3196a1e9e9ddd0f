// DataParallel against one device: training steps of chapter 04's network for CIFAR-10,
// interleaved, so that other load on the machine slows both. Prints medians and the speed-up.
//   bench_data_parallel [--devices N] [--batch N] [--rounds N] [--channels-last]
// Each sim device has cores / devices of the machine; the single device has no more, so that two
// devices are compared with one of the same size. The processor time shows the cost of the
// splitting even on a machine with other load.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>

#include "../../chapters/04_training_loop/models.h"
#include "harness.h"
#include "sim/sim.h"

namespace {

using td::Tensor;

struct Settings {
  int devices = 2, batch = 128, rounds = 9;
  bool channels_last = false;
};

Settings parse(int argc, char** argv) {
  Settings s;
  const auto is = [&](int i, const char* name) { return std::strcmp(argv[i], name) == 0; };
  for (int i = 1; i < argc; ++i) {
    int* number = is(i, "--devices")  ? &s.devices
                  : is(i, "--batch")  ? &s.batch
                  : is(i, "--rounds") ? &s.rounds
                                      : nullptr;
    if (is(i, "--channels-last")) {
      s.channels_last = true;
    } else if (number && i + 1 < argc) {
      *number = std::max(1, std::atoi(argv[++i]));
    } else {
      std::fprintf(stderr, "bench_data_parallel: unknown or unfinished option %s\n", argv[i]);
      std::exit(2);
    }
  }
  return s;
}

// A variant: a model with its optimizer, and how it computes an output.
struct Variant {
  const char* name;
  td::nn::Sequential model;
  std::function<Tensor(const Tensor&)> forward;
  td::optim::SGD optimizer;
  std::vector<double> wall, cpu;  // seconds per step

  Variant(const char* called, const Settings& s)
      : name(called), model(cifar_net()), optimizer(model->parameters(), start(s)) {}
  td::optim::SGDOptions start(const Settings& s) {
    model->to("sim:0");
    if (s.channels_last) model->to(td::MemoryFormat::ChannelsLast);
    return td::optim::SGDOptions(0.01).momentum(0.9);
  }

  double step(const Tensor& pictures, const Tensor& labels) {
    optimizer.zero_grad();
    const Tensor loss = td::nn::functional::cross_entropy(forward(pictures), labels.to("sim:0"));
    loss.backward();
    optimizer.step();
    return loss.item<double>();
  }
};

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(std::deque<Variant>& all, const Settings& s) {
  Tensor pictures = td::randn({s.batch, 3, 32, 32});
  if (s.channels_last) pictures = pictures.to(td::MemoryFormat::ChannelsLast);
  const Tensor labels = td::randint(0, 10, {s.batch}, td::kInt64);
  for (int round = -1; round < s.rounds; ++round)  // the first one does not count
    for (Variant& variant : all) {
      variant.step(pictures, labels);  // its memory is cold after the other runs
      const bench::Case work{nullptr, [&] { variant.step(pictures, labels); }, nullptr};
      const bench::Sample time = bench::sample(work, 5);
      if (round < 0) continue;
      variant.wall.push_back(time.wall);
      variant.cpu.push_back(time.cpu);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const Settings s = parse(argc, argv);
  td::sim::set_devices(s.devices);
  std::vector<td::Device> devices;
  for (int i = 0; i < s.devices; ++i) devices.emplace_back(td::kSIM, i);
  std::deque<Variant> all;
  for (const char* name : {"one device", "DataParallel"}) {
    td::manual_seed(1);
    all.emplace_back(name, s);
  }
  all[0].forward = [&](const Tensor& x) { return all[0].model->forward(x.to("sim:0")); };
  all[1].forward = [&](const Tensor& x) {
    return td::nn::parallel::data_parallel(all[1].model, x, devices);
  };
  measure(all, s);
  std::printf("%d sim devices, batch %d, CIFAR-10 CNN, %s\n", s.devices, s.batch,
              s.channels_last ? "channels last" : "NCHW");
  for (Variant& c : all) {
    const double wall = median(c.wall), cpu = median(c.cpu);
    std::printf("%-13s %7.1f ms a step (%.1f - %.1f), processors %7.1f ms, %6.0f samples/s\n",
                c.name, 1e3 * wall, 1e3 * c.wall.front(), 1e3 * c.wall.back(), 1e3 * cpu,
                s.batch / wall);
  }
  std::printf("speed-up %.2f; processors' time %.2f of one device's\n",
              median(all[0].wall) / median(all[1].wall), median(all[1].cpu) / median(all[0].cpu));
}
