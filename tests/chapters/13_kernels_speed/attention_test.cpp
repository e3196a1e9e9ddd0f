// Tests of attention.
#include <algorithm>
#include <cmath>

#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

struct Head {
  int queries, keys, d;
  std::vector<float> q, k, v;

  /// @param offset is added to each element of K, and so moves all scores of a query.
  Head(int queries_, int keys_, int d_, float offset = 0)
      : queries(queries_), keys(keys_), d(d_), q(numbers(queries)), k(numbers(keys + 1)), v(k) {
    v.erase(v.begin(), v.begin() + d);
    k.resize(v.size());
    for (float& x : k) x += offset;
  }

  std::vector<float> numbers(int rows) const {
    return check::small_numbers(static_cast<std::size_t>(rows * d));
  }

  double score(int i, int j) const {
    double sum = 0;
    for (int p = 0; p < d; ++p)
      sum += static_cast<double>(q[static_cast<std::size_t>(i * d + p)]) *
             k[static_cast<std::size_t>(j * d + p)];
    return sum / std::sqrt(d);
  }

  std::vector<double> expected() const {
    std::vector<double> out;
    for (int i = 0; i < queries; ++i) {
      double largest = score(i, 0), sum = 0;
      for (int j = 1; j < keys; ++j) largest = std::max(largest, score(i, j));
      std::vector<double> row(static_cast<std::size_t>(d));
      for (int j = 0; j < keys; ++j) {
        const double weight = std::exp(score(i, j) - largest);
        sum += weight;
        for (int p = 0; p < d; ++p)
          row[static_cast<std::size_t>(p)] += weight * v[static_cast<std::size_t>(j * d + p)];
      }
      for (const double x : row) out.push_back(x / sum);
    }
    return out;
  }
};

simt::KernelReport attend(const Head& head) {
  const std::string what = std::to_string(head.queries) + " queries, " + std::to_string(head.keys) +
                           " keys, d = " + std::to_string(head.d);
  const auto work = [&](td::Device device) -> std::vector<td::Tensor> {
    const td::Tensor out = check::poisoned_output({head.queries, head.d}, device);
    simt::launch<attention>({dim3(static_cast<unsigned>(head.queries)), dim3(32)},
                            check::tensor_of(head.q, device, {head.queries, head.d}),
                            check::tensor_of(head.k, device, {head.keys, head.d}),
                            check::tensor_of(head.v, device, {head.keys, head.d}), out, head.keys,
                            head.d);
    return {out};
  };
  return check::run_kernels(what, work, {head.expected()}, {}, 1e-4)[0];
}

}  // namespace

TEST_CASE("the example, and one key", "[attention]") {
  Head example(1, 2, 1);
  example.q = {2}, example.k = {0, 0}, example.v = {1, 3};
  attend(example);
  attend(Head(3, 1, 32));
}

TEST_CASE("many keys in heads of 32 numbers", "[attention]") {
  for (const int keys : {2, 31, 33}) attend(Head(3, keys, 32));
  attend(Head(2, 1023, 32));
}

TEST_CASE("heads of fewer than 32 numbers", "[attention]") {
  for (const int d : {1, 2, 16, 31}) attend(Head(3, 17, d));
}

TEST_CASE("scores of several hundred, above and below 0", "[attention]") {
  attend(Head(11, 13, 16, 300));
  attend(Head(11, 13, 16, -300));
}

TEST_CASE("scores of -2 billion", "[attention]") {
  Head head(1, 3, 1);
  head.q = {1}, head.k = {-2e9F, -2e9F, -2e9F}, head.v = {1, 3, 8};
  attend(head);
}

TEST_CASE("a first score that is far below the largest one", "[attention]") {
  Head head(1, 3, 1);
  head.q = {1}, head.k = {0, 200, 100}, head.v = {1, 3, 8};
  attend(head);
}

TEST_CASE("one pass: each row of K and V is loaded once per block", "[attention]") {
  const int queries = 4, keys = 20;
  const simt::KernelReport report = attend(Head(queries, keys, 32));
  check::expect_at_most(report, "requests to load from global memory",
                        report.profile.global(simt::kLoad).requests, queries * (2 * keys + 1));
  check::expect_at_most(report, "accesses to shared memory", report.profile.shared().requests, 0);
  check::expect_coalesced(report);
}
