// Views against plain index arithmetic: for random chains of view operations, each element is
// looked up by hand in the original memory.
#include <random>

#include "values.h"

using namespace td;

namespace {

Tensor counting(IntArrayRef sizes) {
  Tensor t = empty(sizes);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.data_ptr<float>()[i] = static_cast<float>(i);
  return t;
}

}  // namespace

TEST_CASE("permute, transpose, slice and select show the right elements") {
  const Tensor x = counting({2, 3, 4});
  const auto at = [](int i, int j, int k) { return i * 12 + j * 4 + k; };
  const Tensor p = x.permute({2, 0, 1});
  REQUIRE(p.sizes() == IntArrayRef({4, 2, 3}));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) {
        CHECK(p[k][i][j].item<int>() == at(i, j, k));
        CHECK(x.transpose(0, 2)[k][j][i].item<int>() == at(i, j, k));
      }
  CHECK(values(x.slice(2, 1, 4, 2)[1][2]) == std::vector<double>{21, 23});
  CHECK(values(x.slice(1, -2)[0].select(1, 0)) == std::vector<double>{4, 8});
  CHECK(values(x.narrow(0, 1, 1).flatten()).front() == 12);
  CHECK(x.slice(1, 2, 1).numel() == 0);
}

TEST_CASE("a view shares memory, reshape copies only when it must") {
  Tensor x = counting({2, 6});
  Tensor v = x.view({3, 4});
  v[0][1] = Scalar(100);
  CHECK(x[0][1].item<int>() == 100);
  CHECK(x.view({-1}).size(0) == 12);
  CHECK(x.reshape({4, 3}).data_ptr() == x.data_ptr());
  const Tensor turned = x.t();
  CHECK(turned.reshape({12}).data_ptr() != x.data_ptr());
  CHECK(values(turned.reshape({12}))[1] == 6);
  // Splitting a dimension and joining neighbors in memory needs no copy, also after a transpose.
  CHECK(turned.view({2, 3, 2}).data_ptr() == x.data_ptr());
  CHECK(turned.view({2, 3, 2})[1][0][1].item<int>() == 9);
}

TEST_CASE("expand repeats without memory, squeeze and unsqueeze change only the shape") {
  const Tensor x = counting({3, 1});
  const Tensor e = x.expand({2, -1, 4});
  CHECK(e.sizes() == IntArrayRef({2, 3, 4}));
  CHECK(e.data_ptr() == x.data_ptr());
  CHECK(e[1][2][3].item<int>() == 2);
  CHECK(values(e + 0).size() == 24);
  CHECK(x.squeeze().sizes() == IntArrayRef({3}));
  CHECK(x.unsqueeze(0).unsqueeze(-1).sizes() == IntArrayRef({1, 3, 1, 1}));
  CHECK(counting({2, 1, 3}).squeeze(1).sizes() == IntArrayRef({2, 3}));
}

TEST_CASE("split, chunk and unbind cut along a dimension") {
  const Tensor x = counting({5, 2});
  const TensorList parts = x.split(2);
  REQUIRE(parts.size() == 3);
  CHECK(parts[2].sizes() == IntArrayRef({1, 2}));
  CHECK(x.chunk(4).size() == 3);  // ceil(5 / 4) = 2 rows each
  CHECK(values(x.unbind(1)[1]) == std::vector<double>{1, 3, 5, 7, 9});
}

TEST_CASE("element-wise work on any strides equals the same on packed copies") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Sizes sizes;
    for (int d = 0; d < 4; ++d) sizes.push_back(1 + random() % 4);
    Tensor x = counting(sizes), y = counting(sizes) * 0.5;
    for (int step = 0; step < 3; ++step) {
      const std::int64_t a = random() % 4, b = random() % 4;
      x = x.transpose(a, b);
      y = y.transpose(a, b);
      if (x.size(a) > 2) x = x.slice(a, 0, nullopt, 2), y = y.slice(a, 0, nullopt, 2);
    }
    const Tensor packed = x.contiguous() + y.contiguous();
    CHECK(values(x + y) == values(packed));
    CHECK(values(x + y.contiguous()) == values(packed));
  }
}

TEST_CASE("sizes that do not fit are clear errors") {
  const Tensor x = counting({2, 3});
  CHECK(message<ShapeError>([&] {
          x.view({4, -1});
        }) == "view: sizes [4, -1] do not hold the tensor's 6 elements");
  CHECK(
      message<ShapeError>([&] { x.t().view({6}); }) ==
      "view: sizes [6] cannot look at a tensor of sizes [3, 2] and strides [1, 3] without a copy; "
      "use reshape");
  CHECK(message<ShapeError>([&] { x[2]; }) ==
        "select: index 2 is out of range for dimension 0 of size 2");
  CHECK(message<ShapeError>([&] { x.size(5); }) ==
        "size: dimension 5 is out of range for a 2-dimensional tensor; expected -2 to 1");
  CHECK(message<ShapeError>([&] { x + counting({4}); }) ==
        "add: sizes [2, 3] and [4] do not broadcast: dimension 1 is 3 against 4, and neither is 1");
  CHECK(message<ShapeError>([&] {
          x.expand({2, 5});
        }) == "expand: dimension 1 of size 3 cannot become 5; only sizes of 1 expand");
  CHECK(message<ShapeError>([&] {
          x.as_strided({3, 3}, {3, 1});
        }) ==
        "as_strided: sizes [3, 3], strides [3, 1] and offset 0 reach beyond the tensor's memory of "
        "24 bytes");
  CHECK_THROWS_AS(empty({1, 1, 1, 1, 1, 1, 1, 1, 1}), ShapeError);
}

TEST_CASE("sizes whose product no memory can hold are an error, also with a 0 among them") {
  const std::int64_t large = std::int64_t{1} << 40;
  CHECK_THROWS_WITH(empty({large, large}),
                    Catch::Contains("has more elements than any memory can hold"));
  CHECK_THROWS_WITH(empty({0, large, large}),
                    Catch::Contains("has more elements than any memory can hold"));
  CHECK(empty({0, large}).numel() == 0);
}
