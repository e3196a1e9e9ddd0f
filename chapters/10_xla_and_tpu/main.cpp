// Chapter 10's program: trains a small model on the devices of an XLA plugin (a TPU, a GPU or the
// CPU) as one compiled step. Each replica has a thread, takes its batches from a loader that copies
// them in advance, and averages its gradients with the other replicas inside the step. td then
// trains the same model on the cpu, and the program compares the weights.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "trace/trace.h"
#include "training.h"

namespace {

using td::xla::Client;

struct Choices {
  std::string model = "linear", style = "spawn", timeline;
  std::int64_t replicas = 1;
  double lr = 0;
  bool dump = false, keep_last = false;
};

// anchor: client
// Creates as many devices as replicas. Only XLA's plugin for the CPU has the option; other plugins
// have the devices of the hardware and reject it.
Client open_client(const td::xla::Plugin& plugin, int replicas) {
  try {
    return Client(plugin, replicas);
  } catch (const td::xla::XlaError&) {
    return Client(plugin);
  }
}
// anchor end

// Returns where the batches of one replica end. A smaller last batch is dropped or kept.
std::vector<std::int64_t> batch_ends(std::int64_t rows, bool keep_last) {
  std::vector<std::int64_t> ends;
  for (std::int64_t end = rows; end <= kRows; end += rows) ends.push_back(end);
  if (keep_last && kRows % rows != 0) ends.push_back(kRows);
  return ends;
}

void run(const app::Options& options, const Choices& choices) {
  TD_CHECK(app::OptionError, choices.replicas > 0 && options.batch_size % choices.replicas == 0,
           "--replicas ", choices.replicas, " does not divide the batch of ", options.batch_size,
           "; every replica takes the same number of rows");
  TD_CHECK(app::OptionError, options.batch_size <= kRows, "--batch-size ", options.batch_size,
           " is more than the ", kRows, " rows there are");
  TD_CHECK(app::OptionError, choices.timeline.empty() || choices.style == "spawn",
           "--timeline draws the threads of --style spawn");
  TD_CHECK(app::OptionError,
           !choices.keep_last || (choices.replicas == 1 && choices.style == "spawn"),
           "--keep-last needs one replica and --style spawn: all replicas of a step, and all steps "
           "of the loop, run one program");
  const Task task = make_task(choices.model, choices.lr);
  const auto replicas = static_cast<std::size_t>(choices.replicas);
  const std::int64_t rows = options.batch_size / choices.replicas;
  if (choices.dump) {
    std::cout << step_text(task, rows, replicas);
    return;
  }
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", 0);  // XLA's log: warnings, no information
  const td::xla::Plugin plugin = td::xla::Plugin::load(td::xla::find_plugin());
  const Client client = open_client(plugin, static_cast<int>(choices.replicas));
  std::cout << "plugin: " << client.platform() << ", PJRT " << plugin.version() << '\n';
  for (std::size_t i = 0; i < client.devices().size(); ++i)
    std::cout << "  xla:" << i << "  " << client.devices()[i].kind << "  "
              << client.devices()[i].text << '\n';

  std::vector<std::int64_t> ends = batch_ends(rows, choices.keep_last);
  ends.resize(ends.size() / replicas * replicas);  // complete groups only, as in the loader
  const std::size_t steps = static_cast<std::size_t>(options.epochs) * (ends.size() / replicas);
  Training training{client, task, replicas, steps, ends};
  training.record = !choices.timeline.empty();
  const auto start = Clock::now();
  const TensorList ours =
      choices.style == "spawn" ? training.train_spawned() : training.train_in_a_loop();
  const double seconds = seconds_since(start) - training.compile_seconds;
  if (training.record && training.started >= 3)
    td::trace::write_svg(td::trace::stop(), choices.timeline,
                         td::trace::PictureOptions().host(true));
  std::cout << "programs compiled: " << training.compiled << '\n'
            << steps << " steps per replica, " << std::fixed << std::setprecision(3)
            << seconds * 1e3 / static_cast<double>(std::max<std::size_t>(1, steps))
            << " ms per step without the compilation\n"
            << "copied " << training.copied << " bytes of batches to the devices\n"
            << "the weights were donated: " << (training.donated ? "yes" : "no") << '\n';
  std::vector<std::int64_t> cpu_ends;  // a step of td takes the rows of all replicas
  for (std::size_t i = replicas; i <= ends.size(); i += replicas) cpu_ends.push_back(ends[i - 1]);
  const TensorList expected = train_on_cpu(task, cpu_ends, options.epochs);
  double difference = 0;
  for (int w = 0; w < 2; ++w)
    difference = std::max(difference, (ours[w] - expected[w]).abs().max().item<double>());
  std::cout << "bias " << std::setprecision(5) << ours[1].view({-1})[0].item<float>() << '\n'
            << "largest difference from td's own training on the cpu: " << std::scientific
            << std::setprecision(1) << difference << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch10_xla_and_tpu", "Trains a model on the devices of an XLA plugin.");
  command.takes({"epochs", "batch-size"})
      .without_device(
          "its devices are those of an XLA plugin, which PJRT_PLUGIN names, not td's cpu, sim and "
          "cuda");
  command.options.epochs = 10;
  command.choice("--model", choices.model, {"linear", "classifier"},
                 "linear: MSE and SGD; classifier: cross entropy and Adam");
  command.choice("--style", choices.style, {"spawn", "loop"},
                 "a thread per replica and a loader, or one thread");
  command.option("--replicas", choices.replicas, "devices that train together", 1);
  command.option("--lr", choices.lr, "learning rate; 0: the default of the model");
  command.flag("--keep-last", choices.keep_last, "keep a smaller last batch");
  command.flag("--dump", choices.dump, "print the step in StableHLO and do nothing else");
  command.option("--timeline", choices.timeline,
                 "draw the steps from the third one on into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    try {
      run(options, choices);
    } catch (const td::xla::PluginMissing& missing) {
      throw app::CannotRunHere(missing.what());
    }
  });
}
