// How parameters are put into buckets: PyTorch's rule, and the rebuilding in ready order.
#include "distributed/ddp/bucket.h"
#include "ranks.h"

using namespace ranks;

namespace {

using Lists = std::vector<std::vector<std::size_t>>;

TensorList of_elements(std::initializer_list<std::int64_t> counts) {
  TensorList all;
  for (const std::int64_t n : counts) all.push_back(zeros({n}));
  return all;
}

std::vector<std::size_t> backwards(std::size_t n) {
  std::vector<std::size_t> order;
  while (n > 0) order.push_back(--n);
  return order;
}

// A module that uses its layers in the order that an argument of forward gives.
struct AnyOrder : nn::Module {
  explicit AnyOrder(bool swapped) : swapped_(swapped) {}
  nn::Linear first = register_module("first", nn::Linear(4, 4));
  nn::Linear second = register_module("second", nn::Linear(4, 4));
  Tensor forward(const Tensor& x) {
    return swapped_ ? first(second(x).tanh()) : second(first(x).tanh());
  }
  bool swapped_;
};

Lists numbers_of(const Reducer& reducer) {
  Lists all;
  for (const auto& bucket : reducer.buckets()) all.push_back(bucket->numbers());
  return all;
}

}  // namespace

TEST_CASE("a bucket takes parameters until it reaches its limit") {
  const TensorList parameters = of_elements({1, 2, 3, 4, 5});
  // Limits in bytes: 4 per float. The first bucket is full at 20, later ones at 24.
  CHECK(assign_buckets(parameters, backwards(5), 20, 24) == Lists{{4}, {3, 2}, {1, 0}});
  CHECK(assign_buckets(parameters, backwards(5), 21, 24) == Lists{{4, 3}, {2, 1, 0}});
  CHECK(assign_buckets(parameters, backwards(5), 1, 1) == Lists{{4}, {3}, {2}, {1}, {0}});
  CHECK(assign_buckets(parameters, backwards(5), 1000, 1) == Lists{{4, 3, 2, 1, 0}});
  CHECK(assign_buckets(parameters, {}, 1, 1).empty());
}

TEST_CASE("thirty layers of 512 make the buckets that PyTorch makes") {
  TensorList parameters;
  for (int layer = 0; layer < 30; ++layer) {
    parameters.push_back(empty({512, 512}));
    parameters.push_back(empty({512}));
  }
  std::vector<std::size_t> bytes;
  for (const auto& bucket : assign_buckets(parameters, backwards(60), 1 << 20, 25 << 20)) {
    bytes.push_back(0);
    for (const std::size_t number : bucket) bytes.back() += parameters[number].nbytes();
  }
  // PyTorch 1.13 after the first step.
  CHECK(bytes == std::vector<std::size_t>{1050624, 26265600, 4202496});
}

TEST_CASE("each type and device has its own buckets, in the order in which they fill up") {
  const TensorList parameters = {zeros({4}), zeros({4}, kDouble), zeros({4}), zeros({1}, kDouble),
                                 zeros({4}, TensorOptions().device("sim:0"))};
  CHECK(assign_buckets(parameters, {0, 1, 2, 3, 4}, 32, 32) == Lists{{1}, {0, 2}, {3}, {4}});
}

TEST_CASE("buckets are rebuilt once, in the order in which rank 0's gradients arrived") {
  const auto got = on_ranks(2, [](int rank) {
    // Rank 0 uses the second layer first, so that the first one's gradients come first.
    auto net = std::make_shared<AnyOrder>(rank == 0);
    fill(*net, 1);
    DistributedDataParallel ddp(net, Options().bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
    std::vector<Lists> seen = {numbers_of(ddp->reducer())};
    for (int step = 0; step < 3; ++step) {
      ddp->forward(numbers({2, 4}, 5)).sum().backward();
      seen.push_back(numbers_of(ddp->reducer()));
    }
    seen.push_back({{ddp->reducer().rebuilds()}});
    return seen;
  });
  CHECK(got[0] == got[1]);
  CHECK(got[0][0] == Lists{{3}, {2}, {1}, {0}});
  CHECK(got[0][1] == got[0][0]);  // through the first step
  const Lists rebuilt = got[0][2];
  CHECK(rebuilt.size() == 4);
  CHECK(std::max(rebuilt[0][0], rebuilt[1][0]) == 1);  // first.weight and first.bias
  CHECK(got[0][3] == rebuilt);
  CHECK(got[0][4] == Lists{{1}});
}

TEST_CASE("ranks whose gradients arrive in opposite orders get the same averages") {
  const auto step = [](int rank, bool wrap) {
    auto net = std::make_shared<AnyOrder>(rank == 0);
    fill(*net, 1);
    const Tensor x = numbers({2, 4}, 5);
    if (!wrap) {
      net->forward(x).sum().backward();
      return gradients(*net);
    }
    DistributedDataParallel ddp(net, Options().bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
    for (int i = 0; i < 3; ++i) {
      ddp->zero_grad();
      ddp->forward(x).sum().backward();
    }
    return gradients(*net);
  };
  const List a = step(0, false), b = step(1, false);
  List mean;
  for (std::size_t i = 0; i < a.size(); ++i)
    mean.push_back((static_cast<float>(a[i]) + static_cast<float>(b[i])) / 2.0f);
  const auto got = on_ranks(2, [&](int rank) { return step(rank, true); });
  CHECK(got[0] == mean);
  CHECK(got[1] == mean);
}
