// Tests of broadcast_start: ranks that begin with different models.
#include "exercises.h"
#include "ranks.h"

namespace {

std::vector<td::Tensor> tensors_of(td::nn::Module& model) {
  std::vector<td::Tensor> all = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) all.push_back(buffer);
  return all;
}

// Values of rank 0 before, and of every rank afterwards.
void expect_rank_0s_values(std::vector<td::nn::Sequential>& models, const std::string& what) {
  const int ranks = static_cast<int>(models.size());
  std::vector<std::vector<double>> expected;
  std::vector<std::vector<td::Tensor>> held;
  std::vector<std::vector<td::Tensor>> memory(models.size());  // views of it
  for (auto& model : models) held.push_back(tensors_of(*model));
  for (std::size_t r = 0; r < held.size(); ++r)
    for (const td::Tensor& tensor : held[r]) memory[r].push_back(tensor.detach());
  for (const td::Tensor& tensor : held[0]) expected.push_back(check::values(tensor));
  run_ranks(ranks, [&](ProcessGroup& group) {
    broadcast_start(*models[static_cast<std::size_t>(group.rank())], group);
  });
  for (int r = 0; r < ranks; ++r)
    for (std::size_t t = 0; t < expected.size(); ++t) {
      const td::Tensor& tensor = held[static_cast<std::size_t>(r)][t];
      check::expect_close(
          check::values(tensor), expected[t], 0,
          what + ": tensor " + std::to_string(t) + " that " + rank_name(r, ranks) + " had before");
      check::expect(tensor.data_ptr() == memory[static_cast<std::size_t>(r)][t].data_ptr(),
                    what + ": tensor " + std::to_string(t) + " of " + rank_name(r, ranks) +
                        " has other memory now: a view or an optimizer still sees the old values");
    }
}

}  // namespace

TEST_CASE("all ranks have the parameters and buffers of rank 0", "[broadcast_start]") {
  for (const td::Device device : check::devices()) {
    std::vector<td::nn::Sequential> models;
    for (std::uint64_t r = 0; r < 3; ++r) {
      models.push_back(make_net(r + 1, device));
      for (td::Tensor buffer : models.back()->buffers()) buffer.fill_(static_cast<double>(r + 2));
    }
    expect_rank_0s_values(models, "on " + device.str());
  }
}

TEST_CASE("every value is there when the function returns", "[broadcast_start]") {
  std::vector<td::nn::Sequential> models = {make_net(1), make_net(2)};
  expect_waits([&](ProcessGroup& group) {
    broadcast_start(*models[static_cast<std::size_t>(group.rank())], group);
  });
}

TEST_CASE("parameters stay leaves that require grad", "[broadcast_start]") {
  std::vector<td::nn::Sequential> models = {make_net(1), make_net(2)};
  run_ranks(2, [&](ProcessGroup& group) {
    broadcast_start(*models[static_cast<std::size_t>(group.rank())], group);
  });
  for (auto& model : models)
    for (const td::Tensor& parameter : model->parameters())
      check::expect(parameter.is_leaf() && parameter.requires_grad(),
                    "a parameter is no longer a leaf that requires grad");
}

TEST_CASE("parameters in the channels-last memory format keep it", "[broadcast_start]") {
  std::vector<td::nn::Sequential> models;
  for (std::uint64_t r = 0; r < 2; ++r) {
    td::manual_seed(r + 1);
    models.push_back(td::nn::Sequential(td::nn::Conv2d(3, 5, 3)));
    models.back()->to(td::MemoryFormat::ChannelsLast);
  }
  expect_rank_0s_values(models, "channels last");
  for (auto& model : models)
    check::expect(model->parameters()[0].is_contiguous(td::MemoryFormat::ChannelsLast),
                  "a weight in the channels-last memory format has another format now");
}

TEST_CASE("a single rank keeps its model", "[broadcast_start]") {
  std::vector<td::nn::Sequential> models = {make_net(1)};
  expect_rank_0s_values(models, "a world of one");
}

TEST_CASE("frozen parameters and types other than float32 are copied, too", "[broadcast_start]") {
  std::vector<td::nn::Sequential> models;
  for (std::uint64_t r = 0; r < 2; ++r) {
    models.push_back(make_net(r + 1));
    models.back()->to(td::kDouble);
    models.back()->parameters()[0].requires_grad_(false);
  }
  expect_rank_0s_values(models, "a double model with a frozen weight");
  check::expect(!models[1]->parameters()[0].requires_grad(), "a frozen weight now requires grad");
}

TEST_CASE("parameters and buffers of the module itself are copied, too", "[broadcast_start]") {
  struct Scaled : td::nn::Module {
    explicit Scaled(double value) {
      register_parameter("scale", td::full({3}, value));
      register_buffer("count", td::full({2}, value));
      register_module("linear", td::nn::Linear(2, 2));
    }
  };
  std::vector<std::shared_ptr<Scaled>> models = {std::make_shared<Scaled>(1),
                                                 std::make_shared<Scaled>(2)};
  run_ranks(2, [&](ProcessGroup& group) {
    broadcast_start(*models[static_cast<std::size_t>(group.rank())], group);
  });
  const auto expected = models[0]->named_parameters(), got = models[1]->named_parameters();
  for (const auto& parameter : expected)
    check::expect_close(got[parameter.key()], parameter.value(), 0,
                        "the parameter \"" + parameter.key() +
                            "\" of rank 1 of 2; the module has a parameter and a buffer itself, "
                            "and a layer");
  check::expect_close(models[1]->buffers()[0], td::full({2}, 1.0), 0,
                      "the buffer \"count\" of rank 1 of 2, which belongs to the module itself");
}
