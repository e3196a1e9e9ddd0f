// Times one training step with one of the five ways to average gradients, or draws it. The images
// are random numbers, because only the time matters.
#include <algorithm>
#include <chrono>
#include <iomanip>

#include "app/rank.h"
#include "models.h"
#include "strategies.h"

namespace {

struct Choices {
  std::string strategy = "ddp", model = "deep", timeline;
  std::int64_t steps = 20;
  double bucket_cap_mb = 25;
};

// The median of several steps, after three that allocate memory and form the buckets.
double milliseconds(const std::function<void()>& step, std::int64_t steps) {
  constexpr int kWarmUp = 3;
  std::vector<double> times;
  for (std::int64_t i = -kWarmUp; i < steps; ++i) {
    const auto start = std::chrono::steady_clock::now();
    step();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (i >= 0) times.push_back(took.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void run(const app::Options& options, const Choices& choices) {
  const td::Device device = app::device_of_rank(options);
  td::distributed::init_process_group(device.is_cuda() ? "nccl" : "gloo");
  ProcessGroup& group = td::distributed::default_group();
  introduce(group, device);
  td::manual_seed(options.seed);  // the same weights on all ranks
  td::nn::Sequential model = choices.model == "cnn" ? cifar_net() : deep_net();
  model->to(device);
  Strategy strategy = make_strategy(choices.strategy, model, choices.bucket_cap_mb, group);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01).momentum(0.9));
  td::manual_seed(options.seed + 1 + group.rank());  // and other images
  const td::data::Example<> batch{td::randn({options.batch_size, 3, 32, 32}),
                                  td::randint(10, {options.batch_size}, td::kInt64)};
  td::Tensor loss;
  const auto step = [&] {
    loss = train_step(strategy, optimizer, batch, device);
    td::synchronize(device);
  };
  const double median = milliseconds(step, choices.timeline.empty() ? choices.steps : 1);
  if (!choices.timeline.empty()) {
    const td::trace::Trace trace = draw_step(step, choices.timeline, group);
    if (group.rank() == 0)
      std::cout << "One step of rank 0: "
                << td::trace::text_timeline(trace, td::trace::PictureOptions().host(true));
  }
  group.all_reduce(loss, td::distributed::ReduceOp::AVG)->wait();
  if (group.rank() == 0 && choices.timeline.empty())
    std::cout << "One step of " << options.batch_size << " images per rank: " << std::fixed
              << std::setprecision(1) << median
              << " ms\nLoss of the last step: " << std::setprecision(4) << loss.item<double>()
              << '\n';
  td::distributed::destroy_process_group();
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch14-step", "Times or draws one training step of several ranks.");
  command.takes({"devices", "seed"});
  command.options.batch_size = 64;
  command.option("--batch-size", command.options.batch_size, "images per rank", 1);
  command.choice("--strategy", choices.strategy, {"naive", "flat", "buckets", "overlap", "ddp"},
                 "how gradients are averaged");
  command.choice("--model", choices.model, {"cnn", "deep"}, "deep: long to send, quick to compute");
  command.option("--bucket-cap-mb", choices.bucket_cap_mb, "size of a bucket in MiB");
  command.option("--steps", choices.steps, "steps whose median is printed", 1);
  command.option("--timeline", choices.timeline,
                 "draw one step of rank 0 into this .svg; - for text only");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
