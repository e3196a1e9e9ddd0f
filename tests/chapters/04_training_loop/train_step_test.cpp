// Tests of train_step: against the same step written out, with td's own optimizer.
#include "loops.h"

namespace {

struct Trained {
  td::nn::Sequential net;
  std::vector<double> losses;
};

Trained train(td::Device device, bool with_exercise) {
  Trained t{make_net(device), {}};
  td::optim::SGD optimizer(t.net->parameters(), td::optim::SGDOptions(0.1).momentum(0.9));
  const td::nn::CrossEntropyLoss loss_fn;
  for (std::uint64_t step = 0; step < 4; ++step) {
    const Batch batch = make_batch(33, device, step);
    td::Tensor loss;
    if (with_exercise) {
      const Loss as_function = [&](const td::Tensor& a, const td::Tensor& b) {
        return td::nn::CrossEntropyLoss(loss_fn)(a, b);
      };
      loss = train_step(t.net, as_function, optimizer, batch.data, batch.target);
    } else {
      optimizer.zero_grad();
      loss = td::cross_entropy_loss(t.net->forward(batch.data), batch.target);
      loss.backward();
      optimizer.step();
    }
    t.losses.push_back(check::values(loss).at(0));
  }
  return t;
}

}  // namespace

TEST_CASE("four steps give the losses and the parameters of the plain loop", "[train_step]") {
  for (const td::Device device : check::devices()) {
    const Trained expected = train(device, false), got = train(device, true);
    check::expect_close(got.losses, expected.losses, 1e-5,
                        "the losses of four steps on " + device.str());
    const auto a = got.net->parameters(), b = expected.net->parameters();
    for (std::size_t i = 0; i < a.size(); ++i)
      check::expect_close(
          a[i], b[i], 1e-5,
          "parameter " + std::to_string(i) + " after four steps on " + device.str());
  }
}

TEST_CASE("the loss is one number on the device, without its graph", "[train_step]") {
  for (const td::Device device : check::devices()) {
    td::nn::Sequential net = make_net(device);
    td::optim::SGD optimizer(net->parameters(), td::optim::SGDOptions(0.1));
    const Batch batch = make_batch(5, device);
    const td::Tensor loss = train_step(
        net, [](const td::Tensor& a, const td::Tensor& b) { return td::cross_entropy_loss(a, b); },
        optimizer, batch.data, batch.target);
    check::expect_sizes(loss, {}, "the loss");
    check::expect_on(loss, device, "the loss");
    check::expect(
        !loss.requires_grad(),
        "the loss still belongs to the graph: a caller who adds losses up keeps all graphs "
        "alive. Return it detached");
  }
}

namespace {

td::Tensor cross_entropy(const td::Tensor& a, const td::Tensor& b) {
  return td::cross_entropy_loss(a, b);
}

}  // namespace

TEST_CASE("the host does not wait for the device", "[train_step]") {
  td::nn::Sequential net = make_net("sim:0");
  td::optim::SGD optimizer(net->parameters(), td::optim::SGDOptions(0.1).momentum(0.9));
  const Batch batch = make_batch(33, "sim:0");
  const auto waits =
      host_waits([&] { train_step(net, cross_entropy, optimizer, batch.data, batch.target); });
  check::expect(waits == 0,
                "the host waited " + std::to_string(waits) +
                    " times in one step; item(), cpu() and synchronize() wait, also when "
                    "their result goes back to the device");
}

TEST_CASE("modes stay, and the model runs once", "[train_step]") {
  td::nn::Sequential net = make_net(), same = make_net();
  (*net)[1]->eval();  // a frozen batch norm
  const std::vector<bool> before = modes_of(*net);
  td::optim::SGD optimizer(net->parameters(), td::optim::SGDOptions(0.1));
  const Batch batch = make_batch(33);
  const auto statistics = check::values(net->buffers()[0]);
  train_step(net, cross_entropy, optimizer, batch.data, batch.target);
  expect_modes(*net, before, "after a step of a model with a frozen batch norm");
  check::expect_close(check::values(net->buffers()[0]), statistics, 0,
                      "the running mean of a frozen batch norm");
  net->eval();
  train_step(net, cross_entropy, optimizer, batch.data, batch.target);
  expect_modes(*net, std::vector<bool>(before.size(), false),
               "after a step of a model that is in evaluation mode as a whole");
  td::optim::SGD other(same->parameters(), td::optim::SGDOptions(0.1));
  int losses = 0;
  const Loss counted = [&](const td::Tensor& output, const td::Tensor& target) {
    ++losses;
    return cross_entropy(output, target);
  };
  train_step(same, counted, other, batch.data, batch.target);
  check::expect_close(check::values(same->buffers()[2]), std::vector<double>{1}, 0,
                      "the number of batches that the batch norm has seen in one step");
  check::expect(losses == 1, "one step should compute the loss once; loss_fn was called " +
                                 std::to_string(losses) + " times");
}

TEST_CASE("a step on another stream", "[train_step]") {
  const td::StreamGuard guard(td::getStreamFromPool("sim:0"));
  const Trained expected = train("cpu", false), got = train("sim:0", true);
  check::expect_close(got.losses, expected.losses, 1e-4, "the losses on a stream of the pool");
}

TEST_CASE("parameters that the optimizer does not have do not change", "[train_step]") {
  td::nn::Sequential net = make_net();
  td::optim::SGD optimizer((*net)[3]->parameters(), td::optim::SGDOptions(0.1));
  const auto before = check::values(net->parameters()[0]);
  const Batch batch = make_batch(31);
  train_step(net, cross_entropy, optimizer, batch.data, batch.target);
  check::expect_close(check::values(net->parameters()[0]), before, 0,
                      "a parameter that was not given to the optimizer");
  // Another optimizer may still need the gradients that such a parameter has.
  td::nn::Sequential other = make_net();
  td::optim::SGD others((*other)[3]->parameters(), td::optim::SGDOptions(0.1));
  other->parameters()[0].mutable_grad() = td::ones({31, 7});
  train_step(other, cross_entropy, others, batch.data, batch.target);
  check::expect_close(other->parameters()[0].grad(), net->parameters()[0].grad() + 1, 1e-5,
                      "the gradient of a parameter that the optimizer does not have, which was 1 "
                      "before the step: optimizer.zero_grad() does not clear it");
}

TEST_CASE("gradients of this step are kept after the step", "[train_step]") {
  td::nn::Sequential net = make_net();
  td::optim::SGD optimizer(net->parameters(), td::optim::SGDOptions(0.1));
  const Batch batch = make_batch(31);
  train_step(
      net, [](const td::Tensor& a, const td::Tensor& b) { return td::cross_entropy_loss(a, b); },
      optimizer, batch.data, batch.target);
  const td::Tensor gradient = net->parameters()[0].grad();
  check::expect(gradient.defined() && gradient.abs().sum().item<float>() > 0,
                "the gradient of the first layer is zero after the step: it was cleared after "
                "backward, which is too early for gradient clipping and logging");
}
