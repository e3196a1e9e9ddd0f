// Pinned tensors: their layout, which side of a copy converts, how long their memory is kept, and
// what cannot be pinned.
#include "sim_work.h"
#include "td/device/allocator.h"
#include "values.h"

using namespace td;
using test::Gate;

namespace {

std::vector<std::string> converted_on;  // by the accelerator, or by the host
void listen(const Record& record, Device device) {
  if (std::string(record.name) == "convert") converted_on.push_back(device.str());
}

std::vector<std::string> conversions(const std::function<void()>& work) {
  converted_on.clear();
  {
    const RecordObserver listening(listen);
    work();
  }
  synchronize("sim:0");
  return converted_on;
}

}  // namespace

TEST_CASE("pin_memory keeps sizes, strides and values, and is done when it returns") {
  const Tensor x = of({1, 2, 3, 4, 5, 6}, {2, 3});
  for (const Tensor& view : {x, x.t(), x.slice(1, 0, 3, 2), x[1], x.unsqueeze(0)}) {
    const Tensor pinned = view.pin_memory();
    CHECK(pinned.is_pinned());
    CHECK(pinned.sizes() == view.sizes());
    CHECK(pinned.strides() == view.strides());
    CHECK(values(pinned) == values(view));
  }
  const Tensor wide = of({7}).expand({4}).pin_memory();
  wide[1].fill_(8);  // each element has memory of its own
  CHECK(values(wide) == std::vector<double>{7, 8, 7, 7});
  CHECK(empty({0, 3}).pin_memory().sizes() == IntArrayRef({0, 3}));
}

TEST_CASE("only host memory can be pinned") {
  const auto made = [](auto make) { return message<DeviceError>(make); };
  const std::string told =
      "only host memory can be pinned, but the tensor is to be on sim:0; leave out "
      "pinned_memory(true), or make it on cpu";
  const TensorOptions both = TensorOptions(Device("sim:0")).pinned_memory(true);
  CHECK(made([&] { empty({2}, both); }) == told);
  CHECK(made([&] { empty_strided({2}, {2}, both); }) == told);
  CHECK(made([&] { zeros({2}, both); }) == told);
}

TEST_CASE("the side that waits converts") {
  const Tensor host = of({1, 2, 3}).pin_memory(), there = of({1, 2, 3}, "sim:0");
  Tensor got;
  const auto up = [&](bool non_blocking) {
    return conversions([&] { got = host.to("sim:0", kFloat16, non_blocking); });
  };
  const auto down = [&](bool non_blocking) {
    return conversions([&] { got = there.to("cpu", kFloat16, non_blocking); });
  };
  const std::vector<std::string> by_host{"cpu"}, by_device{"sim:0"};
  CHECK(up(/*non_blocking=*/false) == by_host);
  CHECK(values(got) == std::vector<double>{1, 2, 3});
  CHECK(up(/*non_blocking=*/true) == by_device);
  CHECK(values(got) == std::vector<double>{1, 2, 3});
  CHECK(down(/*non_blocking=*/false) == by_host);
  CHECK(values(got) == std::vector<double>{1, 2, 3});
  CHECK(down(/*non_blocking=*/true) == by_device);
  CHECK(values(got) == std::vector<double>{1, 2, 3});
  // Between devices the source's does, also for strided targets.
  const Tensor other = empty({3, 2}, TensorOptions(kFloat16).device("sim:1")).t()[0];
  CHECK(conversions([&] { other.copy_(there); })[0] == "sim:0");
  CHECK(values(other) == std::vector<double>{1, 2, 3});
}

TEST_CASE("pinned memory is not reused while a copy reads it") {
  const Stream stream = getStreamFromPool("sim:0");
  const auto is_kept = [&](auto make_source) {
    Tensor pinned = full({3000}, 3.0).pin_memory();
    const void* block = pinned.data_ptr();
    Gate gate;
    gate.hold(stream);
    const StreamGuard guard(stream);
    const Tensor there = make_source(pinned).to("sim:0", kFloat32, /*non_blocking=*/true);
    pinned = Tensor();
    const Tensor next = full({3000}, 9.0).pin_memory();
    const bool kept = next.data_ptr() != block;
    gate.open();
    return kept && values(there)[0] == 3;
  };
  CHECK(is_kept([](const Tensor& p) { return p; }));
  CHECK(is_kept([](const Tensor& p) { return p.slice(0, 1000, 2000); }));
  CHECK(is_kept([](const Tensor& p) { return from_blob(p.data_ptr<float>() + 100, {50}); }));
}

TEST_CASE("large pinned blocks are not rounded to powers of two") {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  empty_cache();
  Allocator& pinned = pinned_allocator(kSIM);
  const auto reserved = [&](std::size_t bytes) {
    const std::size_t before = pinned.stats().reserved;
    void* block = pinned.allocate(bytes);
    const std::size_t taken = pinned.stats().reserved - before;
    pinned.release(block, bytes);
    empty_cache();
    return taken;
  };
  CHECK(reserved(1) == 512);
  CHECK(reserved(33 * kMiB) == 64 * kMiB);
  CHECK(reserved(64 * kMiB) == 64 * kMiB);
  CHECK(reserved(64 * kMiB + 1) == 64 * kMiB + 4096);
  CHECK(reserved(100 * kMiB) == 100 * kMiB);
  // A cached block serves a slightly smaller request, and is not split.
  void* large = pinned.allocate(120 * kMiB);
  pinned.release(large, 120 * kMiB);
  CHECK(pinned.allocate(100 * kMiB) == large);
  void* larger = pinned.allocate(121 * kMiB);
  CHECK(larger != large);
  pinned.release(large, 100 * kMiB);
  void* third = pinned.allocate(121 * kMiB);
  CHECK(third != large);
  CHECK(pinned.stats().allocated == 242 * kMiB);
  pinned.release(larger, 121 * kMiB);
  pinned.release(third, 121 * kMiB);
  empty_cache();
  CHECK(pinned.stats().reserved == 0);
}
