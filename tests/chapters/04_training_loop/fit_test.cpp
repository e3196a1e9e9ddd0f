// Tests of fit: against a plain loop, and the rules of the task: modes, waits, samples.
#include <stdexcept>

#include "loops.h"

namespace {

using td::nn::CrossEntropyLoss, td::nn::CrossEntropyLossOptions, td::nn::Sequential;

CrossEntropyLoss weighted_loss() {
  return CrossEntropyLoss(CrossEntropyLossOptions().weight(td::tensor({0.5, 1.0, 2.0})));
}

// The same program as plain lines on the cpu.
std::vector<EpochResult> plain_loop(Sequential& net, const std::vector<Batch>& training,
                                    const std::vector<Batch>& test, const FitOptions& options) {
  CrossEntropyLoss loss_fn = weighted_loss();
  td::optim::SGD optimizer(net->parameters(),
                           td::optim::SGDOptions(options.lr).momentum(options.momentum));
  std::vector<EpochResult> results;
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    double loss_sum = 0, right = 0, samples = 0, tested = 0;
    for (const Batch& batch : training) {
      optimizer.zero_grad();
      const td::Tensor loss = loss_fn(net->forward(batch.data), batch.target);
      loss.backward();
      optimizer.step();
      const auto n = static_cast<double>(batch.data.size(0));
      loss_sum += loss.item<double>() * n;
      samples += n;
    }
    const td::NoGradGuard no_grad;
    net->eval();
    for (const Batch& batch : test) {
      right += (net->forward(batch.data).argmax(1) == batch.target).sum().item<double>();
      tested += static_cast<double>(batch.data.size(0));
    }
    net->train();
    results.push_back({loss_sum / samples, tested == 0 ? 0 : right / tested});
  }
  return results;
}

}  // namespace

TEST_CASE("losses, accuracies and parameters are those of the plain loop", "[fit]") {
  const auto training = batches_of({33, 31, 5}, 20), test = batches_of({16, 3, 1}, 40);
  const FitOptions options{3, 0.05, 0.9};
  Sequential expected_net = make_net();
  const auto expected = plain_loop(expected_net, training, test, options);
  for (const td::Device device : check::devices()) {
    Sequential net = make_net();
    CrossEntropyLoss loss_fn = weighted_loss();
    const auto got = fit(net, loss_fn, training, test, device, options);
    check::expect(got.size() == 3,
                  "3 epochs should give 3 results; there are " + std::to_string(got.size()));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string what = " of epoch " + std::to_string(i) + " on " + device.str();
      check::expect_close(got[i].loss, expected[i].loss, 1e-4,
                          "the loss" + what +
                              " (weight each step with its samples; `loss_fn`, which has weights "
                              "for the classes, gives the loss of a step)");
      check::expect_close(got[i].accuracy, expected[i].accuracy, 1e-6, "the accuracy" + what);
    }
    check::expect_on(net->parameters()[0], device, "the model after fit");
    check::expect_on(net->buffers()[0], device, "the running mean after fit");
    check::expect_on(loss_fn->weight, device, "the class weights of the loss function after fit");
    for (std::size_t i = 0; i < net->parameters().size(); ++i)
      check::expect_close(net->parameters()[i], expected_net->parameters()[i], 1e-4,
                          "parameter " + std::to_string(i) + " after fit on " + device.str());
    check::expect_close(check::values(net->buffers()[2]), std::vector<double>{9}, 0,
                        "the number of batches that the batch norm has seen: 3 epochs of 3");
  }
}

TEST_CASE("every module keeps its mode", "[fit]") {
  Sequential net = make_net();
  (*net)[1]->eval();  // a frozen batch norm
  const auto before = modes_of(*net);
  const auto statistics = check::values(net->buffers()[0]);
  CrossEntropyLoss loss_fn;
  fit(net, loss_fn, batches_of({8, 8}, 1), batches_of({8}, 9), "cpu", {2, 0.01, 0.9});
  expect_modes(*net, before, "after fit with a frozen batch norm");
  check::expect_close(check::values(net->buffers()[0]), statistics, 0,
                      "the running mean of a frozen batch norm, which no epoch may change");
}

TEST_CASE("an exception in the evaluation leaves the modes as they were", "[fit]") {
  Sequential net = make_net();
  GraphProbe probe;
  probe->fails = true;
  net->push_back(probe);
  (*net)[1]->eval();
  const auto before = modes_of(*net);
  CrossEntropyLoss loss_fn;
  check::expect_throws<std::runtime_error>(
      [&] { fit(net, loss_fn, batches_of({8}, 1), batches_of({8}, 9), "cpu", {}); },
      {"the test image is broken"}, "the model's own exception in the evaluation");
  expect_modes(*net, before, "after an exception");
  check::expect(td::GradMode::is_enabled(), "gradient tracking is still off after an exception");
}

TEST_CASE("the evaluation builds no graph", "[fit]") {
  Sequential net = make_net();
  GraphProbe probe;
  net->push_back(probe);
  CrossEntropyLoss loss_fn;
  fit(net, loss_fn, batches_of({8}, 1), batches_of({8}, 9), "cpu", {});
  check::expect(!probe->tracked_in_evaluation,
                "the outputs of the evaluation are part of a graph: work under a NoGradGuard");
  check::expect(td::GradMode::is_enabled(), "gradient tracking is still off after fit");
}

TEST_CASE("the graph of a step ends with the step", "[fit]") {
  Sequential net = make_net();
  GraphProbe probe;
  net->push_back(probe);
  CrossEntropyLoss loss_fn;
  fit(net, loss_fn, batches_of({8, 8, 8, 8, 8, 8}, 1), {}, "cpu", {});
  check::expect(probe->most_graphs <= 1,
                "in an epoch of 6 steps, " + std::to_string(probe->most_graphs) +
                    " graphs of earlier steps were still alive: a sum of losses keeps the graphs "
                    "of all of them. Add up loss.detach()");
}

TEST_CASE("gradients from before do not count", "[fit]") {
  Sequential net = make_net(), other = make_net();
  for (const td::Tensor& p : net->parameters()) p.mutable_grad() = td::ones_like(p.detach());
  CrossEntropyLoss loss_fn;
  fit(net, loss_fn, batches_of({8}, 1), {}, "cpu", {});
  fit(other, loss_fn, batches_of({8}, 1), {}, "cpu", {});
  check::expect_close(net->parameters()[0], other->parameters()[0], 1e-6,
                      "parameter 0 of a model that had gradients before fit was called (clear the "
                      "gradients before backward, not after the step)");
}

TEST_CASE("the host waits as often for ten batches as for two", "[fit]") {
  const auto waits = [](std::size_t count) {
    Sequential net = make_net("sim:0");
    CrossEntropyLoss loss_fn;
    loss_fn->to(td::Device("sim:0"));
    const std::vector<std::int64_t> sizes(count, 8);
    const auto training = batches_of(sizes, 1), test = batches_of(sizes, 50);
    return host_waits([&] { fit(net, loss_fn, training, test, "sim:0", {2, 0.01, 0.9}); });
  };
  const auto two = waits(2), ten = waits(10);
  check::expect(two == ten, "two epochs with 2 batches each wait " + std::to_string(two) +
                                " times, with 10 batches each " + std::to_string(ten) +
                                " times: something waits in every step. Copy with non_blocking, "
                                "and add up on the device");
  check::expect(ten <= 4,
                "two epochs may wait 4 times; the host waited " + std::to_string(ten) + " times");
}

TEST_CASE("no test batches, and no epochs", "[fit]") {
  Sequential net = make_net();
  CrossEntropyLoss loss_fn;
  const auto result = fit(net, loss_fn, batches_of({5}, 1), {}, "cpu", {1, 0.01, 0.9});
  check::expect_close(result.at(0).accuracy, 0, 0, "the accuracy without test batches");
  const auto other = fit(net, loss_fn, batches_of({5}, 1), batches_of({0, 0}, 9), "cpu", {});
  check::expect_close(other.at(0).accuracy, 0, 0, "the accuracy of test batches without samples");
  check::expect(fit(net, loss_fn, batches_of({5}, 1), {}, "cpu", {0, 0.01, 0.9}).empty(),
                "no epochs should give no results");
}

TEST_CASE("training on another stream", "[fit]") {
  const auto training = batches_of({33, 31}, 20), test = batches_of({16}, 40);
  Sequential net = make_net(), expected_net = make_net();
  const auto expected = plain_loop(expected_net, training, test, {2, 0.05, 0.5});
  const td::StreamGuard guard(td::getStreamFromPool("sim:0"));
  CrossEntropyLoss loss_fn = weighted_loss();
  const auto got = fit(net, loss_fn, training, test, "sim:0", {2, 0.05, 0.5});
  check::expect_close(got.at(1).loss, expected[1].loss, 1e-4,
                      "the loss on a stream of the pool, with lr 0.05 and momentum 0.5");
}
