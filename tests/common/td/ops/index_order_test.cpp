// Several sources that go to one element: in the order of the index, so that every bit is defined.
// The kernels have two methods, line by line and by sorting the index, as cuda does. Both are
// compared with plain loops here, on cpu and sim.
#include <cstring>

#include "../tensor/values.h"
#include "catch.h"
#include "td/ops/kernels.h"

using td::Tensor;

namespace {

// Numbers whose float sums depend on the order.
std::vector<float> numbers(std::int64_t count, unsigned seed) {
  std::vector<float> v;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    v.push_back(static_cast<float>(static_cast<int>(seed >> 8) - (1 << 23)) *
                (seed & 64u ? 1e-3f : 1e-7f));
  }
  return v;
}

std::vector<std::int64_t> places(std::int64_t count, std::int64_t n, unsigned seed) {
  std::vector<std::int64_t> v;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    v.push_back(static_cast<std::int64_t>((seed >> 8) % static_cast<unsigned>(n)));
  }
  return v;
}

template <class T>
Tensor tensor_of(const std::vector<T>& v, td::IntArrayRef sizes, td::ScalarType type) {
  const Tensor t = td::empty(sizes, td::TensorOptions(type));
  std::memcpy(t.data_ptr(), v.data(), v.size() * sizeof(T));
  return t;
}

bool same_bits(const Tensor& t, const std::vector<float>& v) {
  const Tensor host = t.cpu();
  return host.numel() == static_cast<std::int64_t>(v.size()) &&
         std::memcmp(host.data_ptr(), v.data(), host.nbytes()) == 0;
}

}  // namespace

TEST_CASE("equal indices: added up in order, or the last one stays, by lines and by sorting") {
  struct Case {
    std::int64_t outer, n, inner, picked;
  };
  for (const Case& c :
       {Case{1, 9, 1, 2000}, Case{3, 5, 4, 40}, Case{2, 7, 33, 17}, Case{1, 1, 70, 50},
        Case{1, 300, 2, 5}, Case{4, 3, 1, 0}, Case{2, 3, 0, 5}, Case{3, 5, 333, 100}})
    for (const bool add : {true, false}) {
      const auto index = places(c.picked, c.n, 1);
      const auto from = numbers(c.outer * c.picked * c.inner, 2);
      const auto before = numbers(c.outer * c.n * c.inner, 3);
      auto wanted = before;
      for (std::int64_t o = 0; o < c.outer; ++o)
        for (std::int64_t i = 0; i < c.picked; ++i)
          for (std::int64_t in = 0; in < c.inner; ++in) {
            float& to = wanted[static_cast<std::size_t>(
                (o * c.n + index[static_cast<std::size_t>(i)]) * c.inner + in)];
            const float value = from[static_cast<std::size_t>((o * c.picked + i) * c.inner + in)];
            to = add ? to + value : value;
          }
      for (const td::Device device : devices())
        for (const bool sorted : {false, true}) {
          INFO(device << ", [" << c.outer << ", " << c.n << ", " << c.inner << "] x " << c.picked
                      << (add ? ", add" : ", copy") << (sorted ? ", sorted" : ""));
          const Tensor self =
              tensor_of(before, {c.outer, c.n, c.inner}, td::kFloat).to(device, false, true);
          const Tensor at = tensor_of(index, {c.picked}, td::kLong).to(device);
          const Tensor source =
              tensor_of(from, {c.outer, c.picked, c.inner}, td::kFloat).to(device);
          if (add)
            td::kernels::index_add("test", self, 1, at, source, 1, sorted);
          else
            td::kernels::index_copy("test", self, 1, at, source, sorted);
          CHECK(same_bits(self, wanted));
        }
    }
}

TEST_CASE("scatter with equal indices keeps their order along dim, by lines and by sorting") {
  const std::int64_t rows = 6, n = 11, columns = 5, length = 40;  // index [5, 40, 4] in [6, 11, 5]
  const auto index = places((rows - 1) * length * (columns - 1), n, 4);
  const auto from = numbers(static_cast<std::int64_t>(index.size()), 5);
  const auto before = numbers(rows * n * columns, 6);
  for (const bool add : {true, false}) {
    auto wanted = before;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::size_t row = i / (length * (columns - 1)), column = i % (columns - 1);
      float& to = wanted[(row * n + static_cast<std::size_t>(index[i])) * columns + column];
      to = add ? to + from[i] : from[i];
    }
    for (const td::Device device : devices())
      for (const bool sorted : {false, true}) {
        INFO(device << (add ? ", add" : "") << (sorted ? ", sorted" : ""));
        const Tensor self =
            tensor_of(before, {rows, n, columns}, td::kFloat).to(device, false, true);
        const td::Sizes sizes = {rows - 1, length, columns - 1};
        td::kernels::scatter("test", self, 1, tensor_of(index, sizes, td::kLong).to(device),
                             tensor_of(from, sizes, td::kFloat).to(device), add, sorted);
        CHECK(same_bits(self, wanted));
      }
  }
}

TEST_CASE("16-bit sums round after each addition, by lines and by sorting") {
  for (const td::Device device : devices())
    for (const bool sorted : {false, true}) {
      // 256 + 1 is 256 in bfloat16, again and again; the other order would give 288.
      const Tensor self = td::full({1}, 256, td::TensorOptions(td::kBFloat16).device(device));
      const Tensor at = td::zeros({32}, td::TensorOptions(td::kLong).device(device));
      const Tensor ones = td::ones({32}, td::TensorOptions(td::kBFloat16).device(device));
      td::kernels::index_add("test", self, 0, at, ones, 1, sorted);
      CHECK(self.item<double>() == 256);
    }
}

TEST_CASE("an index that does not exist is named by the sorted way too") {
  const Tensor self = td::zeros({3}), source = td::ones({2});
  for (const std::int64_t bad : {-1, 3}) {
    const Tensor at = td::tensor({std::int64_t{0}, bad});
    CHECK(message<td::ShapeError>([&] {
            td::kernels::index_add("test", self, 0, at, source, 1, true);
          }) == "test: index " + std::to_string(bad) + " is out of range; expected 0 to 2");
    CHECK(message<td::ShapeError>([&] {
            td::kernels::scatter("test", self, 0, at, source, false, true);
          }) == "test: index " + std::to_string(bad) + " is out of range; expected 0 to 2");
  }
}

TEST_CASE("index_put_ with equal indices: the last one stays") {
  for (const td::Device device : devices()) {
    const Tensor x = td::zeros({3, 2}, td::TensorOptions(device));
    x.index_put_({td::tensor({1, 2, 1}).to(device)},
                 td::tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}).to(device));
    CHECK(values(x) == std::vector<double>{0, 0, 5, 6, 3, 4});
  }
}
