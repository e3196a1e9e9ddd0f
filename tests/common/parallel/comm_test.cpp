// scatter and gather: PyTorch's rules, their gradients, their error messages.
#include "lists.h"

using namespace td;
using List = std::vector<double>;
using Sizes64 = std::vector<std::int64_t>;

namespace {

Sizes64 rows_of(const TensorList& parts) {
  Sizes64 all;
  for (const Tensor& part : parts) all.push_back(part.size(0));
  return all;
}

}  // namespace

TEST_CASE("scatter makes chunks of ceil(size / devices) rows, so it may use fewer devices") {
  struct Case {
    std::int64_t size;
    std::size_t devices;
    Sizes64 expected;
  };
  const std::vector<Case> cases{
      {9, 8, {2, 2, 2, 2, 1}}, {12, 8, {2, 2, 2, 2, 2, 2}}, {17, 8, {3, 3, 3, 3, 3, 2}},
      {10, 4, {3, 3, 3, 1}},   {9, 4, {3, 3, 3}},           {1, 2, {1}},
      {0, 3, {0, 0, 0}}};
  for (const Case& c : cases) {
    const std::vector<Device> devices(c.devices, Device("cpu"));
    const TensorList parts = parallel::scatter(rows(c.size, "cpu"), devices);
    CHECK(rows_of(parts) == c.expected);
    CHECK(values(cat(parts)) == values(rows(c.size, "cpu")));
  }
}

TEST_CASE("scatter copies part i to device i, from the host and from the first device") {
  for (const auto& devices : device_lists())
    for (const Device& source : {Device("cpu"), devices[0]}) {
      INFO(named(devices) << "from " << source);
      const TensorList parts = parallel::scatter(rows(7, source), devices);
      REQUIRE(parts.size() == devices.size());
      List joined;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(parts[i].device() == devices[i]);
        for (const double v : values(parts[i])) joined.push_back(v);
      }
      CHECK(joined == values(rows(7, "cpu")));
    }
}

TEST_CASE("scatter takes sizes and a dimension, and rejects sizes that do not fit") {
  const std::vector<Device> two{"sim:0", "sim:1"};
  const Tensor x = rows(5, "cpu");
  CHECK(rows_of(parallel::scatter(x, two, Sizes64{1, 4})) == Sizes64{1, 4});
  const TensorList columns = parallel::scatter(x, two, nullopt, 1);
  CHECK(values(columns[1]) == List{1, 3, 5, 7, 9});
  CHECK(values(parallel::scatter(x, two, nullopt, -1)[1]) == values(columns[1]));
  CHECK(message<ShapeError>([&] {
          parallel::scatter(x, two, Sizes64{1, 3});
        }) ==
        "scatter: given chunk sizes don't sum up to the tensor's size (sum(chunk_sizes) == 4, but "
        "expected 5)");
  CHECK(message<ShapeError>([&] {
          parallel::scatter(x, two, Sizes64{5, 0});
        }) ==
        "scatter: chunk_sizes must be above 0 but are [5, 0]; name fewer devices where there is "
        "nothing for one");
  CHECK(message<Error>([&] { parallel::scatter(x, two, Sizes64{5}); }) ==
        "scatter: 1 chunk_sizes for 2 devices; give one for each");
  CHECK(message<Error>([&] { parallel::scatter(x, {}); }) ==
        "scatter: no devices; name at least one");
  CHECK(message<ShapeError>([&] { parallel::scatter(ones({}), two); }) ==
        "scatter: the tensor has no dimensions and cannot be split; pass a number, which every "
        "device gets, or unsqueeze it");
  CHECK_THROWS_AS(parallel::scatter(x, two, nullopt, 2), ShapeError);
  CHECK_THROWS_AS(parallel::scatter(x, {"sim:0", "sim:9"}), DeviceError);
}

TEST_CASE("gather joins along a dimension on the destination") {
  for (const auto& devices : device_lists()) {
    const Tensor x = rows(7, "cpu");
    const TensorList parts = parallel::scatter(x, devices);
    for (const Device& destination : {devices[0], devices.back(), Device("cpu")}) {
      const Tensor y = parallel::gather(parts, 0, destination);
      CHECK(y.device() == destination);
      CHECK(values(y) == values(x));
    }
    const TensorList columns = parallel::scatter(x, devices, nullopt, 1);
    CHECK(values(parallel::gather(columns, 1, Device("cpu"))) == values(x));
  }
}

TEST_CASE("gather's default is the current device, and numbers become a vector") {
  const TensorList two{rows(1, "sim:0"), rows(2, "sim:1")};
  CHECK(parallel::gather(two).device() == Device("sim:0"));
  {
    DeviceGuard guard("sim:1");
    CHECK(parallel::gather(two).device() == Device("sim:1"));
  }
  const TensorList losses{tensor(1.5).to("sim:0"), tensor(2.5).to("sim:1")};
  const Tensor all = parallel::gather(losses);
  CHECK(all.sizes() == IntArrayRef({2}));
  CHECK(values(all) == List{1.5, 2.5});
  CHECK_THROWS_AS(parallel::gather(losses, 1), ShapeError);
}

TEST_CASE("the error of gather says which tensor does not fit") {
  CHECK(message<ShapeError>([] {
          parallel::gather({empty({1, 6, 4}).to("sim:0"), empty({1, 5, 4}).to("sim:1")});
        }) ==
        "gather: tensors[1] on sim:1 has sizes [1, 5, 4] but tensors[0] on sim:0 has [1, 6, 4]; "
        "they may differ in dimension 0 only. Does the model pad its output to the longest row of "
        "the part it sees?");
  CHECK(message<Error>([] { parallel::gather({}); }) == "gather: no tensors; give at least one");
}

TEST_CASE("scatter and gather pass gradients back to where the values came from") {
  for (const auto& devices : device_lists()) {
    INFO(named(devices));
    const Tensor x = rows(7, "cpu").to(devices[0]).requires_grad_();
    TensorList parts = parallel::scatter(x, devices);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i] * static_cast<double>(i + 1);
    const Tensor y = parallel::gather(parts, 0, devices.back());
    y.backward(rows(7, devices.back()));
    CHECK(x.grad().device() == devices[0]);
    const std::int64_t chunk = parts[0].size(0);
    List expected = values(rows(7, "cpu"));
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] *= 1.0 + static_cast<double>(static_cast<std::int64_t>(i) / (2 * chunk));
    CHECK(values(x.grad()) == expected);
  }
}
