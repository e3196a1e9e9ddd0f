// One step on one device and on several: how much faster it is, and what the devices lose.
// Invariant: both steps process the same batch, and the exercise judges a trace of such a step.

#include <algorithm>
#include <deque>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/interleaved.h"
#include "exercises.h"
#include "trace/trace.h"

namespace reporting {
namespace {

/// A network that trains on one or several devices, as in chapter 05.
class Trainer {
 public:
  Trainer(std::int64_t width, std::vector<td::Device> devices)
      : devices_(std::move(devices)),
        model_(td::nn::Linear(width, width), td::nn::ReLU(), td::nn::Linear(width, width),
               td::nn::ReLU(), td::nn::Linear(width, 10)),
        optimizer_((model_->to(devices_[0]), model_->parameters()), td::optim::SGDOptions(0.01)) {}

  void step(const Batch& batch) {
    optimizer_.zero_grad();
    const td::Tensor output = td::nn::parallel::data_parallel(model_, batch.data, devices_);
    td::nn::functional::cross_entropy(output, batch.target.to(devices_[0])).backward();
    optimizer_.step();
    for (const td::Device device : devices_) td::synchronize(device);
  }

 private:
  std::vector<td::Device> devices_;
  td::nn::Sequential model_;
  td::optim::SGD optimizer_;
};

/// Translates a trace for the exercise. A launch belongs to the device on which its work runs.
std::vector<StepSpan> spans_of(const td::trace::Trace& trace,
                               const std::vector<td::Device>& devices) {
  using td::trace::Category, td::trace::SpanRecord;
  std::map<std::string, int> numbers;
  for (const td::Device device : devices)
    numbers.emplace(device.str(), static_cast<int>(numbers.size()));
  std::map<std::uint32_t, int> device_of_work;
  std::vector<StepSpan> spans;
  const auto add = [&](const SpanRecord& span, int device, Activity activity) {
    spans.push_back({device, activity, td::trace::Trace::seconds(trace.begin, span.begin),
                     td::trace::Trace::seconds(trace.begin, span.end)});
  };
  for (const SpanRecord& span : trace.spans) {
    if (span.category != Category::kKernel && span.category != Category::kCopy) continue;
    const auto device = numbers.find(trace.tracks[span.track].device);
    if (device == numbers.end()) continue;
    if (span.correlation != 0) device_of_work[span.correlation] = device->second;
    const bool peer = std::string(span.name).find("PtoP") != std::string::npos;
    add(span, device->second,
        span.category == Category::kKernel ? Activity::kCompute
        : peer                             ? Activity::kCommunication
                                           : Activity::kCopy);
  }
  for (const SpanRecord& span : trace.spans) {
    const auto work = device_of_work.find(span.correlation);
    if (span.category == Category::kLaunch && work != device_of_work.end())
      add(span, work->second, Activity::kLaunch);
  }
  return spans;
}

void print_report(const StepReport& report, double seconds, int devices) {
  constexpr const char* kNames[] = {"nothing", "copies", "communication", "launches", "waiting"};
  std::cout << std::fixed << std::setprecision(2) << "  speed-up " << report.speed_up
            << ", efficiency " << report.efficiency << '\n';
  const double all = seconds * devices;
  const double lost = report.copies + report.communication + report.launches + report.waiting;
  const auto line = [&](const char* name, double part) {
    std::cout << std::setw(24) << name << std::setw(10) << 1e3 * part << " ms" << std::setw(6)
              << std::setprecision(0) << 100 * part / all << " %\n"
              << std::setprecision(2);
  };
  line("computing", all - lost);
  line("lost to copies", report.copies);
  line("lost to communication", report.communication);
  line("lost to launches", report.launches);
  line("lost to waiting", report.waiting);
  std::cout << "  the largest loss: " << kNames[static_cast<std::size_t>(report.largest)] << '\n';
}

/// Measures a step on each set of devices, and prints what the devices lose.
void show(const app::Options& options, const std::vector<std::vector<td::Device>>& sets,
          std::int64_t width, const std::string& timeline) {
  const std::int64_t rows = options.batch_size;
  const Batch batch{td::randn({rows, width}), td::randint(0, 10, {rows}, td::kInt64)};
  std::deque<Trainer> trainers;
  for (const auto& devices : sets) {
    td::manual_seed(options.seed);
    trainers.emplace_back(width, devices);
  }
  std::vector<app::Variant> variants;
  for (Trainer& trainer : trainers) variants.push_back([&trainer, &batch] { trainer.step(batch); });
  const std::vector<double> seconds = app::median_seconds_interleaved(variants, 9);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    td::trace::start();
    trainers[i].step(batch);
    const td::trace::Trace trace = td::trace::stop();
    const int devices = static_cast<int>(sets[i].size());
    std::cout << "One step of " << rows << " samples on " << devices
              << (devices == 1 ? " device: " : " devices: ") << std::fixed << std::setprecision(2)
              << 1e3 * seconds[i] << " ms\n";
    const auto spans = spans_of(trace, sets[i]);
    double end = 0;  // the traced step may take longer than the median
    for (const StepSpan& span : spans) end = std::max(end, span.end);
    StepReport report = read_report(seconds[0], end, devices, spans);
    report.speed_up = seconds[0] / seconds[i];
    report.efficiency = report.speed_up / devices;
    print_report(report, end, devices);
    if (i > 0 && !timeline.empty()) td::trace::write_svg(trace, timeline);
  }
}

}  // namespace
}  // namespace reporting

int main(int argc, char** argv) {
  std::int64_t width = 256;
  std::string timeline;
  app::Command command("ch15-report", "Shows what one device and several lose.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 1024;
  command.option("--width", width, "of the network's layers");
  command.option("--timeline", timeline, "draw a step into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device first = app::choose_device(options);
    TD_CHECK(app::OptionError, !first.is_cpu(),
             "this program compares one device with several; take --device sim");
    std::vector<td::Device> all;
    for (int i = 0; i < td::device_count(first.type()); ++i) all.emplace_back(first.type(), i);
    std::vector<std::vector<td::Device>> sets = {{first}};
    if (all.size() > 1) sets.push_back(all);
    reporting::show(options, sets, width, timeline);
  });
}
