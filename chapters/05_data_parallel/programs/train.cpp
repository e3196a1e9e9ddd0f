// Trains the network of chapter 04 on several devices, by three strategies, and measures it.
// by-hand calls the exercises; with --mine they are yours.
#include <chrono>
#include <iomanip>
#include <iostream>

#include "../../04_training_loop/images.h"
#include "../../04_training_loop/models.h"
#include "app/app.h"
#include "trainer.h"

namespace {

struct Choices {
  std::string strategy = "data-parallel", timeline;
  double lr = 0.02;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double accuracy(Trainer& trainer, const std::vector<images::Batch>& test) {
  const td::NoGradGuard no_grad;
  trainer.model->eval();
  double right = 0, all = 0;
  for (const images::Batch& batch : test) {
    const td::Tensor guess = trainer.forward(batch.data).argmax(1);
    right += (guess == batch.target.to(guess.device())).sum().item<double>();
    all += static_cast<double>(batch.target.numel());
  }
  trainer.model->train();
  return right / all;
}

double train_epoch(Trainer& trainer, images::Set& set, std::int64_t epoch) {
  app::ProgressLine progress;
  td::Tensor total = td::zeros({}, trainer.devices[0]);
  const double start = now();
  std::int64_t steps = 0;
  for (const images::Batch& batch : *set.train) {
    total += trainer.step(batch);
    const std::string where =
        "epoch " + std::to_string(epoch) + ", step " + std::to_string(++steps);
    progress.show(where);
    if (app::stop_requested()) throw app::Stopped(where);
  }
  const double loss = total.item<double>() / static_cast<double>(steps);  // waits for the device
  const double rate = static_cast<double>(set.samples) / (now() - start);
  progress.clear();
  std::cout << std::fixed << "Epoch " << epoch << ", Loss: " << std::setprecision(4) << loss
            << ", test accuracy: " << std::setprecision(1) << 100 * accuracy(trainer, set.test)
            << " %, " << std::setprecision(0) << rate << " samples/s\n"
            << std::flush;
  return rate;
}

// Draws one step that is not the first, because the first steps allocate memory.
void draw_step(Trainer& trainer, const images::Batch& batch, const std::string& path) {
  for (const td::Device& device : trainer.devices)
    TD_CHECK(app::OptionError, !device.is_cpu(),
             "--timeline shows an accelerator at work; take --devices sim:0,sim:1");
  for (int i = 0; i < 3; ++i) trainer.step(batch);
  for (const td::Device& device : trainer.devices) td::synchronize(device);
  td::trace::start();
  trainer.step(batch);
  const td::trace::Trace trace = td::trace::stop();
  std::cout << "One step of " << batch.data.size(0)
            << " samples: " << td::trace::text_timeline(trace);
  if (path != "-") td::trace::write_svg(trace, path);
}

// One step on one device and one on all, interleaved; medians of five.
void compare(Trainer& trainer, const images::Batch& batch) {
  Trainer one(cifar_net(), {trainer.devices[0]}, "single", 0.01);
  std::vector<double> alone, together;
  for (int i = 0; i < 6; ++i)
    for (auto [who, times] : {std::pair(&one, &alone), std::pair(&trainer, &together)}) {
      const double start = now();
      who->step(batch).item<float>();              // waits for the device
      if (i > 0) times->push_back(now() - start);  // the first warms up
    }
  for (auto* times : {&alone, &together}) std::sort(times->begin(), times->end());
  std::cout << "One step of " << batch.data.size(0) << " samples: " << std::setprecision(1)
            << 1e3 * alone[2] << " ms on " << trainer.devices[0] << ", " << 1e3 * together[2]
            << " ms on " << trainer.devices.size() << " devices (" << trainer.strategy
            << "): " << std::setprecision(2) << alone[2] / together[2] << " times as fast\n";
}

void run(const app::Options& options, const Choices& choices) {
  const bool automatic = options.devices.empty() && options.device == "auto";
  const Devices devices = automatic ? app::choose_accelerators(choices.strategy == "single" ? 1 : 2)
                                    : app::choose_devices(options);
  td::manual_seed(options.seed);
  images::Set set = images::load(app::image_folder(options, app::Images::kColor),
                                 app::Images::kColor, static_cast<std::size_t>(options.batch_size));
  Trainer trainer(cifar_net(), devices, choices.strategy, choices.lr);
  images::Batch batch = set.test.at(0);
  const std::int64_t rows = std::min(options.batch_size, batch.data.size(0));
  batch = {batch.data.narrow(0, 0, rows), batch.target.narrow(0, 0, rows)};
  if (!choices.timeline.empty()) return draw_step(trainer, batch, choices.timeline);
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) train_epoch(trainer, set, epoch);
  if (choices.strategy != "single" && devices.size() > 1) compare(trainer, batch);
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch05-train", "Trains one model on several devices.");
  command.takes({"devices", "epochs", "batch-size", "seed", "data"});
  command.options.epochs = 3;
  command.options.batch_size = 128;
  command.choice("--strategy", choices.strategy, {"single", "by-hand", "data-parallel"},
                 "one device, the exercises, or td::nn::parallel");
  command.option("--lr", choices.lr, "learning rate");
  command.option("--timeline", choices.timeline, "draw one step into this .svg; - for text only");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
