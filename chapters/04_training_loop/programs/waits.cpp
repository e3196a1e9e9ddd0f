// How often the host waits for the device in a training loop, counted in a trace: pageable or
// pinned batches, blocking or non-blocking copies, and reading the loss in every step. The copy and
// the step are exercises; with --mine they are yours.
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "exercises.h"
#include "trace/trace.h"

namespace {

struct Setting {
  const char* memory;
  const char* copy;
  const char* loss;
  const char* picture;  ///< the file to draw; nullptr for none
};

constexpr int kSteps = 10;

/// Trains for kSteps steps, each on a batch that comes from the host.
td::trace::Trace train(const Setting& setting, td::Device device, int steps) {
  using namespace td::nn;
  Sequential model(Linear(512, 512), ReLU(), Linear(512, 10));
  model->to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.01));
  CrossEntropyLoss loss_fn;
  Batch batch(td::randn({128, 512}), td::randint(0, 10, {128}, td::kInt64));
  if (setting.memory == std::string("pinned"))
    batch = {batch.data.pin_memory(), batch.target.pin_memory()};
  const bool non_blocking = setting.copy == std::string("non_blocking");
  td::Tensor total = td::zeros({}, device);
  // anchor: loop
  const auto run = [&](int count) {
    for (int step = 0; step < count; ++step) {
      const td::trace::Span span("step");
      const Batch moved = move_batch(batch, device, non_blocking);
      const td::Tensor loss = train_step(model, loss_fn, optimizer, moved.data, moved.target);
      if (setting.loss == std::string("item()"))
        loss.item<float>();
      else
        total += loss;
    }
  };
  // anchor end
  run(2);  // first use creates what the steps need
  td::synchronize(device);
  td::trace::start();
  run(steps);
  return td::trace::stop();
}

/// Returns how often the host waited for a device. Waits with nothing in between are one: a copy to
/// pageable memory waits in two places.
int count(const td::trace::Trace& trace) {
  int waits = 0;
  bool waited = false;  // the last span of the host
  for (const auto& span : trace.spans) {
    if (trace.tracks[span.track].kind != td::trace::TrackKind::kThread) continue;
    const bool waits_now = span.category == td::trace::Category::kWait;
    waits += waits_now && !waited;
    waited = waits_now;
  }
  return waits;
}

void show(td::Device device, const std::string& pictures) {
  const Setting settings[] = {{"pageable", "blocking", "added up", "waits.svg"},
                              {"pageable", "non_blocking", "added up", nullptr},
                              {"pinned", "blocking", "added up", nullptr},
                              {"pinned", "non_blocking", "added up", "no_waits.svg"},
                              {"pinned", "non_blocking", "item()", nullptr}};
  std::cout << "host waits in " << kSteps << " steps of 128 samples\n"
            << "memory     copy           loss       waits\n";
  for (const Setting& setting : settings) {
    std::cout << std::left << std::setw(11) << setting.memory << std::setw(15) << setting.copy
              << std::setw(9) << setting.loss << std::right << std::setw(7)
              << count(train(setting, device, kSteps)) << std::endl;
    if (setting.picture && !pictures.empty())
      td::trace::write_svg(train(setting, device, 4), pictures + "/" + setting.picture,
                           td::trace::PictureOptions().host(true));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string pictures;
  app::Command command("ch04-waits", "Counts how often the host waits for the device.");
  command.takes({"seed"});
  command.option("--pictures", pictures, "draw two timelines into this folder");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    show(device, pictures);
  });
}
