// Tests of repair_loop: one for each report, and all results against a plain loop.
#include "loops.h"

namespace {

using td::nn::CrossEntropyLoss, td::nn::Sequential;

/// The same training on the cpu, with the rule of SGD written out.
std::vector<EpochResult> plain_loop(Sequential& net, const std::vector<Batch>& training,
                                    const std::vector<Batch>& test, std::int64_t epochs) {
  std::vector<td::Tensor> velocity;
  for (const td::Tensor& p : net->parameters()) velocity.push_back(td::zeros(p.sizes()));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    double loss_sum = 0, samples = 0, right = 0, tested = 0;
    net->train();
    for (const Batch& batch : training) {
      const td::Tensor loss = CrossEntropyLoss()(net->forward(batch.data), batch.target);
      const auto gradients = td::autograd::grad({loss}, net->parameters());
      const td::NoGradGuard no_grad;
      auto parameters = net->parameters();
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        velocity[i] = velocity[i] * 0.9 + gradients[i];
        parameters[i].sub_(velocity[i] * 0.05);
      }
      loss_sum += loss.item<double>() * static_cast<double>(batch.data.size(0));
      samples += static_cast<double>(batch.data.size(0));
    }
    net->eval();
    const td::NoGradGuard no_grad;
    for (const Batch& batch : test) {
      right += (net->forward(batch.data).argmax(1) == batch.target).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    results.push_back({loss_sum / samples, right / tested});
  }
  return results;
}

void expect_parameters(Sequential& got, Sequential& expected, const std::string& when,
                       const std::string& question) {
  for (std::size_t i = 0; i < got->parameters().size(); ++i)
    check::expect_close(
        got->parameters()[i], expected->parameters()[i], 1e-4,
        "parameter " + std::to_string(i) + " after " + when + " (" + question + ")");
}

}  // namespace

TEST_CASE("the loss grows after the first steps", "[repair_loop]") {
  const auto training = batches_of({32, 32, 32}, 20), test = batches_of({9}, 40);
  Sequential net = make_net(), expected = make_net();
  train_and_test(net, training, test, "cpu", 1);
  plain_loop(expected, training, test, 1);
  expect_parameters(net, expected, "three steps",
                    "does each step use the gradients of its own batch only?");
}

TEST_CASE("momentum makes it no faster", "[repair_loop]") {
  const auto training = batches_of({32}, 20), test = batches_of({9}, 40);
  Sequential net = make_net(), expected = make_net();
  train_and_test(net, training, test, "cpu", 4);
  plain_loop(expected, training, test, 4);
  check::expect_close(
      check::values(net->buffers()[2]), std::vector<double>{4}, 0,
      "the number of batches that the batch norm has seen in 4 epochs of one batch");
  expect_parameters(net, expected, "4 epochs of one batch",
                    "does the velocity of an epoch reach the next one?");
}

TEST_CASE("the running mean changes in the first epoch only", "[repair_loop]") {
  const auto training = batches_of({16, 16}, 20), test = batches_of({9, 4}, 40);
  Sequential net = make_net();
  net->eval();  // whatever the caller did before
  train_and_test(net, training, test, "cpu", 3);
  check::expect_close(check::values(net->buffers()[2]), std::vector<double>{6}, 0,
                      "the number of batches that the batch norm has seen in 3 epochs of 2 batches "
                      "(in which mode is the model in the second epoch?)");
}

TEST_CASE("layers without buffers have the right mode, too", "[repair_loop]") {
  Sequential net = make_net();
  GraphProbe probe;
  net->push_back(probe);
  train_and_test(net, batches_of({8, 8, 8}, 20), batches_of({9, 4}, 40), "cpu", 2);
  check::expect(probe->calls_in_training == 6 && probe->calls_in_evaluation == 4,
                "in 2 epochs of 3 training batches and 2 test batches, a layer should be called 6 "
                "times in training mode and 4 times in evaluation mode; it was " +
                    std::to_string(probe->calls_in_training) + " and " +
                    std::to_string(probe->calls_in_evaluation) + " times");
}

TEST_CASE("the memory grows with the number of batches", "[repair_loop]") {
  Sequential net = make_net();
  GraphProbe probe;
  net->push_back(probe);
  train_and_test(net, batches_of({8, 8, 8, 8, 8, 8}, 20), batches_of({9}, 40), "cpu", 2);
  check::expect(probe->most_graphs <= 1,
                "when a step began, the graphs of " + std::to_string(probe->most_graphs) +
                    " earlier steps were still in memory; what keeps them?");
  check::expect(!probe->tracked_in_evaluation, "the test builds graphs that nobody needs");
}

TEST_CASE("results and parameters are those of a plain loop on every device", "[repair_loop]") {
  const auto training = batches_of({33, 31, 5}, 20), test = batches_of({16, 3, 1}, 40);
  Sequential expected_net = make_net();
  const auto expected = plain_loop(expected_net, training, test, 3);
  for (const td::Device device : check::devices()) {
    Sequential net = make_net();
    const auto got = train_and_test(net, training, test, device, 3);
    check::expect(got.size() == 3,
                  "3 epochs should give 3 results; there are " + std::to_string(got.size()));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string what = " of epoch " + std::to_string(i) + " on " + device.str();
      check::expect_close(got[i].loss, expected[i].loss, 1e-4,
                          "the loss" + what + " (weight each step with its samples)");
      check::expect_close(got[i].accuracy, expected[i].accuracy, 1e-6, "the accuracy" + what);
    }
    check::expect_on(net->parameters()[0], device, "the model after training");
    const td::Tensor gradient = net->parameters()[0].grad();
    check::expect(!gradient.defined() || !gradient.requires_grad(),
                  "a gradient is part of a graph");
    expect_parameters(net, expected_net, "3 epochs on " + device.str(), "as in the plain loop");
  }
}
