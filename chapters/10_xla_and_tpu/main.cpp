// Chapter 10's program: trains a small model on the devices of an XLA plugin (a TPU, a GPU, or this
// machine's processor), as one compiled step with the weights donated, on one device or on several
// that sum their gradients inside the step. Then the core trains the same model on the cpu, and the
// two are compared.
#include <chrono>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "programs.h"

namespace {

using td::Tensor;
using td::TensorList;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kFeatures = 10;

struct Choices {
  std::int64_t replicas = 1;
  std::string model = "linear";
  double lr = 0;
  bool dump = false;
};

// What is trained: the rows, the weights at the start, and the program for one step.
struct Task {
  Tensor x, y;
  TensorList weights;
  std::string program;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// anchor: average
// Sums over all replicas, as torch_xla's optimizer_step does before the optimizer's own step.
struct Sum {
  const char *value, *result, *type;
};
std::string sum_over_replicas(const std::vector<Sum>& sums, int replicas) {
  std::string text;
  for (const Sum& sum : sums) text += all_reduce(sum.value, sum.result, sum.type, replicas);
  return text;
}
// anchor end

// anchor: step
std::string linear_step(int rows, int replicas, double lr) {
  const int all_rows = rows * replicas;
  const std::vector<Sum> sums = {{"grad_w", "sum_w", "tensor<1x10xf32>"},
                                 {"grad_b", "sum_b", "tensor<1xf32>"},
                                 {"part", "loss", "tensor<f32>"}};
  return fill(kLinearStep, {{"B", std::to_string(rows)},
                            {"R", std::to_string(replicas)},
                            {"one_over_N", number(1.0 / all_rows)},
                            {"lr", number(lr)},
                            {"backward", gradients(rows, all_rows)},
                            {"average", sum_over_replicas(sums, replicas)}});
}
// anchor end

std::string classifier_step(int rows, int replicas, double lr) {
  const std::vector<Sum> sums = {{"grad_w", "gw", "tensor<2x10xf32>"},
                                 {"grad_b", "gb", "tensor<2xf32>"},
                                 {"part", "loss", "tensor<f32>"}};
  const std::map<std::string, std::string> numbers = {
      {"beta1", number(0.9)},   {"one_minus_beta1", number(0.1)},
      {"beta2", number(0.999)}, {"one_minus_beta2", number(0.001)},
      {"eps", number(1e-8)},    {"lr", number(lr)}};
  const auto adam = [&](const char* weight, const char* type) {
    return fill(fill(kAdam, {{"p", weight}, {"T", type}}), numbers);
  };
  return fill(kClassifierStep, {{"B", std::to_string(rows)},
                                {"R", std::to_string(replicas)},
                                {"one_over_N", number(1.0 / (rows * replicas))},
                                {"beta1", number(0.9)},
                                {"beta2", number(0.999)},
                                {"average", sum_over_replicas(sums, replicas)},
                                {"adam_w", adam("w", "tensor<2x10xf32>")},
                                {"adam_b", adam("b", "tensor<2xf32>")}});
}

Task make_task(const app::Options& options, const Choices& choices) {
  td::manual_seed(options.seed);
  const int replicas = static_cast<int>(choices.replicas);
  const int rows = static_cast<int>(options.batch_size / choices.replicas);
  Task task;
  if (choices.model == "linear") {
    task.x = td::randn({320, kFeatures});
    task.y = task.x.matmul(td::arange(kFeatures, td::kFloat).view({-1, 1})) * 0.1 + 0.5;
    task.weights = {td::zeros({1, kFeatures}), td::zeros({1})};
    task.program = linear_step(rows, replicas, choices.lr);
  } else {
    task.x = td::randn({100, kFeatures});
    task.y = td::randint(0, 2, {100}, td::kLong);
    task.weights = {td::rand({2, kFeatures}) * 0.6 - 0.3, td::zeros({2})};
    for (int state = 0; state < 2; ++state)  // Adam's two averages
      for (int w = 0; w < 2; ++w) task.weights.push_back(td::zeros_like(task.weights[w]));
    task.weights.push_back(td::zeros({}));  // and its count of steps
    task.program = classifier_step(rows, replicas, choices.lr);
  }
  return task;
}

// The core's own training on the cpu, of the same rows in the same order.
TensorList train_on_cpu(const Task& task, const Choices& choices, std::int64_t batch,
                        std::size_t steps) {
  TensorList weights;
  for (int w = 0; w < 2; ++w) weights.push_back(task.weights[w].clone().requires_grad_());
  td::optim::SGD sgd(weights, td::optim::SGDOptions(choices.lr));
  td::optim::Adam adam(weights, td::optim::AdamOptions(choices.lr));
  const auto batches = static_cast<std::size_t>(task.x.size(0) / batch);
  for (std::size_t n = 0; n < steps; ++n) {
    const auto begin = static_cast<std::int64_t>(n % batches) * batch;
    const Tensor output = td::linear(task.x.narrow(0, begin, batch), weights[0], weights[1]);
    const Tensor y = task.y.narrow(0, begin, batch);
    for (Tensor& weight : weights) weight.mutable_grad() = Tensor();
    if (choices.model == "linear") {
      td::mse_loss(output, y).backward();
      sgd.step();
    } else {
      td::nn::functional::cross_entropy(output, y).backward();
      adam.step();
    }
  }
  return weights;
}

// anchor: client
// As many devices as replicas. Only XLA's plugin for the cpu lets one choose; others have what the
// machine has, and refuse the option.
td::xla::Client open_client(const td::xla::Plugin& plugin, int replicas) {
  try {
    return td::xla::Client(plugin, replicas);
  } catch (const td::xla::XlaError&) {
    return td::xla::Client(plugin);
  }
}
// anchor end

void introduce(const td::xla::Plugin& plugin, const td::xla::Client& client) {
  std::cout << "plugin: " << client.platform() << ", PJRT " << plugin.version() << '\n';
  for (std::size_t i = 0; i < client.devices().size(); ++i)
    std::cout << "  xla:" << i << "  " << client.devices()[i].kind << "  "
              << client.devices()[i].text << '\n';
}

// anchor: train
// Trains on the plugin's devices; gives the weights of replica 0.
TensorList train_on_xla(const td::xla::Client& client, const Task& task, const Choices& choices,
                        std::int64_t batch, std::size_t steps) {
  const auto start = Clock::now();
  const int count = static_cast<int>(choices.replicas);
  const Executable step = client.compile(task.program, encode_options(count, 1), count);
  std::cout << "the step was compiled in " << std::fixed << std::setprecision(2)
            << seconds_since(start) << " s\n";

  const auto replicas = static_cast<std::size_t>(choices.replicas);
  std::vector<std::vector<Buffer>> weights(replicas);
  for (std::size_t r = 0; r < replicas; ++r)
    for (const Tensor& weight : task.weights) weights[r].push_back(client.to_device(weight, r));

  const std::int64_t rows = batch / choices.replicas;
  const auto batches = static_cast<std::size_t>(task.x.size(0) / batch);
  const Upload upload = [&](std::size_t n, std::size_t r) -> std::vector<Buffer> {
    const std::int64_t begin =
        static_cast<std::int64_t>(n % batches) * batch + static_cast<std::int64_t>(r) * rows;
    return {client.to_device(task.x.narrow(0, begin, rows), r),
            client.to_device(task.y.narrow(0, begin, rows), r)};
  };
  const OnLoss on_loss = [&](std::size_t n, const Buffer& loss) {
    if (n % batches == batches - 1)
      std::cout << "Epoch " << n / batches + 1 << ", Loss: " << std::defaultfloat
                << std::setprecision(4) << loss.to_host().item<float>() << '\n';
  };
  const auto begin = Clock::now();
  const Buffer first = weights[0][0];
  weights = train(step, weights, steps, upload, on_loss);
  std::cout << std::fixed << std::setprecision(3)
            << seconds_since(begin) * 1e3 / static_cast<double>(std::max<std::size_t>(1, steps))
            << " ms a step\n"
            << "the weights were donated: " << (first.is_deleted() ? "yes" : "no") << '\n';
  return {weights[0][0].to_host(), weights[0][1].to_host()};
}
// anchor end

void run(const app::Options& options, Choices choices) {
  TD_CHECK(td::Error, choices.replicas > 0 && options.batch_size % choices.replicas == 0,
           "--replicas ", choices.replicas, " does not divide the batch of ", options.batch_size,
           "; every replica takes the same number of rows");
  if (choices.lr == 0) choices.lr = choices.model == "linear" ? 0.05 : 0.001;
  const Task task = make_task(options, choices);
  TD_CHECK(td::Error, options.batch_size <= task.x.size(0), "--batch-size ", options.batch_size,
           " is more than the ", task.x.size(0), " rows there are");
  if (choices.dump) {
    std::cout << task.program;
    return;
  }
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", 0);  // XLA's log: warnings, no information
  const td::xla::Plugin plugin = td::xla::Plugin::load(td::xla::find_plugin());
  const td::xla::Client client = open_client(plugin, static_cast<int>(choices.replicas));
  introduce(plugin, client);
  const auto steps =
      static_cast<std::size_t>(options.epochs * (task.x.size(0) / options.batch_size));
  const TensorList ours = train_on_xla(client, task, choices, options.batch_size, steps);
  const TensorList expected = train_on_cpu(task, choices, options.batch_size, steps);
  double difference = 0;
  for (int w = 0; w < 2; ++w)
    difference = std::max(difference, (ours[w] - expected[w]).abs().max().item<double>());
  std::cout << "largest difference from the core's own training on the cpu: " << std::scientific
            << std::setprecision(1) << difference << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  Choices choices;
  app::Command command("ch10_xla_and_tpu", "Trains a model on the devices of an XLA plugin.");
  command.takes({"epochs", "batch-size", "seed"})
      .without_device(
          "its devices are those of an XLA plugin, which PJRT_PLUGIN names, not td's cpu, sim and "
          "cuda");
  command.options.epochs = 10;
  command.choice("--model", choices.model, {"linear", "classifier"},
                 "linear: MSE and SGD; classifier: cross entropy and Adam");
  command.option("--replicas", choices.replicas, "devices that train together");
  command.option("--lr", choices.lr, "learning rate; 0: the model's own");
  command.flag("--dump", choices.dump, "print the step in StableHLO and do nothing");
  return command.run(argc, argv, [&](const app::Options& options) {
    try {
      run(options, choices);
    } catch (const td::xla::PluginMissing& missing) {
      throw app::CannotRunHere(missing.what());
    }
  });
}
