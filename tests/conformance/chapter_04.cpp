// Chapter 04's models and training loop, as they are in the course, compiled with libtorch as
// well: the same losses and weights after the same steps on data made by formula. Not here: time_it
// (it knows the course's own device), the readers of picture files, and main.cpp,
// whose options are the course's.
#include "conformance.h"

// After libtorch or td, both of which include the headers that these files need.
#include "../../chapters/04_training_loop/models.h"
#include "../../solutions/04_training_loop/accuracy.cpp"
#include "../../solutions/04_training_loop/move_batch.cpp"
#include "../../solutions/04_training_loop/sgd_momentum.cpp"
#include "../../solutions/04_training_loop/train_step.cpp"

using namespace conformance;
namespace nn = torch::nn;
namespace data = torch::data;

namespace {

// Images in ten classes: a wave whose length is the class, and a little of something else.
Batch pictures(std::int64_t count, std::int64_t channels, std::int64_t size, double seed) {
  const Tensor target = whole({count}, 10);
  const Tensor place = torch::arange(size, torch::kFloat32).view({1, 1, 1, size});
  const Tensor wave = (place * (target.to(torch::kFloat32).view({count, 1, 1, 1}) + 1) * 0.3).sin();
  return {wave.expand({count, channels, size, size}) +
              formula({count, channels, size, size}, torch::kFloat32, 0.3, 0, seed),
          target};
}

template <class Optimizer, class Options>
void train_pictures(const std::string& name, nn::Sequential model, const Options& options,
                    std::int64_t channels, std::int64_t size, int steps) {
  Context here(name);
  set_weights(*model, 0.08);
  Optimizer optimizer(model->parameters(), options);
  std::vector<double> losses;
  const nn::CrossEntropyLoss criterion;
  for (int step = 0; step < steps; ++step) {
    const Batch batch = move_batch(pictures(16, channels, size, 0.1 * step), torch::Device("cpu"));
    const Tensor loss = train_step(model, Loss(criterion), optimizer, batch.data, batch.target);
    losses.push_back(loss.item<double>());
  }
  REPORT(losses);
  REPORT(losses.back() < losses.front());
  for (const auto& item : model->named_parameters())
    print(item.key() + " norm", item.value().norm().template item<double>());
  REPORT(accuracy(model, {pictures(40, channels, size, 5), pictures(8, channels, size, 6)},
                  torch::kCPU));
  REPORT(model->is_training());
}

void simple() {
  for (const std::int64_t outputs : {1, 5}) {
    Context here("simple " + std::to_string(outputs));
    nn::Sequential model(nn::Linear(10, outputs));
    set_weights(*model);
    torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.01));
    const Tensor inputs = formula({100, 10});
    const Tensor targets = formula({100, outputs}, torch::kFloat32, 1, 0, 2);
    std::vector<double> losses;
    for (int epoch = 0; epoch < 200; ++epoch)
      losses.push_back(
          train_step(model, Loss(nn::MSELoss()), optimizer, inputs, targets).item<double>());
    REPORT(losses);
    REPORT(model->parameters()[0].detach());
  }
}

struct Rows : data::datasets::Dataset<Rows> {
  data::Example<> get(std::size_t index) override {
    return {formula({10}, torch::kFloat32, 1, 0, 0.01 * static_cast<double>(index)),
            torch::tensor(static_cast<std::int64_t>(index % 2))};
  }
  torch::optional<std::size_t> size() const override { return 100; }
};

void with_loader() {
  nn::Sequential model(nn::Linear(10, 5));
  set_weights(*model);
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.01));
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Rows().map(data::transforms::Stack<>()), data::DataLoaderOptions(32));
  std::vector<double> losses;
  for (int epoch = 0; epoch < 5; ++epoch)
    for (const Batch& batch : *loader)
      losses.push_back(
          train_step(model, Loss(nn::CrossEntropyLoss()), optimizer, batch.data, batch.target)
              .item<double>());
  REPORT(losses);
}

void by_hand() {
  nn::Sequential model(nn::Linear(10, 3));
  set_weights(*model);
  const Tensors parameters = model->parameters();
  Tensors velocity(parameters.size());
  for (int step = 0; step < 20; ++step) {
    model->zero_grad();
    nn::MSELoss()(model->forward(formula({20, 10})), formula({20, 3})).backward();
    sgd_momentum(parameters, velocity, 0.05, 0.9);
  }
  for (const Tensor& parameter : parameters) REPORT(parameter.detach());
}

}  // namespace

int main() {
  using torch::optim::AdamOptions;
  using torch::optim::SGDOptions;
  simple();
  with_loader();
  by_hand();
  train_pictures<torch::optim::SGD>("LeNet", lenet(), SGDOptions(0.01).momentum(0.9), 1, 28, 30);
  train_pictures<torch::optim::Adam>("LeNet with Adam", lenet(), AdamOptions(1e-3), 1, 28, 15);
  train_pictures<torch::optim::SGD>("CIFAR network", cifar_net(), SGDOptions(0.01).momentum(0.9), 3,
                                    32, 12);
  train_pictures<torch::optim::SGD>("linear", linear_classifier(), SGDOptions(0.001), 3, 32, 20);
  return 0;
}
