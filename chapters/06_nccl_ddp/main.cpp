// Chapter 06, NCCL and DDP: several processes train one model, each with its own device and its own
// part of the images. Started alone it is a world of one; ./course launch -n 2 6 starts two ranks.
#include <iostream>

#include "../04_training_loop/models.h"
#include "app/app.h"
#include "distributed/launch/environment.h"
#include "distributed/launch/spawn.h"
#include "images.h"
#include "simple.h"
#include "training.h"

namespace {

struct Choices {
  std::string strategy = "ddp", model = "cnn", url = "env:", timeline;
  std::int64_t spawn = 0, samples = 0, steps = 0;
  double lr = 0.01, bucket_cap_mb = 25;
};

constexpr std::int64_t kBatch = 64;  // for which --lr is right, in one process

// True if each rank of this host can have its own GPU. Slurm and MPI may show each rank only its
// own GPU, which is then cuda:0 for all of them.
bool enough_gpus(const td::distributed::Environment& here) {
  const int gpus = td::device_count(td::kCUDA);
  return gpus >= here.local_world_size || (gpus == 1 && here.source != "torchrun");
}

// One GPU per rank; with too few of them, sim. Each process has its own sim devices, so every rank
// may use sim:0.
td::Device device_of_rank(const app::Options& options, const td::distributed::Environment& here) {
  const auto local = static_cast<std::size_t>(here.local_rank);
  if (!options.devices.empty()) {
    if (local >= options.devices.size())
      throw app::CannotRunHere("--devices names " + std::to_string(options.devices.size()) +
                               " devices for " + std::to_string(here.local_world_size) +
                               " ranks on this host; name one per rank");
    return td::check_device(td::Device(options.devices[local]));
  }
  // anchor: device
  const int gpus = td::device_count(td::kCUDA);
  if (options.device == "cuda" || (options.device == "auto" && enough_gpus(here))) {
    if (gpus > 1 && here.local_rank >= gpus)
      throw app::CannotRunHere("rank " + std::to_string(here.rank) + " has no GPU: this host has " +
                               std::to_string(gpus) + "; start at most that many ranks here, or " +
                               "use --device cpu");
    return td::check_device(td::Device(td::kCUDA, gpus == 1 ? 0 : here.local_rank));
  }
  return td::check_device(td::Device(options.device == "auto" ? "sim:0" : options.device));
  // anchor end
}

void introduce(const app::Options& options, const ProcessGroup& group, td::Device device) {
  if (group.rank() > 0) return;
  if (group.size() > 1)
    std::cout << "Using " << group.size() << " ranks, rank 0 on " << device
              << "; transport: " << group.transport() << '\n';
  else
    std::cout << "Using 1 rank on " << device
              << "; two of them: ./course launch -n 2 6, or --spawn 2\n";
  const td::distributed::Environment here = td::distributed::read_environment();
  const int gpus = td::device_count(td::kCUDA);
  if (gpus > 0 && options.device == "auto" && options.devices.empty() && !enough_gpus(here))
    std::cout << "This host has " << gpus << (gpus > 1 ? " GPUs" : " GPU") << " for "
              << here.local_world_size << " ranks, so the ranks use sim devices\n";
}

// One rank of a host draws the images if there are none; the other ranks wait for it.
images::Set load_images(const app::Options& options, const Choices& choices, ProcessGroup& group) {
  if (td::distributed::read_environment().local_rank == 0)
    app::image_folder(options, app::Images::kColor);
  group.barrier()->wait();
  Sampling sampling;
  sampling.world_size = group.size();
  sampling.rank = group.rank();
  sampling.seed = options.seed;
  return images::load(app::image_folder(options, app::Images::kColor),
                      static_cast<std::size_t>(options.batch_size),
                      static_cast<std::size_t>(choices.samples), sampling);
}

// anchor: train
void train(const app::Options& options, const Choices& choices, td::Device device,
           ProcessGroup& group) {
  images::Set set = load_images(options, choices, group);
  td::manual_seed(options.seed + group.rank());  // each rank begins with different weights
  td::nn::Sequential model = choices.model == "cnn" ? cifar_net() : deep_net();
  model->to(device);
  Strategy strategy = make_strategy(choices.strategy, model, choices.bucket_cap_mb, group);
  const double lr = scaled_learning_rate(choices.lr, kBatch, options.batch_size, group.size());
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(lr).momentum(0.9));
  if (!choices.timeline.empty())
    draw_step(strategy, optimizer, *set.train->begin(), device, choices.timeline, group);
  else if (choices.steps > 0)
    show_step_time(strategy, optimizer, *set.train->begin(), device, choices.steps, group);
  else
    run_epochs(strategy, model, optimizer, set, options.epochs, device, group);
}

void run_rank(const app::Options& options, const Choices& choices) {
  const td::Device device = device_of_rank(options, td::distributed::read_environment());
  td::distributed::init_process_group(device.is_cuda() ? "nccl" : "gloo", choices.url);
  ProcessGroup& group = td::distributed::default_group();
  introduce(options, group, device);
  td::manual_seed(options.seed);
  if (choices.model == "simple")
    train_simple(options.epochs, device, group);
  else
    train(options, choices, device, group);
  td::distributed::destroy_process_group();
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch06_nccl_ddp", "Trains a model in several processes, one per device.");
  command.takes({"devices", "epochs", "seed", "data"});
  command.options.epochs = 3;
  command.options.batch_size = kBatch;
  command.option("--batch-size", command.options.batch_size, "samples per rank and step", 1);
  command.choice("--strategy", choices.strategy, {"naive", "flat", "buckets", "overlap", "ddp"},
                 "how gradients are averaged");
  command.choice("--model", choices.model, {"cnn", "deep", "simple"},
                 "deep: long to send, quick to compute; simple: one linear layer");
  command.option("--spawn", choices.spawn, "start that many ranks", 1);
  command.option("--rendezvous", choices.url,
                 "rendezvous of the ranks: file:///dir, redis://host:port ...");
  command.option("--bucket-cap-mb", choices.bucket_cap_mb, "size of a bucket in MiB");
  command.option("--lr", choices.lr, "learning rate for 64 images per step");
  command.option("--samples", choices.samples, "use only so many training images", 1);
  command.option("--timeline", choices.timeline, "draw one step of rank 0 into this .svg");
  command.option("--steps", choices.steps, "time so many steps instead of training", 1);
  return command.run(argc, argv, [&](const app::Options& options) {
    if (choices.spawn == 0) return run_rank(options, choices);
    td::distributed::spawn([&](int) { run_rank(options, choices); },
                           static_cast<int>(choices.spawn));
  });
}
