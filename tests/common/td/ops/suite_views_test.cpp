// The operation suite over ops/views/views.h: views keep row-major order or change it as a formula
// says, and their gradients go back where the elements came from.
#include "../tensor/values.h"
#include "catch.h"
#include "suite.h"

using namespace suite;
using td::Tensor;
using td::TensorList;
using Ints = std::vector<std::int64_t>;
using Place = std::vector<std::size_t>;

namespace {

// The elements of x [2, 3, 4] that `place` names for each place of a result of these sizes.
Reference chosen(const Ints& sizes, const std::function<std::size_t(const Place&)>& place) {
  return [=](const std::vector<Array>& in) {
    Array y{sizes, {}};
    std::size_t count = 1;
    for (const std::int64_t n : sizes) count *= static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < count; ++i) {
      Place at(sizes.size());
      std::size_t rest = i;
      for (std::size_t d = sizes.size(); d-- > 0; rest /= static_cast<std::size_t>(sizes[d]))
        at[d] = rest % static_cast<std::size_t>(sizes[d]);
      y.values.push_back(in[0].values[place(at)]);
    }
    return y;
  };
}

// The same elements in the same order, in other sizes.
Reference same_order(const Ints& sizes) {
  return [=](const std::vector<Array>& in) { return Array{sizes, in[0].values}; };
}

std::size_t at(std::size_t i, std::size_t j, std::size_t k) { return (i * 3 + j) * 4 + k; }

using Single = Tensor (*)(const Tensor&);
void check_view(const char* name, Single f, const Reference& expected) {
  check_operation({name,
                   {"input"},
                   {spread({2, 3, 4})},
                   [f](const TensorList& x) { return f(x[0]); },
                   expected});
}

}  // namespace

TEST_CASE("views in the same order") {
  check_view(
      "reshape",
      [](const Tensor& x) {
        return reshape(x, {4, -1});
      },
      same_order({4, 6}));
  check_view(
      "flatten", [](const Tensor& x) { return flatten(x, 1); }, same_order({2, 12}));
  check_view(
      "unsqueeze", [](const Tensor& x) { return unsqueeze(x, -2); }, same_order({2, 3, 1, 4}));
  check_view(
      "squeeze",
      [](const Tensor& x) {
        return squeeze(x.reshape({2, 1, 12, 1}));
      },
      same_order({2, 12}));
  check_view(
      "squeeze",
      [](const Tensor& x) {
        return squeeze(x.reshape({2, 1, 12, 1}), 1);
      },
      same_order({2, 12, 1}));
  check_view(
      "clone", [](const Tensor& x) { return td::clone(x); }, same_order({2, 3, 4}));
  Sample outside{"detach",
                 {"input"},
                 {spread({2, 3})},
                 [](const TensorList& x) { return td::detach(x[0]); },
                 same_order({2, 3})};
  outside.gradient = false;
  check_operation(outside);
}

TEST_CASE("views in another order") {
  check_view(
      "transpose", [](const Tensor& x) { return transpose(x, 0, -1); },
      chosen({4, 3, 2}, [](const Place& p) { return at(p[2], p[1], p[0]); }));
  check_view(
      "permute",
      [](const Tensor& x) {
        return permute(x, {1, 2, 0});
      },
      chosen({3, 4, 2}, [](const Place& p) { return at(p[2], p[0], p[1]); }));
  check_view(
      "t", [](const Tensor& x) { return t(x.select(0, 1)); },
      chosen({4, 3}, [](const Place& p) { return at(1, p[1], p[0]); }));
}

TEST_CASE("parts and repetitions") {
  check_view(
      "slice", [](const Tensor& x) { return slice(x, 2, 1, -1, 2); },
      chosen({2, 3, 1}, [](const Place& p) { return at(p[0], p[1], 1 + 2 * p[2]); }));
  check_view(
      "select", [](const Tensor& x) { return td::select(x, 1, -1); },
      chosen({2, 4}, [](const Place& p) { return at(p[0], 2, p[1]); }));
  check_view(
      "narrow", [](const Tensor& x) { return narrow(x, 1, 1, 2); },
      chosen({2, 2, 4}, [](const Place& p) { return at(p[0], 1 + p[1], p[2]); }));
  check_view(
      "chunk", [](const Tensor& x) { return chunk(x, 2, 1)[1]; },
      chosen({2, 1, 4}, [](const Place& p) { return at(p[0], 2, p[2]); }));
  check_view(
      "split", [](const Tensor& x) { return split(x, 3, 2)[1]; },
      chosen({2, 3, 1}, [](const Place& p) { return at(p[0], p[1], 3); }));
  check_view(
      "split",
      [](const Tensor& x) {
        return split(x, {1, 3}, 2)[1];
      },
      chosen({2, 3, 3}, [](const Place& p) { return at(p[0], p[1], 1 + p[2]); }));
  check_view(
      "unbind", [](const Tensor& x) { return unbind(x, 1)[2]; },
      chosen({2, 4}, [](const Place& p) { return at(p[0], 2, p[1]); }));
  check_view(
      "broadcast_to",
      [](const Tensor& x) {
        return broadcast_to(x.select(0, 0), {2, 3, 4});
      },
      chosen({2, 3, 4}, [](const Place& p) { return at(0, p[1], p[2]); }));
  check_operation({"broadcast_tensors",
                   {"tensors[0]", "tensors[1]"},
                   {spread({3, 1}), spread({4}, -1, 1, 2)},
                   [](const TensorList& x) {
                     const TensorList wide = broadcast_tensors(x);
                     return wide[0] * wide[1];
                   },
                   [](const std::vector<Array>& x) {
                     return each(x[0], x[1], [](double a, double b) { return a * b; });
                   }});
}

TEST_CASE("accessors read and write a cpu tensor's elements, whatever its strides") {
  const Tensor x = td::arange(6, td::kFloat).reshape({2, 3}).t();
  auto a = x.accessor<float, 2>();
  CHECK(a.size(0) == 3);
  CHECK(a[2][1] == 5);
  a[2][1] = 9;
  CHECK(x[2][1].item<float>() == 9);
  CHECK(message<td::ShapeError>([&] { x.accessor<float, 1>(); }) ==
        "accessor: 1 dimensions asked of a tensor of sizes [3, 2]");
  CHECK_THROWS_AS((x.accessor<double, 2>()), td::DtypeError);
  CHECK(message<td::DeviceError>([&] { x.to("sim:0").accessor<float, 2>(); }) ==
        "accessor: the elements are on sim:0, where host code cannot read them; bring them to the "
        "host with cpu()");
}

TEST_CASE("memory formats as arguments, and memory that td does not own") {
  const td::TensorOptions options =
      td::dtype(td::kDouble).memory_format(td::MemoryFormat::ChannelsLast);
  const Tensor image = td::arange(16, td::kFloat).reshape({1, 4, 2, 2});
  CHECK(image.to(options).is_contiguous(td::MemoryFormat::ChannelsLast));
  CHECK(
      image.to(td::kDouble, false, false, td::MemoryFormat::ChannelsLast).equal(image.to(options)));
  CHECK(td::empty({1, 4, 2, 2}, td::MemoryFormat::ChannelsLast)
            .is_contiguous(td::MemoryFormat::ChannelsLast));
  CHECK(td::zeros_like(image, options).stride(1) == 1);
  float memory[] = {0, 1, 2, 3, 4, 5};
  int freed = 0;
  {
    const Tensor column = td::from_blob(
        memory, {3}, {2}, [&](void*) { ++freed; }, td::kFloat);
    CHECK(values(column) == std::vector<double>{0, 2, 4});
  }
  CHECK(freed == 1);
}
