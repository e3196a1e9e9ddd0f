// Tests of equal_step and scaled_learning_rate. The reference is one process with the whole batch,
// in float64, so that only a wrong formula can differ.
#include <algorithm>

#include "exercises.h"
#include "ranks.h"

namespace {

td::nn::Sequential double_net(std::uint64_t seed, td::Device device) {
  td::manual_seed(seed);
  td::nn::Sequential net(td::nn::Linear(7, 31), td::nn::Tanh(), td::nn::Linear(31, 3));
  net->to(device, td::kDouble);
  return net;
}

td::optim::SGD optimizer_of(td::nn::Sequential& model) {
  return td::optim::SGD(model->parameters(), td::optim::SGDOptions(0.5).momentum(0.9));
}

// `shares`: how many samples each rank has. Trains three steps, alone and together.
void expect_equal_to_one(const std::vector<std::int64_t>& shares, td::Device device = "cpu") {
  const int ranks = static_cast<int>(shares.size());
  constexpr int kSteps = 3;
  const td::nn::CrossEntropyLoss criterion;
  const Loss loss_fn = [&](const td::Tensor& output, const td::Tensor& target) {
    return td::nn::CrossEntropyLoss(criterion)(output, target);
  };
  std::vector<td::Tensor> data, target;  // of each rank
  td::manual_seed(4);
  for (const std::int64_t n : shares) {
    data.push_back(td::randn({n, 7}, td::kDouble).to(device));
    target.push_back(td::randint(0, 3, {n}, td::TensorOptions(td::kInt64)).to(device));
  }
  td::nn::Sequential alone = double_net(1, device);
  td::optim::SGD optimizer = optimizer_of(alone);
  const td::Tensor whole = td::cat(data), wanted = td::cat(target);
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    const td::Tensor loss = loss_fn(alone->forward(whole), wanted);
    losses.push_back(loss.item<double>());
    loss.backward();
    optimizer.step();
  }

  std::vector<td::nn::Sequential> models;
  std::vector<std::vector<double>> seen(shares.size());
  std::vector<int> attached(shares.size());
  std::vector<std::int64_t> dims(shares.size());
  for (int r = 0; r < ranks; ++r) models.push_back(double_net(1, device));
  run_ranks(ranks, [&](ProcessGroup& group) {
    const auto r = static_cast<std::size_t>(group.rank());
    td::optim::SGD mine = optimizer_of(models[r]);
    for (int step = 0; step < kSteps; ++step) {
      const td::Tensor loss = equal_step(models[r], loss_fn, mine, data[r], target[r], group);
      attached[r] += loss.requires_grad();
      dims[r] = std::max(dims[r], loss.dim());
      seen[r].push_back(loss.item<double>());
    }
  });

  std::string what = "shares of";
  for (const std::int64_t n : shares) what += " " + std::to_string(n);
  what += " samples on " + device.str() + ", ";
  for (int r = 0; r < ranks; ++r) {
    const auto got = models[static_cast<std::size_t>(r)]->parameters();
    const auto expected = alone->parameters();
    for (std::size_t p = 0; p < got.size(); ++p)
      check::expect_close(got[p], expected[p], 1e-10,
                          what + "parameter " + std::to_string(p) + " of " + rank_name(r, ranks));
    check::expect_close(seen[static_cast<std::size_t>(r)], losses, 1e-10,
                        what + "losses of " + rank_name(r, ranks));
    check::expect(attached[static_cast<std::size_t>(r)] == 0, "the loss still has its graph");
    check::expect(dims[static_cast<std::size_t>(r)] == 0,
                  what + "the loss of " + rank_name(r, ranks) +
                      " should have no dimensions, and has " +
                      std::to_string(dims[static_cast<std::size_t>(r)]));
  }
}

}  // namespace

TEST_CASE("ranks with equal shares change the model as one process does", "[equal_to_one]") {
  expect_equal_to_one({4, 4});
  expect_equal_to_one({31});
  for (const td::Device device : check::devices()) expect_equal_to_one({5, 5, 5}, device);
}

TEST_CASE("ranks with unequal shares change the model as one process does", "[equal_to_one]") {
  expect_equal_to_one({3, 1});
  expect_equal_to_one({1, 33, 5});
}

TEST_CASE("a rank without samples takes part", "[equal_to_one]") {
  expect_equal_to_one({4, 0});
  expect_equal_to_one({0, 7, 0, 2});
}

TEST_CASE("a rank without samples takes part also if the inputs are integers", "[equal_to_one]") {
  const Loss loss_fn = [](const td::Tensor& output, const td::Tensor& target) {
    return td::nn::functional::cross_entropy(output, target);
  };
  std::vector<td::Tensor> losses(2);
  run_ranks(2, [&](ProcessGroup& group) {
    const auto r = static_cast<std::size_t>(group.rank());
    td::nn::Sequential model(
        td::nn::Functional([](const td::Tensor& x) { return x.to(td::kDouble); }),
        double_net(1, "cpu"));
    td::optim::SGD optimizer = optimizer_of(model);
    const std::int64_t n = r == 0 ? 3 : 0;
    losses[r] = equal_step(model, loss_fn, optimizer, td::ones({n, 7}, td::kInt64),
                           td::zeros({n}, td::kInt64), group);
  });
  check::expect_dtype(losses[1], td::kDouble, "the loss of a rank without samples");
  check::expect_close(losses[1], losses[0], 0, "the loss of a rank without samples");
}

TEST_CASE("the learning rate follows the batch of all ranks together", "[equal_to_one]") {
  check::expect_close(scaled_learning_rate(0.1, 64, 64, 2), 0.2, 1e-12, "2 ranks of 64, lr 0.1");
  check::expect_close(scaled_learning_rate(0.1, 64, 32, 2), 0.1, 1e-12, "2 ranks of 32, lr 0.1");
  check::expect_close(scaled_learning_rate(0.1, 256, 32, 1), 0.0125, 1e-12, "1 rank of 32 of 256");
  check::expect_close(scaled_learning_rate(0.05, 100, 33, 7), 0.1155, 1e-12, "7 ranks of 33");
}

TEST_CASE("a frozen parameter gets no gradient, and weight decay does not change it",
          "[equal_to_one]") {
  std::vector<td::nn::Sequential> models = {double_net(1, "cpu"), double_net(1, "cpu")};
  const std::vector<double> before = check::values(models[0]->parameters()[0]);
  for (auto& model : models) model->parameters()[0].requires_grad_(false);
  const Loss loss_fn = [](const td::Tensor& output, const td::Tensor& target) {
    return td::nn::functional::cross_entropy(output, target);
  };
  run_ranks(2, [&](ProcessGroup& group) {
    const auto r = static_cast<std::size_t>(group.rank());
    td::optim::SGD optimizer(models[r]->parameters(), td::optim::SGDOptions(0.5).weight_decay(0.1));
    equal_step(models[r], loss_fn, optimizer, td::ones({2, 7}, td::kDouble),
               td::zeros({2}, td::kInt64), group);
  });
  for (auto& model : models) {
    check::expect(!model->parameters()[0].grad().defined(),
                  "parameter 0 does not require grad, and has a gradient now");
    check::expect_close(check::values(model->parameters()[0]), before, 0,
                        "a frozen parameter after a step with weight decay");
  }
}

TEST_CASE("float32 models keep their type", "[equal_to_one]") {
  std::vector<td::nn::Sequential> models = {make_net(1), make_net(1)};
  const Loss loss_fn = [](const td::Tensor& output, const td::Tensor& target) {
    return td::nn::functional::cross_entropy(output, target);
  };
  run_ranks(2, [&](ProcessGroup& group) {
    const auto r = static_cast<std::size_t>(group.rank());
    td::optim::SGD optimizer(models[r]->parameters(), td::optim::SGDOptions(0.5));
    equal_step(models[r], loss_fn, optimizer, td::ones({2, 7}), td::zeros({2}, td::kInt64), group);
  });
  check::expect_dtype(models[0]->parameters()[0].grad(), td::kFloat,
                      "the gradient of a float32 weight");
}

TEST_CASE("gradients of before do not count", "[equal_to_one]") {
  const Loss loss_fn = [](const td::Tensor& output, const td::Tensor& target) {
    return td::nn::functional::cross_entropy(output, target);
  };
  std::vector<td::nn::Sequential> models = {double_net(1, "cpu"), double_net(1, "cpu")};
  for (const td::Tensor& parameter : models[1]->parameters())
    parameter.mutable_grad() = td::ones_like(parameter.detach());
  for (auto& model : models)
    run_ranks(1, [&](ProcessGroup& group) {
      td::optim::SGD optimizer = optimizer_of(model);
      equal_step(model, loss_fn, optimizer, td::ones({2, 7}, td::kDouble),
                 td::zeros({2}, td::kInt64), group);
    });
  for (std::size_t p = 0; p < models[0]->parameters().size(); ++p)
    check::expect_close(models[1]->parameters()[p], models[0]->parameters()[p], 1e-12,
                        "parameter " + std::to_string(p) +
                            " after a step of a model that had gradients before, compared with a "
                            "model that had none: the step clears them first");
}
