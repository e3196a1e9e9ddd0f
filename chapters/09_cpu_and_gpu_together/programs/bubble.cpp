// The bubble of a model on two devices: how long they are idle with the whole batch and in
// micro-batches, with timelines.
#include <algorithm>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "split_training.h"
#include "trace/trace.h"

namespace split {
namespace {

td::trace::Trace traced(Training& training, std::int64_t micro_batches) {
  training.finish();
  td::trace::start();
  split_backward(training.model, training.batch, micro_batches);
  return td::trace::stop();
}

/// Returns the fraction of a forward and backward pass in which two devices compute nothing: the
/// median of five.
double bubble(Training& training, std::int64_t micro_batches) {
  std::vector<double> shares;
  for (int run = 0; run < 5; ++run) {
    const td::trace::Trace trace = traced(training, micro_batches);
    double busy = 0;
    for (const td::trace::SpanRecord& span : trace.spans)
      if (span.category == td::trace::Category::kKernel)
        busy += td::trace::Trace::seconds(span.begin, span.end);
    shares.push_back(1 - busy / (2 * td::trace::overlap_times(trace).measured));
  }
  std::sort(shares.begin(), shares.end());
  return shares[shares.size() / 2];
}

void print_bubbles(Training& training, const std::string& timeline) {
  for (const std::int64_t m : {std::int64_t{1}, kMicroBatches})
    std::cout << (m == 1 ? "The whole batch" : "In micro-batches") << ": " << std::fixed
              << std::setprecision(2) << bubble(training, m)
              << " of the devices' time is idle; (p - 1) / (m + p - 1) is "
              << 1.0 / static_cast<double>(m + 1) << "\n"
              << td::trace::text_timeline(traced(training, m));
  if (!timeline.empty()) td::trace::write_svg(traced(training, kMicroBatches), timeline);
}

}  // namespace
}  // namespace split

int main(int argc, char** argv) {
  std::string timeline;
  app::Command command("ch09-bubble", "Shows how long two devices of a split model are idle.");
  command.takes({"batch-size"});
  command.options.batch_size = 256;
  command.option("--timeline", timeline, "draw a step in micro-batches into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const std::vector<td::Device> devices = split::two_devices(options);
    const app::CoresForTheHost cores(devices[0]);
    const std::int64_t rows = split::kRowsPerSample * options.batch_size;
    split::Training training(split::kLayers / 2, devices[0], devices[1],
                             split::formula_batch(rows));
    for (int i = 0; i < 3; ++i) training.variant(split::kMicroBatches)();  // allocates memory
    split::print_bubbles(training, timeline);
  });
}
