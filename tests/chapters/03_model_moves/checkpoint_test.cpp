// Tests of save_checkpoint and resume: against a training run without interruption.
#include "models.h"

namespace {

// SGD with momentum, written out, so that the test can read and set the momentum.
struct Training {
  std::shared_ptr<NetImpl> net;
  std::vector<td::Tensor> momentum;

  explicit Training(std::uint64_t seed)
      : net((td::manual_seed(seed), std::make_shared<NetImpl>())) {
    net->head->bias.set_requires_grad(false);  // a frozen parameter: no gradient, no momentum
    momentum.resize(net->parameters().size());
  }
  double step(std::uint64_t number) {
    const td::Device device = net->parameters()[0].device();
    td::manual_seed(100 + number);
    const td::Tensor x = td::randn({16, 7}).to(device);
    net->zero_grad();
    const td::Tensor loss = net->forward(x).square().mean();
    loss.backward();
    const td::NoGradGuard no_grad;
    const auto parameters = net->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      td::Tensor parameter = parameters[i];
      if (!parameter.grad().defined()) continue;
      momentum[i] =
          momentum[i].defined() ? momentum[i] * 0.9 + parameter.grad() : parameter.grad().clone();
      parameter.sub_(momentum[i] * 0.05);
    }
    return loss.item<double>();
  }
};

Checkpoint checkpoint_after(Training& training, int steps) {
  for (int i = 0; i < steps; ++i) training.step(static_cast<std::uint64_t>(i));
  return save_checkpoint(*training.net, training.momentum);
}

std::vector<td::Tensor> all_of(const Checkpoint& checkpoint) {
  std::vector<td::Tensor> all;
  for (const auto& item : checkpoint.state) all.push_back(item.value());
  for (const td::Tensor& m : checkpoint.momentum)
    if (m.defined()) all.push_back(m);
  return all;
}

/// Fails unless there is a momentum tensor, defined or not, for each parameter.
void expect_one_for_each(const std::vector<td::Tensor>& momentum, std::size_t parameters,
                         const std::string& who) {
  check::expect(momentum.size() == parameters,
                who + " " + std::to_string(momentum.size()) + " momentum tensors for " +
                    std::to_string(parameters) + " parameters; an undefined one keeps its place");
}

}  // namespace

TEST_CASE("training on another device continues as it would without the move", "[checkpoint]") {
  for (const td::Device from : check::devices())
    for (const td::Device to : check::devices()) {
      Training first(3), second(7), plain(3);
      first.net->to(from);
      second.net->to(from);
      const Checkpoint checkpoint = checkpoint_after(first, 3);
      expect_one_for_each(checkpoint.momentum, first.momentum.size(), "save_checkpoint returned");
      second.momentum = resume(*second.net, checkpoint, to);
      expect_one_for_each(second.momentum, first.momentum.size(), "resume returned");
      for (std::size_t i = 0; i < checkpoint.momentum.size(); ++i) {
        const td::Tensor& momentum = second.momentum[i];
        check::expect(momentum.defined() == checkpoint.momentum[i].defined(),
                      "momentum " + std::to_string(i) +
                          " after resume must be defined exactly when the checkpoint's is");
        if (momentum.defined())
          check::expect_on(momentum, to, "momentum " + std::to_string(i) + " after resume");
      }
      for (std::uint64_t i = 0; i < 3; ++i) plain.step(i);
      for (std::uint64_t i = 3; i < 6; ++i)
        check::expect_close(second.step(i), plain.step(i), 1e-4,
                            "the loss of step " + std::to_string(i) + " after resuming from " +
                                from.str() + " on " + to.str());
    }
}

TEST_CASE("a checkpoint of values that queued work still changes", "[checkpoint]") {
  const td::Device a("sim:0");
  const td::StreamGuard guard(td::getStreamFromPool(a));
  Training training(3);
  training.net->to(a);
  td::synchronize(a);
  check::keep_busy(td::getCurrentStream(a));
  for (const td::Tensor& p : training.net->parameters()) p.detach().fill_(10);
  const Checkpoint checkpoint = save_checkpoint(*training.net, training.momentum);
  const td::Tensor* saved = checkpoint.state.find("body.0.weight");
  check::expect(saved != nullptr, "the checkpoint has no \"body.0.weight\"");
  check::expect_close(check::values(*saved), std::vector<double>(31 * 7, 10), 0,
                      "body.0.weight of sim:0, which queued work was still changing");
}

TEST_CASE("the momentum keeps its dtype", "[checkpoint]") {
  Training training(3), other(4);
  const td::Tensor third = td::full({31, 7}, 1.0 / 3, td::kFloat64);
  training.momentum[0] = third.clone().requires_grad_();  // as the result of a recorded operation
  const Checkpoint checkpoint = save_checkpoint(*training.net, training.momentum);
  expect_one_for_each(checkpoint.momentum, training.momentum.size(), "save_checkpoint returned");
  const auto resumed = resume(*other.net, checkpoint, "sim:0");
  expect_one_for_each(resumed, training.momentum.size(), "resume returned");
  const auto expect_third = [&](const td::Tensor& momentum, const std::string& when) {
    check::expect_dtype(momentum, td::kFloat64, "momentum 0, which was float64, " + when);
    check::expect_close(momentum, third, 0, "momentum 0, which was float64, " + when);
  };
  check::expect(!checkpoint.momentum[0].requires_grad(),
                "momentum 0 in the checkpoint requires grad: copy momentum[0].detach()");
  expect_third(checkpoint.momentum[0], "in the checkpoint");
  expect_third(resumed[0], "after resume");
}

TEST_CASE("a checkpoint holds every value on the cpu, by name", "[checkpoint]") {
  for (const td::Device device : check::devices()) {
    Training training(3);
    training.net->to(device);
    const Checkpoint checkpoint = checkpoint_after(training, 1);
    const auto state = training.net->state_dict();
    check::expect(checkpoint.state.size() == state.size(),
                  "the model has " + std::to_string(state.size()) +
                      " parameters and buffers; the checkpoint has " +
                      std::to_string(checkpoint.state.size()));
    for (const auto& item : state) {
      const td::Tensor* saved = checkpoint.state.find(item.key());
      check::expect(saved != nullptr, "the checkpoint has no \"" + item.key() + "\"");
      check::expect_on(*saved, "cpu", "\"" + item.key() + "\" in the checkpoint");
      check::expect_dtype(*saved, item.value().dtype(), "\"" + item.key() + "\" in the checkpoint");
      check::expect_close(*saved, item.value(), 0, "\"" + item.key() + "\" in the checkpoint");
      check::expect(!saved->requires_grad(),
                    "\"" + item.key() + "\" in the checkpoint requires grad");
    }
    expect_one_for_each(checkpoint.momentum, training.momentum.size(), "save_checkpoint returned");
    for (std::size_t i = 0; i < training.momentum.size(); ++i) {
      const td::Tensor& saved = checkpoint.momentum[i];
      check::expect(saved.defined() == training.momentum[i].defined(),
                    "momentum " + std::to_string(i) +
                        " must be defined in the checkpoint exactly when it was defined before");
      if (saved.defined()) check::expect_on(saved, "cpu", "momentum " + std::to_string(i));
    }
  }
}

TEST_CASE("training that continues does not change the checkpoint", "[checkpoint]") {
  for (const td::Device device : check::devices()) {
    Training training(3);
    training.net->to(device);
    const Checkpoint checkpoint = checkpoint_after(training, 2);
    const auto before = all_values(all_of(checkpoint));
    for (td::Tensor& m : training.momentum)
      if (m.defined()) m.fill_(4);  // in place, as optimizers do
    training.step(2);
    check::expect(all_values(all_of(checkpoint)) == before,
                  "a step on " + device.str() +
                      " changed the checkpoint: it shares memory with the model or the momentum");
  }
}

TEST_CASE("a checkpoint can be used twice", "[checkpoint]") {
  for (const td::Device device : {td::Device("cpu"), td::Device("sim:0")}) {
    Training training(3), once(4), twice(5);
    const Checkpoint checkpoint = checkpoint_after(training, 2);
    const auto before = all_values(all_of(checkpoint));
    once.momentum = resume(*once.net, checkpoint, device);
    for (td::Tensor& m : once.momentum)
      if (m.defined()) m.fill_(4);
    const double loss = once.step(9);
    check::expect(all_values(all_of(checkpoint)) == before,
                  "training after resume on " + device.str() +
                      " changed the checkpoint: the model or its momentum shares memory with it");
    twice.momentum = resume(*twice.net, checkpoint, device);
    check::expect_close(twice.step(9), loss, 1e-5, "the first loss after resuming a second time");
  }
}

TEST_CASE("handles and requires_grad stay, old gradients are removed", "[checkpoint]") {
  Training training(3), other(4);
  const Checkpoint checkpoint = checkpoint_after(training, 1);
  other.step(0);                                         // leaves gradients
  other.net->head->bias.mutable_grad() = td::ones({3});  // of the time before it was frozen
  const auto held = other.net->parameters();
  resume(*other.net, checkpoint, "sim:0");
  const auto now = other.net->parameters();
  for (std::size_t i = 0; i < held.size(); ++i) {
    check::expect(held[i].is_same(now[i]), name_of(i) + " is another tensor after resume");
    check::expect_on(held[i], "sim:0", name_of(i) + " as an optimizer holds it");
    check::expect(held[i].is_leaf(), name_of(i) + " is no longer a leaf");
    check::expect(!held[i].grad().defined(),
                  name_of(i) + " still has a gradient of the old values");
    const bool frozen = held[i].is_same(other.net->head->bias);
    check::expect(held[i].requires_grad() != frozen,
                  "requires_grad of " + name_of(i) + " is not what it was before resume");
  }
  for (const td::Tensor& buffer : other.net->buffers())
    check::expect_on(buffer, "sim:0", "a buffer");
}

TEST_CASE("a checkpoint that does not fit changes nothing", "[checkpoint]") {
  Training training(3);
  const Checkpoint good = checkpoint_after(training, 1);
  Checkpoint renamed = good;
  renamed.state.clear();
  for (const auto& item : good.state)  // in the same order, with the same sizes
    renamed.state.insert(item.key() == "head.bias" ? "head.offset" : item.key(), item.value());
  Checkpoint missing = good, unexpected = good, larger = good, fewer = good, more = good,
             dtype = good;
  missing.state.erase("head.bias");
  unexpected.state.insert("extra", td::ones({1}));
  larger.state["head.weight"] = td::ones({4, 4});
  fewer.momentum.pop_back();
  more.momentum.push_back(td::ones({3}));
  dtype.state["head.weight"] = dtype.state["head.weight"].to(td::kFloat64);
  const std::pair<const char*, Checkpoint> cases[] = {{"a missing name", missing},
                                                      {"an unexpected name", unexpected},
                                                      {"another name", renamed},
                                                      {"other sizes", larger},
                                                      {"too few momentum tensors", fewer},
                                                      {"too many momentum tensors", more},
                                                      {"another dtype", dtype}};
  for (const auto& [what, checkpoint] : cases) {
    Training other(4);
    other.step(0);  // leaves gradients
    std::vector<td::Tensor> held;
    for (const auto& item : other.net->state_dict()) held.push_back(item.value());
    const auto before = all_values(held);
    const Checkpoint& faulty = checkpoint;  // clang 14 captures no structured binding
    check::expect_throws<td::Error>([&] { resume(*other.net, faulty, "sim:0"); }, {},
                                    std::string("a checkpoint with ") + what);
    held.clear();
    for (const auto& item : other.net->state_dict()) {
      check::expect_on(item.value(), "cpu", item.key() + " after a checkpoint with " + what);
      held.push_back(item.value());
    }
    check::expect(all_values(held) == before,
                  std::string("a checkpoint with ") + what + " changed the model before it failed");
    for (const auto& item : other.net->named_parameters())
      check::expect(item.value().grad().defined() == item.value().requires_grad(),
                    std::string("a checkpoint with ") + what + " removed the gradient of " +
                        item.key() + " before it failed");
  }
}
