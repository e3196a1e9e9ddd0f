// Training with options, for measuring: three networks, the batch size, the memory format, a trace.
// The step and the evaluation are the chapter's exercises; with --mine they are yours.
#include <chrono>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "images.h"
#include "models.h"

namespace {

struct Choices {
  std::string model = "cnn";
  double lr = 0.01;
  bool channels_last = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Batch moved(const Batch& batch, const Choices& choices, td::Device device) {
  Batch here = move_batch(batch, device, /*non_blocking=*/true);
  if (choices.channels_last) here.data = here.data.to(td::MemoryFormat::ChannelsLast);
  return here;
}

/// One pass over the training data. @return the mean of the losses.
double train_epoch(td::nn::Sequential& model, td::optim::Optimizer& optimizer, images::Set& set,
                   const std::string& epoch, const Choices& choices, td::Device device) {
  td::nn::CrossEntropyLoss loss_fn;
  td::Tensor total = td::zeros({}, device);  // the sum of the losses stays on the device
  std::int64_t steps = 0;
  app::ProgressLine progress;
  for (const Batch& batch : *set.train) {
    const td::trace::Span whole_step("step");  // its name in the file of --trace
    const Batch here = moved(batch, choices, device);
    total += train_step(model, loss_fn, optimizer, here.data, here.target);
    progress.show(epoch + ", step " + std::to_string(++steps));
    if (app::stop_requested()) throw app::Stopped(epoch + ", step " + std::to_string(steps));
  }
  td::synchronize(device);  // the first wait of the epoch: for a true time
  return total.item<double>() / static_cast<double>(steps);
}

void train(td::nn::Sequential model, images::Set& set, std::int64_t epochs, const Choices& choices,
           td::Device device) {
  model->to(device);
  if (choices.channels_last) model->to(td::MemoryFormat::ChannelsLast);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(choices.lr).momentum(0.9));
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    const double start = now();
    const double loss =
        train_epoch(model, optimizer, set, "epoch " + std::to_string(epoch), choices, device);
    const double rate = static_cast<double>(set.samples) / (now() - start);
    std::cout << std::fixed << "Epoch " << epoch << ", Loss: " << std::setprecision(4) << loss
              << ", test accuracy: " << std::setprecision(1)
              << 100 * accuracy(model, set.test, device) << " %, " << std::setprecision(0) << rate
              << " samples/s\n"
              << std::flush;
  }
  td::nn::CrossEntropyLoss loss_fn;
  const Batch first = moved(set.test.at(0), choices, device);
  const double step =
      time_it([&] { train_step(model, loss_fn, optimizer, first.data, first.target); }, device, 3);
  std::cout << "One step of " << first.data.size(0) << " samples on " << device << ": "
            << std::setprecision(1) << 1e3 * step << " ms\n";
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch04-train", "Trains a network for images, and measures it.");
  command.takes({"epochs", "batch-size", "seed", "data"});
  command.options.epochs = 5;
  command.options.batch_size = 64;
  command.choice("--model", choices.model, {"cnn", "lenet", "linear"}, "what to train");
  command.option("--lr", choices.lr, "learning rate");
  command.flag("--channels-last", choices.channels_last,
               "store images as height, width, channel (NHWC)");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    const bool gray = choices.model == "lenet";
    const app::Images kind = gray ? app::Images::kGray : app::Images::kColor;
    images::Set set = images::load(app::image_folder(options, kind), kind,
                                   static_cast<std::size_t>(options.batch_size), !device.is_cpu());
    train(gray                        ? lenet()
          : choices.model == "linear" ? linear_classifier()
                                      : cifar_net(),
          set, options.epochs, choices, device);
  });
}
