// Tests of capture_step: training by replays against the same training without a graph, and the
// waits.
#include "accelerators.h"
#include "exercises.h"
#include "lanes.h"
#include "races.h"

namespace {

td::nn::Sequential network() {
  td::manual_seed(3);
  return td::nn::Sequential(td::nn::Linear(6, 8), td::nn::ReLU(), td::nn::Linear(8, 3));
}

/// A small model, trained with momentum: its buffers must exist before the capture.
struct Training {
  explicit Training(td::Device its_device)
      : device(its_device),
        model(network()),
        optimizer((model->to(device), model->parameters()),
                  td::optim::SGDOptions(0.1).momentum(0.9)) {}

  TrainStep step() {
    return [this](const td::Tensor& x, const td::Tensor& y) {
      ++calls;
      optimizer.zero_grad();
      const td::Tensor loss = td::nn::functional::cross_entropy(model->forward(x), y);
      loss.backward();
      optimizer.step();
      return loss;
    };
  }
  std::vector<double> weights() {
    std::vector<double> all;
    for (const td::Tensor& parameter : model->parameters())
      for (const double value : check::values(parameter)) all.push_back(value);
    return all;
  }

  td::Device device;
  td::nn::Sequential model;
  td::optim::SGD optimizer;
  int calls = 0;
};

struct Batch {
  td::Tensor x, y;
};

std::vector<Batch> make_batches(td::Device device, int count, std::int64_t n = 5) {
  td::manual_seed(8);
  std::vector<Batch> batches;
  for (int i = 0; i < count; ++i)
    batches.push_back(
        {td::randn({n, 6}).to(device), td::randint(0, 3, {n}, td::kInt64).to(device)});
  return batches;
}

void expect_same_training(td::Device device, int warm_up) {
  const std::vector<Batch> batches = make_batches(device, 4);
  Training with(device), without(device);
  const auto captured = capture_step(with.step(), batches[0].x, batches[0].y, warm_up);
  const std::string what =
      "on " + device.str() + " with " + std::to_string(warm_up) + " warm-up steps";
  check::expect(with.calls == warm_up + 1,
                what + ": step was called " + std::to_string(with.calls) + " times; expected " +
                    std::to_string(warm_up) + " and once in the capture");
  const TrainStep eager = without.step();
  for (int i = 0; i < warm_up; ++i) eager(batches[0].x, batches[0].y);
  check::expect_close(with.weights(), without.weights(), 1e-6,
                      what + ": the weights after capture_step (the capture itself does not run)");
  std::vector<td::Tensor> losses, at_once, expected;
  for (const Batch& batch : batches) {
    losses.push_back(replay_step(*captured, batch.x, batch.y));
    at_once.push_back(losses.back().clone());
  }
  for (const Batch& batch : batches) expected.push_back(eager(batch.x, batch.y));
  check::expect(with.calls == warm_up + 1,
                what + ": replay_step called step again; it must replay the graph");
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const std::string which = what + ": the loss of replay " + std::to_string(i);
    check::expect_close(at_once[i].item<double>(), expected[i].item<double>(), 1e-5, which);
    check::expect_close(losses[i].item<double>(), expected[i].item<double>(), 1e-5,
                        which +
                            ", which was right at first, after all replays: a later replay "
                            "wrote to it. Return a copy");
  }
  check::expect_close(with.weights(), without.weights(), 1e-5, what + ": the weights in the end");
}

}  // namespace

TEST_CASE("all uses of the weights and of the batch are ordered", "[capture_step]") {
  const Looking looking;
  td::Tensor weight = td::zeros({4}, kSim), x = td::zeros({4}, kSim);
  const td::Tensor y = td::ones({4}, kSim);
  const auto captured = capture_step(
      [&](const td::Tensor& a, const td::Tensor& b) {
        weight.mul_(2).add_(a);
        return (weight * b).sum();
      },
      x, y, 2);
  weight.add_(1);
  x.add_(1);
  Looking::expect_none(
      "earlier work of the current stream, capture_step, and later work of the "
      "current stream: the race finder reports");
  const td::Tensor loss = replay_step(*captured, x, y);
  x.add_(1);
  weight.add_(loss);
  Looking::expect_none("a replay and later work of the current stream: the race finder reports");
}

TEST_CASE("warm-up and capture run on one stream, which is not the current one", "[capture_step]") {
  const td::Stream current = td::getCurrentStream(kSim);
  std::vector<td::Stream> streams;
  capture_step(
      [&](const td::Tensor& x, const td::Tensor&) {
        streams.push_back(td::getCurrentStream(kSim));
        return x.sum();
      },
      td::ones({4}, kSim), td::ones({4}, kSim), 2);
  check::expect(streams.size() == 3, "with 2 warm-up steps, step was called " +
                                         std::to_string(streams.size()) + " times; expected 3");
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string which = "warm-up step " + std::to_string(i);
    check::expect(!(streams[i] == current),
                  which + " runs on the current stream; expected a stream from the pool");
    check::expect(streams[i] == streams[2],
                  which + " runs on another stream than the capture; expected the same");
  }
}

TEST_CASE("replays train as steps without a graph do", "[capture_step]") {
  for (const td::Device device : accelerators())
    for (const int warm_up : {3, 1}) expect_same_training(device, warm_up);
}

TEST_CASE("replays on a current stream that is not the default", "[capture_step]") {
  const td::StreamGuard guard(td::getStreamFromPool(kSim));
  expect_same_training(kSim, 2);
}

TEST_CASE("the graph has its own batch", "[capture_step]") {
  std::vector<Batch> batches = make_batches(kSim, 2);
  const Batch held = {batches[0].x.clone(), batches[0].y.clone()};
  Training training(kSim);
  const auto captured = capture_step(training.step(), batches[0].x, batches[0].y, 1);
  check::expect(captured->x.data_ptr() != batches[0].x.data_ptr() &&
                    captured->y.data_ptr() != batches[0].y.data_ptr(),
                "x or y of the graph is the caller's tensor; a replay would overwrite the batch");
  replay_step(*captured, batches[1].x, batches[1].y);
  check::expect_close(batches[0].x, held.x, 0,
                      "the caller's first batch after a replay with another");
  check::expect_close(batches[0].y, held.y, 0, "the labels of the first batch");
  check::expect_close(captured->x, batches[1].x, 0, "x of the graph after the replay");
  check::expect(captured->loss.defined(), "`loss` of the graph is not set");
}

TEST_CASE("the warm-up waits for the work that prepares weights and batch", "[capture_step]") {
  td::Tensor weight = td::zeros({4}, kSim), x = td::zeros({4}, kSim);
  const td::Tensor y = td::ones({4}, kSim);
  td::synchronize(kSim);
  std::unique_ptr<StepGraph> captured;
  {
    Gate gate(kSoon);
    gate.hold(td::getCurrentStream(kSim));
    x.add_(2);
    weight.add_(1);
    captured = capture_step(
        [&](const td::Tensor& a, const td::Tensor& b) {
          weight.mul_(2).add_(a);
          return (weight * b).sum();
        },
        x, y, 1);
  }
  // 1 * 2 + 2, by the one warm-up step; read on the current stream.
  check::expect_close(weight, td::full({4}, 4), 0,
                      "a weight that the current stream was still computing when capture_step was "
                      "called, after one warm-up step");
  check::expect_close(replay_step(*captured, x, y), td::full({}, 40), 0, "the loss of the replay");
}

TEST_CASE("a replay comes after the work that prepares its batch, and the host does not wait",
          "[capture_step]") {
  const std::vector<Batch> batches = make_batches(kSim, 1);
  td::Tensor total = td::zeros({4}, kSim);
  const td::Tensor y = td::ones({4}, kSim);
  const auto captured = capture_step(
      [&](const td::Tensor& a, const td::Tensor& b) {
        total.add_(a * b);
        return total.sum();
      },
      td::zeros({4}, kSim), y, 1);
  const td::Stream work = td::getStreamFromPool(kSim);
  work.wait(td::getCurrentStream(kSim));
  const td::StreamGuard guard(work);
  td::Tensor x = td::zeros({4}, kSim), loss, after;
  work.synchronize();
  {
    Gate gate(kHeld);
    gate.hold(work);
    x.add_(5);
    loss = replay_step(*captured, x, y);
    x.fill_(9);             // after the replay has read it
    after = total.clone();  // after the replay has written it
    check::expect(!gate.has_expired(), "replay_step waits for the device");
    give_it_time();
  }
  check::expect_close(loss, td::full({}, 20), 0,
                      "the loss of a replay whose batch the current stream was still computing");
  check::expect_close(after, td::full({4}, 5), 0,
                      "a tensor that the graph writes, read by later work of the current stream");
  check::expect_close(x, td::full({4}, 9), 0, "the batch, which the caller overwrote afterwards");
}

TEST_CASE("after a step that throws, later work waits for the warm-up", "[capture_step]") {
  for (const int bad : {1, 2}) {
    const Looking looking;
    td::Tensor weight = td::zeros({1000}, kSim);
    int calls = 0;
    check::expect_throws<std::runtime_error>(
        [&] {
          capture_step(
              [&](const td::Tensor& x, const td::Tensor&) {
                if (calls++ == bad) throw std::runtime_error("out of luck");
                weight.add_(x);
                return x.sum();
              },
              td::ones({1000}, kSim), td::ones({1000}, kSim), 2);
        },
        {"out of luck"}, "step throws");
    const td::Tensor other = td::full({1000}, 9, kSim);  // may get the memory of the graph's x
    weight.add_(1);
    Looking::expect_none("step throws in call " + std::to_string(bad + 1) +
                         " of 3; nothing orders later work of the current stream after the "
                         "warm-up, which uses the weights and the graph's x. The race finder "
                         "reports");
  }
}

TEST_CASE("after a step that throws no capture is active", "[capture_step]") {
  const std::vector<Batch> batches = make_batches(kSim, 1);
  const td::Stream work = td::getStreamFromPool(kSim);
  const td::StreamGuard guard(work);
  for (const int bad : {0, 1, 2}) {
    int calls = 0;
    const std::string what = "step throws in call " + std::to_string(bad + 1) + " of 3";
    std::string message;
    try {
      capture_step(
          [&](const td::Tensor& x, const td::Tensor&) {
            if (calls++ == bad) throw std::runtime_error("out of luck");
            return x.sum();
          },
          batches[0].x, batches[0].y, 2);
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    check::expect(message == "out of luck",
                  what + ": the exception did not reach the caller; got: " + message);
    check::expect(!td::is_capturing(), what + ": the thread still captures");
    check::expect(td::getCurrentStream(kSim) == work,
                  what + ": the current stream is another one than before");
    check::expect_close(td::ones({3}, kSim).sum(), td::full({}, 3), 0, what + ": work afterwards");
  }
  Training training(kSim);
  const auto captured = capture_step(training.step(), batches[0].x, batches[0].y);
  check::expect(replay_step(*captured, batches[0].x, batches[0].y).item<double>() > 0,
                "a capture after one that failed");
}

TEST_CASE("without warm-up steps, step is called in the capture only", "[capture_step]") {
  td::Tensor weight = td::zeros({4}, kSim);
  const td::Tensor x = td::ones({4}, kSim), y = td::full({4}, 2, kSim);
  int calls = 0, captured_calls = 0;
  const auto captured = capture_step(
      [&](const td::Tensor& a, const td::Tensor& b) {
        ++calls;
        captured_calls += td::is_capturing();
        weight.add_(a);
        return (weight * b).sum();
      },
      x, y, 0);
  check::expect(calls == 1 && captured_calls == 1,
                "warm_up 0: step was called " + std::to_string(calls) + " times, of these " +
                    std::to_string(captured_calls) + " in a capture; expected 1 and 1");
  check::expect_close(weight, td::zeros({4}), 0, "a weight before the first replay, warm_up 0");
  check::expect_close(replay_step(*captured, x, y), td::full({}, 8), 0, "the loss, warm_up 0");
}
