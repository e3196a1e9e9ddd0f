// Tests of train: against one process on one device, in float64, so that only a wrong formula can
// differ.
#include <atomic>

#include "replicas.h"

namespace {

using Batches = std::vector<td::data::Example<>>;

Batches make_batches(const std::vector<std::int64_t>& rows, std::int64_t classes = 3,
                     td::ScalarType dtype = td::kDouble) {
  td::manual_seed(5);
  Batches batches;
  for (const std::int64_t n : rows)
    batches.emplace_back(td::randn({n, 4}, dtype),
                         td::randint(0, classes, {n}, td::TensorOptions(td::kInt64)));
  return batches;
}

td::nn::Sequential double_net() {
  td::manual_seed(6);
  td::nn::Sequential net(td::nn::Linear(4, 7), td::nn::Tanh(), td::nn::Linear(7, 3));
  net->to(td::kDouble);
  return net;
}

// Trains alone on the cpu and with `train` on the devices, and compares.
void expect_like_one_device(const std::vector<std::int64_t>& rows,
                            const std::vector<td::Device>& devices, bool frozen = false) {
  const Batches batches = make_batches(rows);
  td::nn::Sequential alone = double_net(), model = double_net();
  if (frozen)
    for (const auto& net : {alone, model}) net->parameters()[0].requires_grad_(false);
  std::vector<double> losses;
  td::optim::SGD optimizer(alone->parameters(), td::optim::SGDOptions(0.5));
  for (const auto& batch : batches) {
    optimizer.zero_grad();
    const td::Tensor loss =
        td::nn::functional::cross_entropy(alone->forward(batch.data), batch.target);
    losses.push_back(loss.item<double>());
    loss.backward();
    optimizer.step();
  }
  const td::Tensor got = train(model, devices, batches, 0.5);
  std::string what = "batches of";
  for (const std::int64_t n : rows) what += " " + std::to_string(n);
  what += " rows on " + named(devices) + ": ";
  check::expect_on(got, devices[0], what + "the losses");
  check::expect(!got.requires_grad(), what + "the losses still have a graph");
  check::expect_sizes(got, {static_cast<std::int64_t>(rows.size())}, what + "the losses");
  check::expect_close(check::values(got)[0], losses[0], 1e-9,
                      what + "the loss of step 0, the mean over all rows of its batch");
  for (std::size_t p = 0; p < 4; ++p) {
    const std::string parameter = what + "parameter " + std::to_string(p) + " of the model";
    check::expect_on(model->parameters()[p], devices[0], parameter);
    check::expect_close(model->parameters()[p], alone->parameters()[p], 1e-9,
                        parameter + ", compared with training on one device");
  }
  check::expect_close(check::values(got), losses, 1e-9, what + "the losses of all steps");
}

}  // namespace

TEST_CASE("equal parts train as one device does", "[train]") {
  for (const auto& devices : device_lists()) expect_like_one_device({6, 6, 6}, devices);
}

TEST_CASE("parts of different sizes train as one device does", "[train]") {
  expect_like_one_device({7, 3, 5}, {"sim:0", "sim:1"});
  expect_like_one_device({5, 7}, {"cpu", "cpu", "cpu"});
}

TEST_CASE("a small last batch leaves devices without a part", "[train]") {
  expect_like_one_device({7, 1}, {"sim:0", "sim:1"});
  expect_like_one_device({8, 4, 2}, {"sim:0", "sim:1", "sim:0"});
}

TEST_CASE("one device, and a frozen parameter", "[train]") {
  expect_like_one_device({4, 3}, {"sim:1"});
  expect_like_one_device({4, 3}, {"sim:0", "sim:1"}, true);
}

TEST_CASE("the optimizer that train makes starts without old gradients", "[train]") {
  td::nn::Sequential model = double_net(), other = double_net();
  const Batches batches = make_batches({4});
  for (const td::Tensor& p : model->parameters())
    p.mutable_grad() = td::full(p.sizes().vec(), 9.0, td::kDouble);
  train(model, {"cpu", "cpu"}, batches, 0.1);
  train(other, {"cpu", "cpu"}, batches, 0.1);
  check::expect_close(model->parameters()[0], other->parameters()[0], 1e-12,
                      "a model that had gradients before train was called");
}

TEST_CASE("batch norm's statistics are those of replica 0, and the mode stays", "[train]") {
  td::manual_seed(3);
  td::nn::Sequential model(td::nn::Linear(4, 3), td::nn::BatchNorm1d(3));
  train(model, {"sim:0", "sim:1"}, make_batches({8, 6}, 3, td::kFloat), 0.1);
  check::expect_close(check::values(model->buffers()[2]), std::vector<double>{2}, 0,
                      "the count of batches that batch norm of the model has seen");
  check::expect(model->is_training(), "the model is no longer in training mode");
}

TEST_CASE("a frozen batch norm stays frozen", "[train]") {
  td::nn::Sequential model(td::nn::Linear(4, 3), td::nn::BatchNorm1d(3));
  model->children()[1]->eval();
  train(model, {"sim:0", "sim:1"}, make_batches({8, 6}, 3, td::kFloat), 0.1);
  check::expect(!model->children()[1]->is_training(),
                "the mode of a frozen batch norm changed: it is in training mode now");
  check::expect_close(check::values(model->buffers()[2]), std::vector<double>{0}, 0,
                      "the count of batches that a frozen batch norm has seen");
}

TEST_CASE("outputs stay on their devices, and the host does not wait", "[train]") {
  constexpr std::int64_t kRows = 200, kClasses = 64;
  td::nn::Sequential model(td::nn::Linear(4, kClasses));
  model->to("sim:0");
  Batches batches = make_batches({kRows, kRows}, kClasses, td::kFloat);
  for (auto& batch : batches) batch = {batch.data.to("sim:0"), batch.target.to("sim:0")};
  td::Tensor losses;
  const Traffic traffic = traffic_of([&] {
    losses = train(model, {"sim:0", "sim:1"}, batches, 0.1);
  });
  check::expect(traffic.waits == 0,
                "the host waited " + std::to_string(traffic.waits) +
                    " times in 2 steps, although the batches are on sim:0: reading a value (item, "
                    "cpu, printing) and copying a value from the host wait for the device. Return "
                    "the losses as a tensor");
  // Per step: half of data (16 bytes per row) and target (8), the model there and its gradient
  // back (5 * 64 floats each); and little for the losses.
  constexpr std::uint64_t kNeeded = 2 * (kRows / 2 * 24 + 2 * 5 * kClasses * 4);
  check::expect(traffic.bytes <= 3 * kNeeded,
                "2 steps copied " + std::to_string(traffic.bytes) +
                    " bytes between devices; with the outputs where they are (" +
                    std::to_string(kRows / 2 * kClasses * 4) + " bytes per replica) about " +
                    std::to_string(kNeeded) + " are needed");
  check::expect(losses.sizes().vec() == std::vector<std::int64_t>{2}, "expected one loss per step");
}

TEST_CASE("train runs the replicas concurrently", "[train]") {
  Barrier barrier(2);
  std::atomic<int> alone{0};
  td::nn::Sequential model(td::nn::Linear(4, 3), td::nn::Functional([&](const td::Tensor& x) {
                             if (!barrier.all_came()) ++alone;
                             return x;
                           }));
  train(model, {"cpu", "cpu"}, make_batches({4}, 3, td::kFloat), 0.1);
  check::expect(alone == 0,
                "a replica waited for the other one, and it did not start: the "
                "replicas run one after another");
}
