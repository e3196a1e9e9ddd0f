// Adam on the host: its losses, and what a step and its stages cost.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "app/interleaved.h"
#include "offload_training.h"
#include "trace/trace.h"

namespace offload {
namespace {

/// @throws Error when they differ.
void print_losses(OnDevice& on_device, OneAfterAnother& sequential, Overlapped& overlapped) {
  constexpr int kSteps = 5;
  double furthest = 0, last = 0;
  for (int step = 0; step < kSteps; ++step) {
    last = on_device.step().item<double>();
    for (const td::Tensor& loss : {sequential.step(), overlapped.step()})
      furthest = std::max(furthest, std::abs(loss.item<double>() - last));
  }
  TD_CHECK(td::Error, furthest < 1e-3, "offload: a loss is ", furthest,
           " away from that of Adam on the device; wherever it runs, it should be the same");
  std::cout << "After " << kSteps << " steps the loss is " << std::fixed << std::setprecision(4)
            << last << "; with Adam on the host it differed by at most " << std::setprecision(6)
            << std::max(furthest, 1e-6) << ".\n";
}

/// The seconds that each stage takes.
struct Stages {
  double device = 0, down = 0, adam = 0, up = 0;
  double sum() const { return device + down + adam + up; }
  double longest() const { return std::max({device, down, adam, up}); }
};

Stages stages_of(const td::trace::Trace& trace) {
  Stages stages;
  for (const td::trace::SpanRecord& span : trace.spans) {
    const double seconds = td::trace::Trace::seconds(span.begin, span.end);
    const std::string name = span.name;
    if (span.category == td::trace::Category::kKernel) stages.device += seconds;
    if (span.category == td::trace::Category::kUser && name == "adam") stages.adam += seconds;
    if (span.category != td::trace::Category::kCopy) continue;
    if (name.find("DtoH") != name.npos) stages.down += seconds;
    if (name.find("HtoD") != name.npos) stages.up += seconds;
  }
  return stages;
}

template <class T>
app::Variant variant(T& training) {
  return [&training] {
    training.step();
    td::synchronize(training.device);
  };
}

void print_times(OnDevice& on_device, OneAfterAnother& sequential, Overlapped& overlapped) {
  const std::vector<double> seconds = app::median_seconds_interleaved(
      {variant(on_device), variant(sequential), variant(overlapped)}, 11);
  td::trace::start();
  overlapped.step();
  const td::trace::Trace trace = td::trace::stop();
  const Stages stages = stages_of(trace);
  const auto line = [](const char* name, double value) {
    std::cout << std::setw(34) << name << std::fixed << std::setprecision(2) << std::setw(10)
              << 1e3 * value << '\n';
  };
  std::cout << "milliseconds per step\n";
  line("Adam on the device", seconds[0]);
  line("on the host, one after another", seconds[1]);
  line("on the host, overlapped", seconds[2]);
  std::cout << "milliseconds of its stages\n";
  line("forward and backward", stages.device);
  line("gradients to the host", stages.down);
  line("Adam on the host", stages.adam);
  line("parameters to the device", stages.up);
  line("their sum", stages.sum());
  line("the longest", stages.longest());
  std::cout << td::trace::text_timeline(trace, td::trace::PictureOptions().host(true));
}

}  // namespace
}  // namespace offload

int main(int argc, char** argv) {
  app::Command command("ch09-offload", "Trains with Adam on the host.");
  command.takes({"batch-size"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = offload::choose_device(options);
    const app::CoresForTheHost cores(device);
    const std::int64_t rows = offload::rows_of(options);
    std::cout << "A model of " << std::fixed << std::setprecision(4)
              << offload::kLayers * (offload::kWidth + 1) * offload::kWidth / 1e6
              << " million parameters, " << rows << " rows per step\n";
    offload::OnDevice on_device(device, rows);
    offload::OneAfterAnother sequential(device, rows);
    offload::Overlapped overlapped(device, rows);
    offload::print_losses(on_device, sequential, overlapped);
    offload::print_times(on_device, sequential, overlapped);
  });
}
