// Trains a network on images, with one process per device. Each rank reads its own part of the
// images. The strategy naive calls the exercises; with --mine they are yours.
#include <chrono>
#include <iomanip>

#include "../../04_training_loop/models.h"
#include "app/images.h"
#include "app/rank.h"
#include "distributed/launch/environment.h"
#include "share_sampler.h"
#include "training_step.h"

namespace {

using td::data::datasets::CIFAR10;

constexpr std::int64_t kBatch = 64;  // for which --lr is right, in one process

struct Choices {
  std::string strategy = "ddp", timeline;
  std::int64_t spawn = 0, samples = 0;
  double lr = 0.01;
};

// anchor: naive
Strategy naive_strategy(td::nn::Sequential model, ProcessGroup& group) {
  broadcast_start(*model, group);  // exercise: all ranks begin with one model
  const std::vector<td::Tensor> parameters = model->parameters();
  return {[model](const td::Tensor& input) mutable { return model->forward(input); },
          [parameters, &group] { average_gradients(parameters, group); }};  // exercise
}
// anchor end

auto prepared(td::data::datasets::ImageDataset images) {
  return images.map(td::data::transforms::Normalize<>(0.5, 0.25))
      .map(td::data::transforms::Stack<>());
}

// One rank of a host draws the images if there are none; the other ranks wait for it.
std::string image_folder(const app::Options& options, ProcessGroup& group) {
  if (td::distributed::read_environment().local_rank == 0)
    app::image_folder(options, app::Images::kColor);
  group.barrier()->wait();
  return app::image_folder(options, app::Images::kColor);
}

// The fraction of right answers over the whole test set. Each rank takes every world_size-th batch,
// so that each image counts exactly once.
double accuracy_of_all(td::nn::Sequential& model, const std::string& folder, td::Device device,
                       ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  td::Tensor counts = td::zeros({2}, td::device(device).dtype(td::kInt64));  // right, seen
  auto loader = td::data::make_data_loader<td::data::samplers::SequentialSampler>(
      prepared(CIFAR10(folder, CIFAR10::Mode::kTest)), td::data::DataLoaderOptions(256));
  int number = 0;
  for (const auto& batch : *loader) {
    if (number++ % group.size() != group.rank()) continue;
    const td::Tensor guess = model->forward(batch.data.to(device)).argmax(1);
    counts[0].add_((guess == batch.target.to(device)).sum());
    counts[1].add_(batch.data.size(0));
  }
  model->train();
  group.all_reduce(counts)->wait();
  return counts[0].item<double>() / counts[1].item<double>();
}

void train(const app::Options& options, const Choices& choices, td::Device device,
           ProcessGroup& group) {
  const std::string folder = image_folder(options, group);
  td::data::datasets::ImageDataset images = CIFAR10(folder, CIFAR10::Mode::kTrain);
  if (choices.samples > 0) images = images.first(static_cast<std::size_t>(choices.samples));
  const std::size_t samples = *images.size();
  if (samples == 0) throw td::IoError(folder + ": no images in the training files");
  const Sampling part{.world_size = group.size(), .rank = group.rank(), .seed = options.seed};
  auto loader = td::data::make_data_loader(
      prepared(images), ShareSampler(samples, part),
      td::data::DataLoaderOptions(static_cast<std::size_t>(options.batch_size)).workers(1));

  td::manual_seed(options.seed + group.rank());  // each rank begins with different weights
  td::nn::Sequential model = cifar_net();
  model->to(device);
  Strategy strategy =
      choices.strategy == "naive" ? naive_strategy(model, group) : ddp_strategy(model);
  const double lr = scaled_learning_rate(choices.lr, kBatch, options.batch_size, group.size());
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr).momentum(0.9));
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    loader->sampler().set_epoch(static_cast<std::uint64_t>(epoch));  // the same on every rank
    td::Tensor total = td::zeros({}, device);
    std::int64_t steps = 0;
    for (const auto& batch : *loader) {
      const auto step = [&] { total += train_step(strategy, optimizer, batch, device); };
      if (++steps == 3 && epoch == 1 && !choices.timeline.empty())  // the first two allocate memory
        draw_step(step, choices.timeline, group);
      else
        step();
    }
    group.all_reduce(total, td::distributed::ReduceOp::AVG)->wait();  // each rank has its own loss
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const double right = accuracy_of_all(model, folder, device, group);
    if (group.rank() == 0)
      std::cout << std::fixed << "Epoch " << epoch << ", Loss: " << std::setprecision(4)
                << total.item<double>() / static_cast<double>(steps)
                << ", test accuracy: " << std::setprecision(1) << 100 * right << " %, "
                << std::setprecision(0) << static_cast<double>(samples) / took.count()
                << " samples/s\n";
  }
}

void run_rank(const app::Options& options, const Choices& choices) {
  const td::Device device = app::device_of_rank(options);
  td::distributed::init_process_group(device.is_cuda() ? "nccl" : "gloo");
  introduce(td::distributed::default_group(), device);
  train(options, choices, device, td::distributed::default_group());
  td::distributed::destroy_process_group();
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch06-train", "Trains a network on images, with one process per device.");
  command.takes({"devices", "epochs", "seed", "data"});
  command.options.epochs = 3;
  command.options.batch_size = kBatch;
  command.option("--batch-size", command.options.batch_size, "samples per rank and step", 1);
  command.choice("--strategy", choices.strategy, {"naive", "ddp"}, "how gradients are averaged");
  command.option("--spawn", choices.spawn, "start that many ranks", 1);
  command.option("--lr", choices.lr, "learning rate for 64 images per step");
  command.option("--timeline", choices.timeline, "draw the third step of rank 0 into this .svg");
  command.option("--samples", choices.samples, "use only so many training images", 1);
  return command.run(argc, argv, [&](const app::Options& options) {
    if (choices.spawn == 0) return run_rank(options, choices);
    td::distributed::spawn([&](int) { run_rank(options, choices); },
                           static_cast<int>(choices.spawn));
  });
}
