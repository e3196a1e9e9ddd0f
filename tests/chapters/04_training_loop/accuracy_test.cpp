// Tests of accuracy.
#include "loops.h"

namespace {

// A model whose answer is the class whose input is 1.
td::nn::Sequential lookup(td::Device device) {
  td::nn::Sequential model(td::nn::Linear(td::nn::LinearOptions(3, 3).bias(false)));
  const td::NoGradGuard no_grad;
  model->parameters()[0].set_data(td::eye(3).to(device));
  return model;
}

Batch answers(const std::vector<std::int64_t>& guesses, const std::vector<std::int64_t>& targets) {
  const auto n = static_cast<std::int64_t>(guesses.size());
  td::Tensor data = td::zeros({n, 3});
  td::Tensor target = td::zeros({n}, td::TensorOptions(td::kInt64));
  for (std::int64_t i = 0; i < n; ++i) {
    data[i][guesses[static_cast<std::size_t>(i)]] = td::Scalar(1);
    target[i] = td::Scalar(targets[static_cast<std::size_t>(i)]);
  }
  return {data, target};
}

}  // namespace

TEST_CASE("accuracy is correct answers over all answers, on every device", "[accuracy]") {
  for (const td::Device device : check::devices()) {
    td::nn::Sequential model = lookup(device);
    const std::vector<Batch> batches = {answers({0, 1, 2, 0}, {0, 1, 2, 1}), answers({2}, {2})};
    check::expect_close(accuracy(model, batches, device), 4.0 / 5, 1e-9,
                        "3 of 4 and 1 of 1 on " + device.str());
  }
}

TEST_CASE("each batch counts by its number of samples", "[accuracy]") {
  td::nn::Sequential model = lookup("cpu");
  const std::vector<Batch> batches = {answers({0, 0, 0}, {1, 1, 1}), answers({}, {}),
                                      answers({1}, {1})};
  check::expect_close(accuracy(model, batches, "cpu"), 1.0 / 4, 1e-9, "0 of 3, 0 of 0 and 1 of 1");
  check::expect_close(accuracy(model, {}, "cpu"), 0, 0, "no batches");
  check::expect_close(accuracy(model, {answers({}, {}), answers({}, {})}, "cpu"), 0, 0,
                      "two batches without samples");
}

TEST_CASE("the model is evaluated in evaluation mode", "[accuracy]") {
  td::nn::Sequential net = make_net();
  for (std::uint64_t i = 0; i < 20; ++i) net->forward(make_batch(33, "cpu", i).data);
  const auto statistics = check::values(net->buffers()[0]);
  accuracy(net, {make_batch(33)}, "cpu");
  check::expect_close(check::values(net->buffers()[0]), statistics, 0,
                      "the running mean of the batch norm, which evaluation must not change");
}

TEST_CASE("afterwards every module has its own mode again", "[accuracy]") {
  td::nn::Sequential net = make_net();
  (*net)[1]->eval();  // a frozen batch norm in a model that trains
  const std::vector<bool> before = modes_of(*net);
  accuracy(net, {make_batch(5)}, "cpu");
  expect_modes(*net, before, "after the evaluation of a model with a frozen batch norm");
  accuracy(net, {}, "cpu");
  expect_modes(*net, before, "after an evaluation without batches");
  accuracy(net, {make_batch(0)}, "cpu");
  expect_modes(*net, before, "after the evaluation of a batch without samples");
  net->eval();
  (*net)[1]->train();
  const std::vector<bool> other = modes_of(*net);
  accuracy(net, {make_batch(5)}, "cpu");
  expect_modes(*net, other, "after the evaluation of a model with only its batch norm training");
  td::nn::Sequential outer(td::nn::Flatten(), net);  // its batch norm is two levels below the root
  net->train();
  (*net)[1]->eval();
  const std::vector<bool> deep = modes_of(*outer);
  accuracy(outer, {make_batch(5)}, "cpu");
  expect_modes(*outer, deep,
               "after the evaluation of a model with a frozen batch norm in an inner Sequential");
}

TEST_CASE("batches may be on any device", "[accuracy]") {
  const Batch batch = answers({0, 1, 2, 0}, {0, 1, 2, 1});
  for (const td::Device device : check::devices()) {
    td::nn::Sequential model = lookup(device);
    std::vector<Batch> batches;
    for (const td::Device from : check::devices())
      batches.push_back({batch.data.to(from), batch.target.to(from)});
    check::expect_close(accuracy(model, batches, device), 3.0 / 4, 1e-9,
                        "batches from every device, the model on " + device.str());
    check::expect_on(batches[0].data, "cpu", "the data of a batch that was given");
  }
}

TEST_CASE("afterwards the model is in its earlier mode again", "[accuracy]") {
  td::nn::Sequential net = make_net();
  accuracy(net, {make_batch(5)}, "cpu");
  check::expect(net->is_training(),
                "the model was in training mode before and is in evaluation mode now");
  net->eval();
  accuracy(net, {make_batch(5)}, "cpu");
  check::expect(!net->is_training(),
                "the model was in evaluation mode before and is in training mode now");
}

namespace {

// Remembers whether the outputs that pass through are part of a graph.
struct WatchImpl : td::nn::Module {
  td::Tensor forward(const td::Tensor& x) {
    recorded = recorded || x.requires_grad();
    return x;
  }
  bool recorded = false;
};
TD_MODULE(Watch);

}  // namespace

TEST_CASE("no graph is built", "[accuracy]") {
  Watch watch;
  td::nn::Sequential model(td::nn::Linear(7, 3), watch);
  accuracy(model, {make_batch(5)}, "cpu");
  check::expect(!watch->recorded,
                "the outputs are part of a graph, which holds every layer's results for a backward "
                "that never comes: work under a NoGradGuard");
  check::expect(td::GradMode::is_enabled(), "gradient tracking is still off after the evaluation");
  const td::NoGradGuard no_grad;
  accuracy(model, {make_batch(5)}, "cpu");
  check::expect(!td::GradMode::is_enabled(),
                "the caller had gradient tracking off; after the evaluation it is on");
}
