// Moving between devices: values, types, strides, what is shared, and error messages.
#include "td/device/allocator.h"
#include "values.h"

using namespace td;

TEST_CASE("values survive every pair of devices, types and layouts") {
  for (const Device a : devices())
    for (const Device b : devices()) {
      INFO(a << " to " << b);
      const Tensor x = of({1, 2, 3, 4, 5, 6}, {2, 3}, a);
      CHECK(values(x.to(b)) == std::vector<double>{1, 2, 3, 4, 5, 6});
      CHECK(values(x.t().to(b)) == std::vector<double>{1, 4, 2, 5, 3, 6});
      CHECK(values(x.slice(1, 0, 3, 2).to(b)) == std::vector<double>{1, 3, 4, 6});
      CHECK(values(x.to(b, kInt64)) == std::vector<double>{1, 2, 3, 4, 5, 6});
      CHECK(x.to(b, kFloat16).dtype() == kFloat16);
      Tensor target = empty({3, 2}, TensorOptions(kFloat64).device(b)).fill_(0);
      target.t().copy_(x);  // into a strided target, converting on the way
      CHECK(values(target) == std::vector<double>{1, 4, 2, 5, 3, 6});
    }
}

TEST_CASE("between two devices of a kind, in stream order") {
  const Tensor x = of({1, 2, 3}, "sim:0");
  const Tensor y = (x * 2).to("sim:1");
  CHECK(y.device() == Device("sim:1"));
  CHECK(values(y + y) == std::vector<double>{4, 8, 12});
}

TEST_CASE("to is free when there is nothing to do") {
  for (const Device device : devices()) {
    const Tensor x = of({1, 2}, device);
    CHECK(x.to(device).is_same(x));
    CHECK(x.to(kFloat32).is_same(x));
    CHECK_FALSE(x.to(device, kFloat32, false, /*copy=*/true).data_ptr() == x.data_ptr());
    CHECK(x.contiguous().is_same(x));
  }
}

TEST_CASE("a copy to another device keeps the strides of a transposed tensor") {
  const Tensor x = of({1, 2, 3, 4, 5, 6}, {2, 3}).t();
  const Tensor y = x.to("sim:0");
  CHECK(y.strides() == x.strides());
  CHECK(values(y) == values(x));
}

TEST_CASE("results stay on the device") {
  for (const Device device : devices()) {
    const Tensor x = of({1, 2, 3}, device);
    CHECK((x * x + 1).device() == device);
    CHECK(values(pow(x, 2)) == std::vector<double>{1, 4, 9});
  }
}

TEST_CASE("a 0-dimensional cpu tensor may be used with any device") {
  const Tensor two = empty({}).fill_(2);
  const Tensor x = of({1, 2}, "sim:0");
  CHECK(values(x * two) == std::vector<double>{2, 4});
  CHECK((two * x).device() == Device("sim:0"));
}

TEST_CASE("the error of mixed devices names the arguments and the fix") {
  const Tensor host = of({1, 2}), device = of({1, 2}, "sim:0"), second = of({1, 2}, "sim:1");
  CHECK(
      message<DeviceError>([&] { device + host; }) ==
      "add: \"other\" is on cpu but \"input\" is on sim:0. All tensors of an operation must be on "
      "one device; move one with other.to(\"sim:0\").");
  CHECK(
      message<DeviceError>([&] { host* device; }) ==
      "mul: \"other\" is on sim:0 but \"input\" is on cpu. All tensors of an operation must be on "
      "one device; move one with input.to(\"sim:0\").");
  CHECK(message<DeviceError>([&] { device / second; }) ==
        "div: \"other\" is on sim:1 but \"input\" is on sim:0. All tensors of an operation must be "
        "on one device; move one with other.to(\"sim:0\").");
  Tensor target = of({1, 2});
  CHECK_THROWS_AS(target.add_(device), DeviceError);
}

TEST_CASE("pinned memory") {
  const Tensor x = of({1, 2, 3});
  CHECK_FALSE(x.is_pinned());
  const Tensor p = x.pin_memory();
  CHECK(p.is_pinned());
  CHECK(p.pin_memory().is_same(p));
  CHECK(values(p.to("sim:0", /*non_blocking=*/true)) == std::vector<double>{1, 2, 3});
  CHECK(message<DeviceError>([&] { of({1}, "sim:0").pin_memory(); }) ==
        "pin_memory: only host memory can be pinned, but the tensor is on sim:0; call cpu() first");
}

TEST_CASE("item() copies one number to the host, and only one") {
  for (const Device device : devices()) CHECK(of({2.5}, device).item<float>() == 2.5f);
  CHECK(message<ShapeError>([&] {
          of({1, 2}).item();
        }) ==
        "item: the tensor has 2 elements, and only one can become a number; index it or reduce it "
        "first");
}

TEST_CASE("from_blob does not own the memory, and calls its deleter once") {
  float data[] = {1, 2, 3, 4};
  int deleted = 0;
  {
    Tensor t = from_blob(data, {2, 2}, [&](void* p) { deleted += p == data; });
    Tensor view = t[1];
    t = Tensor();
    CHECK(deleted == 0);
    view.fill_(9);
  }
  CHECK(deleted == 1);
  CHECK(data[2] == 9);
  CHECK(values(from_blob(data, {2, 2}, {1, 2}, kFloat32)) == std::vector<double>{1, 9, 2, 9});
}

TEST_CASE("channels last is a matter of strides") {
  Tensor x = empty({2, 3, 4, 5});
  for (int i = 0; i < 120; ++i) x.data_ptr<float>()[i] = static_cast<float>(i);
  const Tensor y = x.to(MemoryFormat::ChannelsLast);
  CHECK(y.strides() == IntArrayRef({60, 1, 15, 3}));
  CHECK(y.is_contiguous(MemoryFormat::ChannelsLast));
  CHECK(values(y) == values(x));
  CHECK((y * 2).strides() == y.strides());
  CHECK(y.to("sim:0").strides() == y.strides());
  CHECK(y.clone().suggest_memory_format() == MemoryFormat::ChannelsLast);
  CHECK(y.contiguous().is_contiguous());
}

TEST_CASE("wrong types and undefined tensors are clear errors") {
  CHECK(
      message<DtypeError>([&] { of({1}).data_ptr<double>(); }) ==
      "data_ptr: the tensor holds float32 but float64 was asked for; convert it with to(dtype) or "
      "ask for its own type");
  CHECK(message<Error>([&] { Tensor().sizes(); }) ==
        "the tensor is undefined: it was declared but never given a value");
  CHECK(message<Error>([&] { of({1}) + Tensor(); }) ==
        "add: \"other\" is undefined: it was declared but never given a value");
  CHECK_THROWS_AS(empty({std::int64_t{1} << 40, std::int64_t{1} << 40}), OutOfMemoryError);
  CHECK_THROWS_AS(empty({-1}), ShapeError);
}

TEST_CASE("to cannot make a tensor require a gradient") {
  const Tensor x = of({1, 2});
  const std::string text =
      "to: whether a result requires a gradient follows from the tensor it is made of; leave "
      "requires_grad out of the options, or call requires_grad_() on the result";
  CHECK(message<AutogradError>([&] { x.to(requires_grad()); }) == text);
  CHECK(message<AutogradError>([&] { x.to(dtype(kFloat64).requires_grad(true)); }) == text);
  CHECK(x.to(requires_grad(false)).is_same(x));
}

TEST_CASE("data shares the values, not the graph") {
  const Tensor x = of({1, 2}).requires_grad_(), y = x * x;
  const Tensor values_of_y = y.data();
  CHECK(values_of_y.data_ptr() == y.data_ptr());
  CHECK_FALSE(values_of_y.requires_grad());
  x.data().mul_(3);
  CHECK(values(x) == std::vector<double>{3, 6});
  CHECK_THROWS_WITH(y.sum().backward(), Catch::Contains("has been changed in place since"));
  CHECK(of({1, 2, 3, 4}, {2, 2}).ndimension() == 2);
}
