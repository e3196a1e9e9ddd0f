// The training of train.cpp on one thread: the exercise `donate` starts a step, copies the next
// batch meanwhile, and then waits.
#include "app/xla.h"
#include "training.h"

namespace {

struct Choices {
  std::string model = "linear";
  std::int64_t replicas = 1;
};

TensorList train_in_a_loop(Training& training) {
  const Client& client = training.client;
  std::vector<std::vector<Buffer>> weights(training.replicas);
  for (std::size_t r = 0; r < training.replicas; ++r)
    for (const td::Tensor& weight : training.task.weights)
      weights[r].push_back(client.to_device(weight, r));
  const Upload upload = [&](std::size_t n, std::size_t r) {
    std::vector<Buffer> batch;
    for (const td::Tensor& tensor : training.read(n * training.replicas + r))
      batch.push_back(client.to_device(tensor, r));
    return batch;
  };
  const Buffer first = weights[0][0];
  const Executable step = training.compile(training.ends[0]);
  weights = train(step, weights, training.steps, upload,
                  [&](std::size_t n, const Buffer& loss) { training.print_loss(n, loss); });
  training.donated = first.is_deleted();
  return {weights[0][0].to_host(), weights[0][1].to_host()};
}

void run(const app::Options& options, const Choices& choices) {
  const std::int64_t rows = rows_of(options, choices.replicas);
  const Task task = make_task(choices.model, 0);
  const Client client = app::open_xla(static_cast<int>(choices.replicas));
  const auto replicas = static_cast<std::size_t>(choices.replicas);
  const std::vector<std::int64_t> ends = batch_ends(rows, replicas, false);
  const std::size_t steps = static_cast<std::size_t>(options.epochs) * (ends.size() / replicas);
  Training training{client, task, replicas, steps, ends};
  const auto start = Clock::now();
  const TensorList weights = train_in_a_loop(training);
  training.report(weights, seconds_since(start));
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch10-loop", "Trains on the devices of an XLA plugin from one thread.");
  command.takes({"epochs", "batch-size"}).without_device(app::kXlaDevices);
  command.options.epochs = 10;
  command.choice("--model", choices.model, {"linear", "classifier"},
                 "linear: MSE and SGD; classifier: cross entropy and Adam");
  command.option("--replicas", choices.replicas, "devices that train together", 1);
  return command.run(argc, argv, [&](const app::Options& options) { run(options, choices); });
}
