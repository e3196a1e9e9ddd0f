// Trains a small model on several XLA devices. Each replica has a thread, takes its batches from a
// loader that copies them in advance, and averages its gradients inside the compiled step. It calls
// five of the exercises; with --mine they are yours.
#include "app/xla.h"
#include "training.h"

namespace {

struct Choices {
  std::string model = "linear", timeline;
  std::int64_t replicas = 1;
  double lr = 0;
  bool keep_last = false;
};

// One thread per replica and one that loads: torch_xla's xmp.spawn with a ParallelLoader.
TensorList train_spawned(Training& training) {
  ParallelLoader loader(
      training.client, training.replicas, [&](std::size_t n) { return training.read(n); }, 2);
  StepGroup group(training.replicas,
                  [&](const auto& arguments) { return training.start(arguments); });
  const NextBatch next = [&](std::size_t replica) {
    name_thread("replica " + std::to_string(replica));
    const td::trace::Span span("next batch");
    return loader.next(replica);
  };
  return spawn(training.client, group, training.task.weights, next,
               [&](std::size_t n, const Buffer& loss) { training.print_loss(n, loss); })[0];
}

void run(const app::Options& options, const Choices& choices) {
  const std::int64_t rows = rows_of(options, choices.replicas);
  TD_CHECK(app::OptionError, !choices.keep_last || choices.replicas == 1,
           "--keep-last needs one replica: all replicas of a step run one program");
  const Task task = make_task(choices.model, choices.lr);
  const Client client = app::open_xla(static_cast<int>(choices.replicas));
  const auto replicas = static_cast<std::size_t>(choices.replicas);
  const std::vector<std::int64_t> ends = batch_ends(rows, replicas, choices.keep_last);
  const std::size_t steps = static_cast<std::size_t>(options.epochs) * (ends.size() / replicas);
  Training training{client, task, replicas, steps, ends};
  training.record = !choices.timeline.empty();
  const auto start = Clock::now();
  const TensorList weights = train_spawned(training);
  const double seconds = seconds_since(start);
  if (training.record && training.started >= 3)
    td::trace::write_svg(td::trace::stop(), choices.timeline,
                         td::trace::PictureOptions().host(true));
  training.report(weights, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch10-train", "Trains a model on the devices of an XLA plugin.");
  command.takes({"epochs", "batch-size"}).without_device(app::kXlaDevices);
  command.options.epochs = 10;
  command.choice("--model", choices.model, {"linear", "classifier"},
                 "linear: MSE and SGD; classifier: cross entropy and Adam");
  command.option("--replicas", choices.replicas, "devices that train together", 1);
  command.option("--lr", choices.lr, "learning rate; 0: the default of the model");
  command.flag("--keep-last", choices.keep_last, "keep a smaller last batch");
  command.option("--timeline", choices.timeline,
                 "draw the steps from the third one on into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
