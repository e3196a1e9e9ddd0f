// resize_: geometry, what happens to values and to the views that share the memory, on every
// device, and its errors. conformance/creation.cpp compares the same with libtorch.
#include "td/device/allocator.h"
#include "values.h"

using namespace td;
using List = std::vector<double>;

TEST_CASE("resize_ keeps the values that fit, and the memory where it is large enough") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = of({0, 1, 2, 3, 4, 5}, {2, 3}, device);
    const void* const memory = x.data_ptr();
    CHECK(x.resize_({2}).is_same(x));
    CHECK(values(x) == List{0, 1});
    x.resize_({3, 2});
    CHECK(x.strides() == IntArrayRef({2, 1}));
    CHECK(values(x) == List{0, 1, 2, 3, 4, 5});
    CHECK(x.data_ptr() == memory);
    x.resize_({3, 4});
    CHECK(x.sizes() == IntArrayRef({3, 4}));
    x.slice(0, 2).fill_(7);
    CHECK(values(x.view({-1}).slice(0, 0, 6)) == List{0, 1, 2, 3, 4, 5});
    CHECK(values(x[2]) == List{7, 7, 7, 7});
    x.resize_({0});
    CHECK(x.numel() == 0);
    x.resize_({});
    CHECK(x.dim() == 0);
    CHECK(x.item<float>() == 0);
  }
}

TEST_CASE("resize_ of a view grows the memory that it shares") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor base = of({0, 1, 2, 3, 4, 5}, device), view = base.slice(0, 2, 5);
    view.resize_({2, 2});
    CHECK(values(view) == List{2, 3, 4, 5});
    view.resize_({3, 3});
    CHECK(base.storage_offset() == 0);
    CHECK(base.sizes() == IntArrayRef({6}));
    view.fill_(8);
    CHECK(values(base) == List{0, 1, 8, 8, 8, 8});
  }
}

TEST_CASE("resize_: the same sizes change nothing, a format sets the order") {
  const Tensor x = of({0, 1, 2, 3, 4, 5}, {2, 3}).t();
  x.resize_({3, 2});
  CHECK(x.strides() == IntArrayRef({1, 3}));
  x.resize_({3, 2}, MemoryFormat::Contiguous);
  CHECK(x.strides() == IntArrayRef({2, 1}));
  x.resize_({1, 2, 3, 4}, MemoryFormat::ChannelsLast);
  CHECK(x.is_contiguous(MemoryFormat::ChannelsLast));
  const Tensor spread = of({1}).expand({4});
  CHECK(spread.resize_({2, 2}).is_contiguous());
}

TEST_CASE("memory that grew is pinned as before, and the old block is released") {
  const Tensor pinned = empty({4}, TensorOptions().pinned_memory(true));
  CHECK(pinned.resize_({4096}).is_pinned());
  const Device sim("sim:0");
  const std::size_t before = memory_stats(sim).allocated;
  {
    const Tensor x = ones({1024}, sim);
    x.resize_({4096});
    CHECK(memory_stats(sim).allocated - before == 4096 * sizeof(float));
  }
  CHECK(memory_stats(sim).allocated == before);
}

TEST_CASE("invalid arguments of resize_ are clear errors") {
  const Tensor w = of({1, 2}).requires_grad_();
  const std::string text =
      "resize_: the tensor requires a gradient, which has its sizes; take a view, or resize what "
      "detach() gives";
  CHECK(message<AutogradError>([&] { w.resize_({3}); }) == text);
  CHECK(message<AutogradError>([&] { (w * 2).resize_({3}); }) == text);
  {
    NoGradGuard no_grad;
    CHECK(message<AutogradError>([&] { w.resize_({3}); }) == text);
  }
  float memory[4] = {1, 2, 3, 4};
  const Tensor blob = from_blob(memory, {4});
  CHECK(values(blob.resize_({2})) == List{1, 2});
  CHECK(
      message<Error>([&] { blob.resize_({8}); }) ==
      "resize_: 32 bytes are needed, but the tensor's memory is 16 bytes that from_blob was given; "
      "clone() the tensor and resize the copy");
  CHECK(message<ShapeError>([] { empty({2}).resize_({-1}); }) ==
        "resize_: sizes must not be negative but got [-1]");
  CHECK(message<Error>([] { empty({2}).resize_({1}, MemoryFormat::Preserve); }) ==
        "resize_: other sizes have no order to preserve; ask for Contiguous or ChannelsLast");
  const Tensor kept = of({1, 2});
  const Tensor y = w * kept;
  kept.resize_({1});
  CHECK_THROWS_WITH(y.sum().backward(), Catch::Contains("has been changed in place since"));
}
