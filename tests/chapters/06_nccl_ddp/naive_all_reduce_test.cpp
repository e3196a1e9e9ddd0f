// Tests of average_gradients: against the mean computed in float64.
#include <algorithm>
#include <limits>

#include "exercises.h"
#include "ranks.h"

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Each rank's parameters, made before the threads start.
using Ranks = std::vector<std::vector<td::Tensor>>;

void average(const Ranks& ranks) {
  run_ranks(static_cast<int>(ranks.size()), [&](ProcessGroup& group) {
    average_gradients(ranks[static_cast<std::size_t>(group.rank())], group);
  });
}

// Expects `value` in every element of the gradient of parameter `p` on every rank.
void expect_gradient(const Ranks& ranks, std::size_t p, double value, const std::string& what) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::string where = what + ", parameter " + std::to_string(p) + " of " +
                              rank_name(static_cast<int>(r), static_cast<int>(ranks.size()));
    const td::Tensor gradient = ranks[r][p].grad();
    check::expect(gradient.defined(), where + " has no gradient");
    check::expect_sizes(gradient, ranks[r][p].sizes().vec(), where);
    check::expect_dtype(gradient, ranks[r][p].dtype(), where);
    check::expect_close(check::values(gradient),
                        std::vector<double>(static_cast<std::size_t>(ranks[r][p].numel()), value),
                        1e-6, where);
  }
}

}  // namespace

TEST_CASE("gradients become their mean on every rank", "[naive_all_reduce]") {
  for (const td::Device device : check::devices())
    for (const int ranks : {1, 2, 3}) {
      Ranks all;
      double sum = 0;
      for (int r = 0; r < ranks; ++r) {
        const double g = 2.0 * r * r + 1;
        sum += g;
        all.push_back({parameter_with({31, 3}, g, device), parameter_with({33}, -g, device)});
      }
      average(all);
      const std::string what = std::to_string(ranks) + " ranks on " + device.str();
      expect_gradient(all, 0, sum / ranks, what);
      expect_gradient(all, 1, -sum / ranks, what);
    }
}

TEST_CASE("a parameter that one rank did not use counts as zeros there", "[naive_all_reduce]") {
  const Ranks all = {{parameter_with({5}, 8), parameter_with({3}, 1)},
                     {parameter_with({5}, kNone), parameter_with({3}, 5)}};
  average(all);
  expect_gradient(all, 0, 4, "used by rank 0 only");
  expect_gradient(all, 1, 3, "used by both");
}

TEST_CASE("each parameter that requires grad has one all_reduce of its own", "[naive_all_reduce]") {
  std::vector<std::vector<std::int64_t>> calls(2);
  run_ranks(2, [&](ProcessGroup& group) {
    CountedGroup counted(group);
    const std::vector<td::Tensor> parameters = {parameter_with({4}, 1), td::zeros({5}),
                                                parameter_with({2, 3}, 2), parameter_with({1}, 3)};
    average_gradients(parameters, counted);
    for (const auto& call : counted.calls)
      if (call.type == td::distributed::CollectiveType::kAllReduce)
        calls[static_cast<std::size_t>(group.rank())].push_back(call.numel);
  });
  for (auto& sizes : calls) {
    std::string text;
    for (const std::int64_t size : sizes) text += " " + std::to_string(size);
    std::sort(sizes.begin(), sizes.end());
    check::expect(sizes == std::vector<std::int64_t>{1, 4, 6},
                  "parameters of 4, 5 (frozen), 6 and 1 elements: expected all_reduces of 4 6 1 "
                  "elements, got" +
                      (text.empty() ? " none" : text) +
                      ". Buckets of several parameters are another exercise");
  }
}

TEST_CASE("every average is there when the function returns", "[naive_all_reduce]") {
  expect_waits([](ProcessGroup& group) {
    average_gradients({parameter_with({31}, 1), parameter_with({3}, 2)}, group);
  });
}

TEST_CASE("a frozen parameter takes no part", "[naive_all_reduce]") {
  Ranks all;
  for (int r = 0; r < 2; ++r) {
    td::Tensor frozen = td::zeros({4});
    all.push_back({frozen, parameter_with({3}, 2.0 * r)});
  }
  average(all);
  expect_gradient(all, 1, 1, "after a frozen parameter");
  for (const auto& parameters : all)
    check::expect(!parameters[0].grad().defined(), "a frozen parameter has got a gradient");
}

TEST_CASE("double parameters and gradients that are not contiguous", "[naive_all_reduce]") {
  Ranks all;
  for (int r = 0; r < 2; ++r) {
    const td::Tensor parameter = parameter_with({4, 6}, kNone, td::kDouble);
    parameter.mutable_grad() = td::full({6, 4}, r == 0 ? 1.0 : 4.0, td::kDouble).t();
    all.push_back({parameter});
  }
  average(all);
  expect_gradient(all, 0, 2.5, "a transposed gradient");
}

TEST_CASE("the old gradient of a frozen parameter stays, and one element is averaged",
          "[naive_all_reduce]") {
  Ranks all;
  for (int r = 0; r < 2; ++r) {
    td::Tensor frozen = parameter_with({2}, 5.0 + r);
    frozen.requires_grad_(false);
    all.push_back({frozen, parameter_with({1}, 2.0 * r), parameter_with({}, 4.0 * r)});
  }
  average(all);
  expect_gradient(all, 1, 1, "one element");
  expect_gradient(all, 2, 2, "no dimensions");
  for (std::size_t r = 0; r < 2; ++r)
    check::expect_close(
        check::values(all[r][0].grad()), std::vector<double>(2, 5.0 + r), 0,
        "the old gradient of a parameter that is frozen now, rank " + std::to_string(r));
}
