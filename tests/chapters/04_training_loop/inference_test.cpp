// Tests of inference: the modes inside and after the scope, the classes against a loop in double,
// and what predict must not do: train, build a graph, wait, keep outputs. Waits are counted in a
// trace, memory in the allocator's own counters, so that no clock decides.
#include <algorithm>
#include <stdexcept>

#include "lanes.h"
#include "loops.h"

namespace {

using td::nn::BatchNorm1d, td::nn::Dropout, td::nn::Linear, td::nn::Sequential;

/// Returns its input, and remembers in which state it was called.
struct ProbeImpl : td::nn::Cloneable<ProbeImpl> {
  void reset() override { weight = register_parameter("weight", td::ones({1})); }
  ProbeImpl() { ProbeImpl::reset(); }
  td::Tensor forward(const td::Tensor& x) {
    ++calls;
    if (calls == fails_at) throw std::runtime_error("the image is broken");
    trained = trained || is_training();
    recorded = recorded || (x * weight).requires_grad();
    in_inference_mode = in_inference_mode && td::InferenceMode::is_enabled();
    return x;
  }
  td::Tensor weight;
  int calls = 0, fails_at = 0;
  bool trained = false, recorded = false, in_inference_mode = true;
};
TD_MODULE(Probe);

void expect_ordinary_state(const std::string& when) {
  check::expect(!td::InferenceMode::is_enabled(), when + ": inference mode is still on");
  check::expect(td::GradMode::is_enabled(), when + ": gradient tracking is still off");
}

/// A model in training mode with a part that was put into evaluation mode: a frozen batch norm.
Sequential partly_frozen() {
  Sequential model(Linear(3, 4), Sequential(BatchNorm1d(4), Dropout(0.5)), Linear(4, 3));
  (*model)[1]->children()[0]->eval();
  return model;
}

/// Batches of these many samples, in pinned memory.
std::vector<td::Tensor> make_batches(const std::vector<std::int64_t>& counts, std::int64_t width) {
  std::vector<td::Tensor> batches;
  for (const std::int64_t count : counts) batches.push_back(td::randn({count, width}).pin_memory());
  return batches;
}

/// The classes of a linear layer, by loops in double.
std::vector<double> classes_by_hand(const Linear& layer, const std::vector<td::Tensor>& batches) {
  const std::vector<double> w = check::values(layer->weight), b = check::values(layer->bias);
  std::vector<double> classes;
  for (const td::Tensor& batch : batches) {
    const std::vector<double> x = check::values(batch);
    const std::size_t width = w.size() / b.size();
    for (std::size_t row = 0; row < x.size() / width; ++row) {
      std::vector<double> scores = b;
      for (std::size_t c = 0; c < b.size(); ++c)
        for (std::size_t k = 0; k < width; ++k) scores[c] += w[c * width + k] * x[row * width + k];
      classes.push_back(
          static_cast<double>(std::max_element(scores.begin(), scores.end()) - scores.begin()));
    }
  }
  return classes;
}

/// Fails unless predict returns the class of every sample of the batches.
void expect_classes(const Linear& layer, const std::vector<td::Tensor>& batches,
                    const std::vector<double>& expected, td::Device device,
                    const std::string& what) {
  td::Tensor classes;
  try {
    classes = predict(Sequential(layer), batches, device);
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const std::exception& error) {
    FAIL(what << ": predict threw \"" << error.what()
              << "\". The classes of each batch should have one dimension before you join them, "
                 "also those of one sample");
  }
  check::expect_on(classes, "cpu", what);
  check::expect_dtype(classes, td::kInt64, what);
  check::expect_sizes(classes, {static_cast<std::int64_t>(expected.size())}, what);
  check::expect_close(check::values(classes), expected, 0, what);
}

/// Returns how often the host waits for the device.
int waits_of(Sequential model, const std::vector<td::Tensor>& batches) {
  return host_waits([&] { predict(model, batches, kSim); });
}

/// The most bytes that predict takes on top of the model.
double peak_bytes(Sequential model, const std::vector<td::Tensor>& batches) {
  td::synchronize(kSim);
  td::allocator(kSim).reset_peak();
  const std::size_t before = td::memory_stats(kSim).allocated;
  predict(model, batches, kSim);
  return static_cast<double>(td::memory_stats(kSim).peak_allocated - before);
}

}  // namespace

TEST_CASE("in the scope the whole model is in evaluation mode and no graph is built",
          "[inference]") {
  Sequential model = partly_frozen();
  Probe probe;
  model->push_back(probe);
  const Evaluation evaluation(*model);
  for (const bool training : modes_of(*model))
    check::expect(!training, "a module is in training mode inside the scope");
  model->forward(td::randn({5, 3}));
  check::expect(!probe->recorded,
                "what the model does inside the scope is recorded: a guard that is a variable of "
                "the constructor ends with the constructor");
  check::expect(probe->in_inference_mode, "inference mode is off inside the scope");
}

TEST_CASE("after the scope each module has its earlier mode", "[inference]") {
  Sequential model = partly_frozen();
  const std::vector<bool> mixed = modes_of(*model);
  { const Evaluation evaluation(*model); }
  expect_modes(*model, mixed, "a model in training mode with a frozen batch norm");
  expect_ordinary_state("after the scope");
  {
    const Evaluation outer(*model);
    { const Evaluation inner(*model); }
    expect_modes(*model, std::vector<bool>(mixed.size(), false), "after an inner scope");
    check::expect(td::InferenceMode::is_enabled(), "the inner scope ended the outer one's mode");
  }
  expect_modes(*model, mixed, "after the outer scope");
  model->eval();
  const std::vector<bool> evaluating = modes_of(*model);
  { const Evaluation evaluation(*model); }
  expect_modes(*model, evaluating, "a model that was in evaluation mode");
}

TEST_CASE("a module in two places of the tree keeps its mode", "[inference]") {
  Dropout shared;
  Sequential left(Linear(2, 2), shared), right(Linear(2, 2), shared);
  Sequential model(left, right);
  shared->eval();
  const std::vector<bool> before = modes_of(*model);
  { const Evaluation evaluation(*model); }
  expect_modes(*model, before, "a model in training mode with one dropout in two places");
}

TEST_CASE("an exception leaves the model and the thread as they were", "[inference]") {
  Sequential model = partly_frozen();
  Probe probe;
  probe->fails_at = 2;
  model->push_back(probe);
  const std::vector<bool> before = modes_of(*model);
  check::expect_throws<std::runtime_error>(
      [&] {
        predict(model, make_batches({2, 2, 2}, 3), "cpu");
      },
      {"the image is broken"}, "the model's own exception in batch 1");
  expect_modes(*model, before, "after an exception");
  expect_ordinary_state("after an exception");
}

TEST_CASE("predict gives the class of every sample, in order", "[inference]") {
  for (const td::Device device : check::devices()) {
    Linear layer(5, 7);
    const std::vector<td::Tensor> batches = make_batches({33, 1, 31}, 5);
    const std::vector<double> expected = classes_by_hand(layer, batches);
    layer->to(device);
    expect_classes(layer, {batches[0]}, {expected.begin(), expected.begin() + 33}, device,
                   "the classes of one batch on " + device.str());
    expect_classes(layer, {batches[1]}, {expected[33]}, device,
                   "the class of a batch of one sample on " + device.str());
    expect_classes(layer, batches, expected, device,
                   "the classes of batches of 33, 1 and 31 samples on " + device.str());
    const td::Tensor none = predict(Sequential(layer), {}, device);
    check::expect_sizes(none, {0}, "the classes of no batches");
    check::expect_dtype(none, td::kInt64, "the classes of no batches");
    check::expect_on(none, "cpu", "the classes of no batches");
  }
}

TEST_CASE("predict runs the model in evaluation mode, without a graph", "[inference]") {
  BatchNorm1d norm(4);
  norm->running_mean.copy_(td::tensor({3.0, -1.0, 0.5, 2.0}));
  Probe probe;
  Sequential model(norm, Dropout(0.9), probe);
  const std::vector<td::Tensor> batches = make_batches({16, 16}, 4);
  const td::Tensor mean = norm->running_mean.clone();
  const td::Tensor classes = predict(model, batches, "cpu");
  check::expect_close(norm->running_mean, mean, 0,
                      "the running mean of batch norm, which moves in training mode");
  check::expect(!probe->trained, "predict calls the model in training mode");
  check::expect(!probe->recorded, "predict has the model's work recorded");
  check::expect(probe->calls == 2,
                "the model should be called once a batch; for 2 batches it was "
                "called " +
                    std::to_string(probe->calls) + " times");
  check::expect_close(classes, td::cat(batches).sub(mean).argmax(1), 0,
                      "the classes after batch norm and dropout, which does nothing here");
}

TEST_CASE("the classes may be the target of a loss", "[inference]") {
  Linear layer(4, 3);
  const std::vector<td::Tensor> batches = make_batches({8}, 4);
  const td::Tensor classes = predict(Sequential(layer), batches, "cpu");
  check::expect(!classes.is_inference(),
                "the result is an inference tensor, which no graph may keep: make the joined "
                "tensor after the scope");
  td::nn::functional::cross_entropy(layer->forward(batches[0]), classes).backward();
  check::expect(layer->weight.grad().defined(), "no gradient arrived");
}

TEST_CASE("the host waits as often for nine batches as for two", "[inference]") {
  Sequential model(Linear(64, 10));
  model->to(kSim);
  const auto two = waits_of(model, make_batches({8, 8}, 64));
  const auto nine = waits_of(model, make_batches(std::vector<std::int64_t>(9, 8), 64));
  check::expect(two == nine && nine <= 1, "the host waited " + std::to_string(two) +
                                              " times for two batches and " + std::to_string(nine) +
                                              " times for nine; it should wait once, at "
                                              "the end");
}

TEST_CASE("classes on another stream, and with tracking off before", "[inference]") {
  const td::StreamGuard guard(td::getStreamFromPool(kSim));
  Linear layer(5, 7);
  const std::vector<td::Tensor> batches = make_batches({1023, 33}, 5);
  const std::vector<double> expected = classes_by_hand(layer, batches);
  layer->to(kSim);
  check::expect_close(check::values(predict(Sequential(layer), batches, kSim)), expected, 0,
                      "the classes of two batches on a stream of the pool");
  const td::NoGradGuard no_grad;
  predict(Sequential(layer), batches, kSim);
  check::expect(!td::GradMode::is_enabled(), "the caller had gradient tracking off; it is on now");
}

TEST_CASE("the classes have arrived when predict returns", "[inference]") {
  Linear layer(5, 7);
  const std::vector<td::Tensor> batches = make_batches({33, 2}, 5);
  const std::vector<double> expected = classes_by_hand(layer, batches);
  layer->to(kSim);
  const LinkOf slow({1.0, 50e3});  // a copy takes 50 ms
  const td::Tensor classes = predict(Sequential(layer), batches, kSim);
  check::expect_close(check::values(classes), expected, 0,
                      "the classes of two batches, read right after predict returned");
}

TEST_CASE("the device holds one batch at a time", "[inference]") {
  Sequential model(Linear(256, 1024), Linear(1024, 1024));
  model->to(kSim);
  const double one = peak_bytes(model, make_batches({64}, 256));
  const double ten = peak_bytes(model, make_batches(std::vector<std::int64_t>(10, 64), 256));
  const double outputs = 64 * 1024 * sizeof(float);
  check::expect(ten - one < outputs / 2,
                "ten batches take " + std::to_string(static_cast<int>((ten - one) / 1024)) +
                    " KiB more than one at their peak; each output has 256 KiB, the classes of "
                    "all ten have 5 KiB");
}
