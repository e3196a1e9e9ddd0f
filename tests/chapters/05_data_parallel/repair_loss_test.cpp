// Tests of repair_loss: loss and gradients are those of one device, however the rows are divided.
#include "replicas.h"

namespace {

td::nn::Sequential two_layers(td::Device device) {
  td::manual_seed(3);
  td::nn::Sequential model(td::nn::Linear(3, 5), td::nn::ReLU(), td::nn::Linear(5, 2));
  model->to(device);
  return model;
}

/// Compares loss and gradients with those of the model on the cpu.
void expect_like_one_device(std::int64_t rows, const std::vector<td::Device>& devices) {
  td::manual_seed(7);
  const td::Tensor inputs = td::randn({rows, 3}), targets = td::randn({rows, 2});
  td::nn::Sequential expected = two_layers("cpu"), model = two_layers(devices[0]);
  const td::Tensor expected_loss = td::nn::functional::mse_loss(expected->forward(inputs), targets);
  expected_loss.backward();
  const std::string where = std::to_string(rows) + " rows on " + named(devices);
  td::Tensor loss;
  try {
    loss = parallel_loss(model, inputs.to(devices[0]), targets.to(devices[0]), devices);
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const std::exception& error) {
    FAIL(where << ": an error was thrown: " << error.what());
  }
  check::expect_on(loss, devices[0], "the loss of " + where);
  check::expect(loss.dim() == 0, "the loss of " + where + " should have no dimensions");
  check::expect_close(loss.item<double>(), expected_loss.item<double>(), 1e-5,
                      "the loss of " + where + " (every row counts alike)");
  check::expect(loss.requires_grad(),
                "the loss of " + where + " does not require grad: which step is not recorded?");
  loss.backward();
  for (std::size_t i = 0; i < model->parameters().size(); ++i) {
    const td::Tensor gradient = model->parameters()[i].grad();
    const std::string what = "the gradient of parameter " + std::to_string(i) + ", " + where;
    check::expect(gradient.defined(), what + ", is missing");
    check::expect_close(gradient, expected->parameters()[i].grad(), 1e-4, what);
  }
}

}  // namespace

TEST_CASE("loss and gradients are those of one device", "[repair_loss]") {
  for (const auto& devices : device_lists()) expect_like_one_device(12, devices);
}

TEST_CASE("parts of different sizes count by their rows", "[repair_loss]") {
  for (const auto& devices : device_lists())
    for (const std::int64_t rows : {7, 31}) expect_like_one_device(rows, devices);
}

TEST_CASE("a small batch leaves devices without a part", "[repair_loss]") {
  for (const auto& devices : device_lists())
    for (const std::int64_t rows : {1, 2, 4}) expect_like_one_device(rows, devices);
}
