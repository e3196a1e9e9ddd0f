// Chapter 04, training loop: a model, its data and its loss on one device, epoch after epoch.
// The default trains a network for CIFAR-10's images on the best device there is.
#include <chrono>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "fixed.h"
#include "images.h"
#include "inference.h"
#include "models.h"
#include "styles.h"
#include "waits.h"

namespace {

struct Choices {
  std::string model = "cnn", style = "central";
  double lr = 0.01;
  std::string pictures;
  bool channels_last = false, inference = false, waits = false, fixed = false;
};

// anchor: simple
// One linear layer on random data that is made once: everything on the device.
void train_simple(std::int64_t samples, std::int64_t outputs, std::int64_t epochs,
                  td::Device device) {
  td::nn::Sequential model = simple_model(outputs);
  model->to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));
  const td::Tensor inputs = td::randn({samples, 10}).to(device);
  const td::Tensor targets = td::randn({samples, outputs}).to(device);
  td::nn::MSELoss criterion;
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    const td::Tensor loss = train_step(model, criterion, optimizer, inputs, targets);
    std::cout << "Epoch " << epoch << ", Loss: " << loss.item<float>() << '\n';
    if (app::stop_requested()) throw app::Stopped("epoch " + std::to_string(epoch));
  }
}
// anchor end

// anchor: loader
// 100 samples of two classes in batches of 32: the last batch has 4. The loss function has class
// weights, a buffer, so it must move, too.
void train_with_loader(std::int64_t epochs, td::Device device) {
  td::nn::Sequential model = simple_model(2);
  model->to(device);
  td::nn::CrossEntropyLoss loss_fn(
      td::nn::CrossEntropyLossOptions().weight(td::tensor({1.0, 2.0})));
  loss_fn->to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));
  td::data::TensorDataset dataset(td::randn({100, 10}), td::randint(0, 2, {100}, td::kInt64));
  auto loader =
      td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                 td::data::DataLoaderOptions(32).pin_memory(!device.is_cpu()));
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch)
    for (const Batch& batch : *loader) {
      const Batch moved = move_batch(batch, device, /*non_blocking=*/true);
      const td::Tensor loss = train_step(model, loss_fn, optimizer, moved.data, moved.target);
      std::cout << "Epoch " << epoch << ", " << batch.data.size(0) << " samples on "
                << moved.data.device() << ", labels on " << moved.target.device()
                << ", Loss: " << loss.item<float>() << '\n';
    }
}
// anchor end

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void train(td::nn::Sequential model, images::Set& set, std::int64_t epochs, const Choices& choices,
           td::Device device) {
  const bool scattered = choices.style == "scattered";
  const auto moved = [&](const Batch& batch) {  // called for every batch
    Batch here = scattered ? move_scattered(batch, device) : move_central(batch, device);
    if (choices.channels_last) here.data = here.data.to(td::MemoryFormat::ChannelsLast);
    return here;
  };
  td::nn::CrossEntropyLoss loss_fn;
  scattered ? move_scattered(*model, *loss_fn, device) : move_central(*model, *loss_fn, device);
  if (choices.channels_last) model->to(td::MemoryFormat::ChannelsLast);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(choices.lr).momentum(0.9));
  app::ProgressLine progress;
  // anchor: epochs
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    const double start = now();
    td::Tensor total = td::zeros({}, device);  // the sum of the losses stays on the device
    std::int64_t steps = 0;
    for (const Batch& batch : *set.train) {
      const td::trace::Span whole_step("step");  // its name in the file of --trace
      const Batch here = moved(batch);
      total += train_step(model, loss_fn, optimizer, here.data, here.target);
      progress.show("epoch " + std::to_string(epoch) + ", step " + std::to_string(++steps));
      if (app::stop_requested())
        throw app::Stopped("epoch " + std::to_string(epoch) + ", step " + std::to_string(steps));
    }
    // anchor end
    td::synchronize(device);  // the first wait of the epoch: for a true time
    const double rate = static_cast<double>(set.samples) / (now() - start);
    progress.clear();
    std::cout << std::fixed << "Epoch " << epoch << ", Loss: " << std::setprecision(4)
              << total.item<double>() / static_cast<double>(steps)
              << ", test accuracy: " << std::setprecision(1)
              << 100 * accuracy(model, set.test, device) << " %, " << std::setprecision(0) << rate
              << " samples/s\n"
              << std::flush;
  }
  const Batch first = moved(set.test.at(0));
  const double step =
      time_it([&] { train_step(model, loss_fn, optimizer, first.data, first.target); }, device, 3);
  std::cout << "One step of " << first.data.size(0) << " samples on " << device << ": "
            << std::setprecision(1) << 1e3 * step << " ms\n";
}

void run(const app::Options& options, const Choices& choices) {
  const td::Device device = app::choose_device(options);
  td::manual_seed(options.seed);
  if (choices.inference) return show_inference(options, device);
  if (choices.waits) return waits::show(device, choices.pictures);
  if (choices.fixed) return fixed::show(device);
  const auto epochs = [&](std::int64_t usual) { return options.epochs ? options.epochs : usual; };
  if (choices.model == "simple") return train_simple(100, 1, epochs(10), device);
  if (choices.model == "simple10") return train_simple(5, 10, epochs(1), device);
  if (choices.model == "simple5") return train_with_loader(epochs(1), device);
  const bool gray = choices.model == "lenet";
  const app::Images kind = gray ? app::Images::kGray : app::Images::kColor;
  const auto model = gray ? lenet() : choices.model == "linear" ? linear_classifier() : cifar_net();
  images::Set set = images::load(app::image_folder(options, kind), kind,
                                 static_cast<std::size_t>(options.batch_size), !device.is_cpu());
  train(model, set, epochs(5), choices, device);
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch04_training_loop", "Trains a model on one device.");
  command.takes({"epochs", "batch-size", "seed", "data"});
  command.options.epochs = 0;  // 0: as many as the model's program usually makes
  command.options.batch_size = 64;
  command.choice("--model", choices.model,
                 {"cnn", "lenet", "linear", "simple", "simple10", "simple5"}, "what to train");
  command.choice("--style", choices.style, {"scattered", "central"},
                 "object by object, or one device for all");
  command.option("--lr", choices.lr, "learning rate of cnn, lenet and linear");
  command.flag("--channels-last", choices.channels_last,
               "store images as height, width, channel (NHWC)");
  command.flag("--inference", choices.inference, "compare the modes in which a model can run");
  command.flag("--waits", choices.waits, "count how often the host waits for the device");
  command.option("--pictures", choices.pictures,
                 "with --waits: draw two timelines into this folder");
  command.flag("--fixed", choices.fixed, "losses from fixed weights and data, for pytorch.py");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
