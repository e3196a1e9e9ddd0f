// Tests of repair_scaling: steps against SGD on gradients that are scaled and unscaled by hand, and
// what the scaler does about gradients that are not finite.
#include "gradients.h"

namespace {

using td::amp::GradScaler, td::amp::GradScalerOptions;

constexpr double kScale = 1024, kRate = 0.5;

struct Run {
  explicit Run(td::Device device, std::int64_t growth_interval = 2000)
      : optimizer((model->to(device), model->parameters()), td::optim::SGDOptions(kRate)),
        scaler(GradScalerOptions().init_scale(kScale).growth_interval(growth_interval)) {}
  static td::nn::Sequential network() {
    td::manual_seed(3);
    return td::nn::Sequential(td::nn::Linear(6, 16), td::nn::ReLU(), td::nn::Linear(16, 3));
  }

  td::nn::Sequential model = network();
  td::optim::SGD optimizer;
  GradScaler scaler;
};

/// @param size of the inputs: small ones give gradients that float16 cannot hold without a scale.
td::data::Example<> batch_on(td::Device device, double size = 1) {
  td::manual_seed(5);
  const td::Tensor data = td::randn({8, 6}) * size;
  return {data.to(device), td::tensor({0, 1, 2, 0, 1, 2, 0, 1}).to(device)};
}

/// Inputs whose gradients are not finite.
td::data::Example<> overflowing(td::Device device) {
  return {td::full({4, 6}, 3e38).to(device), td::tensor({0, 1, 2, 0}).to(device)};
}

std::vector<double> weights_of(const Run& run) {
  td::TensorList all;
  for (const td::Tensor& parameter : run.model.ptr()->parameters())
    all.push_back(parameter.detach().flatten());
  return check::values(td::cat(all));
}

/// One step of SGD, with the scale and the limit of the norm written out. Returns the loss.
double step_by_hand(Run& run, const td::data::Example<>& batch, double max_norm) {
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(run.model->forward(batch.data), batch.target);
  }
  auto parameters = run.model->parameters();
  auto gradients = td::autograd::grad({loss * kScale}, parameters);
  double squares = 0;
  for (td::Tensor& gradient : gradients) {
    gradient = gradient / kScale;
    squares += gradient.pow(2).sum().item<double>();
  }
  const double factor = std::min(1.0, max_norm / std::sqrt(squares));
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i].sub_(gradients[i] * (kRate * factor));
  return loss.item<double>();
}

void expect_same_steps(td::Device device, double size, double max_norm, const std::string& what) {
  Run run(device), expected(device);
  const auto batch = batch_on(device, size);
  for (int step = 0; step < 3; ++step) {
    const td::Tensor loss = scaled_step(run.model, run.optimizer, run.scaler, batch, max_norm);
    const double expected_loss = step_by_hand(expected, batch, max_norm);
    check::expect(!loss.requires_grad(), "the returned loss belongs to the graph");
    check::expect_close(loss.item<double>(), expected_loss, 1e-3,
                        "the loss of step " + std::to_string(step) + ", " + what);
    check::expect_close(weights_of(run), weights_of(expected), 1e-5,
                        "all weights after step " + std::to_string(step) + ", " + what);
  }
}

}  // namespace

TEST_CASE("the limit is for the true gradients, and several steps work", "[repair_scaling]") {
  for (const td::Device device : check::devices())
    for (const double max_norm : {0.05, 100.0})
      expect_same_steps(device, 1, max_norm,
                        "max_norm " + std::to_string(max_norm) + ", on " + device.str());
}

TEST_CASE("small gradients reach the first layer", "[repair_scaling]") {
  for (const td::Device device : check::devices()) {
    Run run(device);
    const auto batch = batch_on(device, 1e-6);
    const std::vector<double> before = check::values(run.model->parameters()[0]);
    scaled_step(run.model, run.optimizer, run.scaler, batch, 100);
    check::expect(check::values(run.model->parameters()[0]) != before,
                  "inputs of about 1e-6 changed no weight of the first layer on " + device.str() +
                      ": without a scale, gradients below 3e-8 are 0 in float16");
    expect_same_steps(device, 1e-6, 100, "inputs of about 1e-6, on " + device.str());
  }
}

TEST_CASE("an overflow changes no weight and halves the scale", "[repair_scaling]") {
  for (const td::Device device : check::devices()) {
    Run run(device);
    const std::vector<double> before = weights_of(run);
    scaled_step(run.model, run.optimizer, run.scaler, overflowing(device), 1);
    check::expect_close(
        weights_of(run), before, 0,
        "all weights after a step whose gradients are not finite, on " + device.str());
    check::expect_close(run.scaler.get_scale(), kScale / 2, 0, "the scale after an overflow");
    scaled_step(run.model, run.optimizer, run.scaler, batch_on(device), 1);
    check::expect(weights_of(run) != before, "the step after an overflow changed no weight");
    check::expect_close(run.scaler.get_scale(), kScale / 2, 0, "the scale after the next step");
  }
}

TEST_CASE("the scale grows after enough good steps", "[repair_scaling]") {
  Run run("cpu", 2);
  const auto batch = batch_on("cpu");
  for (int step = 0; step < 2; ++step) scaled_step(run.model, run.optimizer, run.scaler, batch, 1);
  check::expect_close(run.scaler.get_scale(), 2 * kScale, 0,
                      "the scale after two steps with growth_interval 2");
}

TEST_CASE("gradients of before do not count", "[repair_scaling]") {
  Run run("cpu"), expected("cpu");
  const auto batch = batch_on("cpu");
  for (const td::Tensor& parameter : run.model->parameters())
    parameter.mutable_grad() = td::ones_like(parameter.detach());
  scaled_step(run.model, run.optimizer, run.scaler, batch, 100);
  step_by_hand(expected, batch, 100);
  check::expect_close(weights_of(run), weights_of(expected), 1e-5,
                      "all weights after a step of a model that had gradients before, which the "
                      "step must clear first");
}
