// broadcast and reduce_add: which memory a copy has, which tensors are sent together, the order of
// a sum, and the gradients of both.
#include "lists.h"
#include "td/autograd/engine.h"
#include "td/device/record.h"

using namespace td;
using List = std::vector<double>;

namespace {

int copies_seen = 0;
std::vector<Device> engines;
void count_copies(const Record& record, Device device) {
  if (std::string(record.name) != "copy") return;
  ++copies_seen;
  engines.push_back(device);
}
struct CopyCounter {
  CopyCounter() {
    copies_seen = 0;
    engines.clear();
  }
  const RecordObserver counting{count_copies};
};

}  // namespace

TEST_CASE("broadcast: element 0 is the tensor itself, the others are copies") {
  for (const auto& devices : device_lists()) {
    const Tensor x = rows(3, devices[0]);
    const TensorList copies = parallel::broadcast(x, devices);
    REQUIRE(copies.size() == devices.size());
    CHECK(copies[0].is_same(x));
    for (std::size_t i = 1; i < copies.size(); ++i) {
      CHECK(copies[i].device() == devices[i]);
      CHECK(copies[i].data_ptr() != x.data_ptr());
      CHECK(values(copies[i]) == values(x));
    }
  }
  const TensorList from_host = parallel::broadcast(rows(3, "cpu"), {"sim:1", "sim:0"});
  CHECK(from_host[0].device() == Device("sim:1"));
  CHECK(values(from_host[1]) == values(rows(3, "cpu")));
  CHECK(message<DeviceError>([] {
          parallel::broadcast(rows(3, "sim:1"), {"sim:0", "sim:1"});
        }) ==
        "broadcast: tensors[0] is on sim:1 but devices[0] is sim:0; the first device must be the "
        "one that has the values");
  CHECK_THROWS_AS(parallel::broadcast(rows(3, "cpu"), {}), Error);
}

TEST_CASE("a broadcast's gradient is the sum of all gradients, on the first device") {
  for (const auto& devices : device_lists()) {
    INFO(named(devices));
    const Tensor x = rows(2, devices[0]).requires_grad_();
    const TensorList copies = parallel::broadcast(x, devices);
    TensorList scaled;
    double sum = 0;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      scaled.push_back((copies[i] * static_cast<double>(i + 1)).sum());
      sum += static_cast<double>(i + 1);
    }
    parallel::gather(scaled, 0, devices[0]).sum().backward();
    CHECK(x.grad().device() == devices[0]);
    CHECK(values(x.grad()) == List(4, sum));
  }
}

TEST_CASE("broadcast_coalesced sends small tensors of a type together and keeps their layout") {
  const Tensor picture = ramp(empty({1, 3, 4, 4}), 0, 1).to(MemoryFormat::ChannelsLast);
  TensorList tensors{rows(3, "cpu"), picture, arange(5), rows(2, "cpu").t(), ones({})};
  for (Tensor& t : tensors) t = t.to("sim:0");
  for (const std::size_t buffer : {parallel::kBufferSize, std::size_t{24}, std::size_t{1}}) {
    CopyCounter counter;
    const auto copies = parallel::broadcast_coalesced(tensors, {"sim:0", "sim:1"}, buffer);
    if (buffer == parallel::kBufferSize) CHECK(copies_seen == 2);  // float32 together, int64
    if (buffer == 24) CHECK(copies_seen == 4);  // [3, 2] alone, the picture alone, the last two
    if (buffer == 1) CHECK(copies_seen == 5);
    for (const Device& engine : engines) CHECK(engine == Device("sim:0"));  // directly: no host
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      CHECK(copies[0][i].is_same(tensors[i]));
      CHECK(copies[1][i].device() == Device("sim:1"));
      CHECK(copies[1][i].dtype() == tensors[i].dtype());
      CHECK(copies[1][i].strides() == tensors[i].strides());
      CHECK(values(copies[1][i]) == values(tensors[i]));
    }
  }
}

TEST_CASE("copies of one buffer have separate version counters") {
  const TensorList sources{rows(2, "sim:0").requires_grad_(), rows(2, "sim:0")};
  const auto copies = parallel::broadcast_coalesced(sources, {"sim:0", "sim:1"});
  const Tensor y = (copies[1][0] * copies[1][0]).sum();  // keeps copies[1][0]
  copies[1][1].add_(1);
  y.backward();
  CHECK(values(sources[0].grad()) == List{0, 2, 4, 6});
}

TEST_CASE("what does not require grad stays out of a broadcast's graph") {
  const TensorList sources{rows(2, "cpu").requires_grad_(), rows(2, "cpu"), arange(3)};
  auto copies = parallel::broadcast_coalesced(sources, {"cpu", "cpu"});
  CHECK(copies[1][0].requires_grad());
  CHECK(copies[1][0].grad_fn()->name() == "BroadcastBackward0");
  CHECK_FALSE(copies[1][1].requires_grad());
  CHECK_FALSE(copies[1][2].requires_grad());
  NoGradGuard no_grad;
  copies = parallel::broadcast_coalesced(sources, {"cpu", "cpu"});
  CHECK_FALSE(copies[1][0].requires_grad());
  CHECK(copies[0][0].is_same(sources[0]));
}

TEST_CASE("an unused copy adds nothing to the sum") {
  for (const auto& devices : device_lists()) {
    const Tensor a = rows(1, devices[0]).requires_grad_(), b = rows(1, devices[0]).requires_grad_();
    const auto copies = parallel::broadcast_coalesced({a, b}, devices);
    copies.back()[0].sum().backward();
    CHECK(values(a.grad()) == List{1, 1});
    CHECK_FALSE(b.grad().defined());
  }
}

TEST_CASE("a broadcast's gradient can be differentiated again") {
  for (const auto& devices : device_lists()) {
    const Tensor x = of({3}, devices[0]).requires_grad_();
    TensorList cubes;
    for (const Tensor& copy : parallel::broadcast(x, devices)) cubes.push_back(copy * copy * copy);
    const Tensor y = parallel::gather(cubes, 0, devices[0]).sum();
    const Tensor first = autograd::grad({y}, {x}, {}, true, true)[0];
    const Tensor second = autograd::grad({first}, {x})[0];
    const auto n = static_cast<double>(devices.size());
    CHECK(values(first) == List{27 * n});
    CHECK(values(second) == List{18 * n});
  }
}

TEST_CASE("reduce_add sums on the destination, its own summand first") {
  for (const auto& devices : device_lists()) {
    TensorList inputs;
    for (std::size_t i = 0; i < devices.size(); ++i) inputs.push_back(rows(2, devices[i]) * 2);
    const Tensor sum = parallel::reduce_add(inputs, devices.back());
    CHECK(sum.device() == devices.back());
    const auto n = static_cast<double>(devices.size());
    CHECK(values(sum) == List{0, 2 * n, 4 * n, 6 * n});
    for (const Tensor& input : inputs) CHECK(values(input) == List{0, 2, 4, 6});  // as they were
  }
  // (1e8 + 1) - 1e8 is 0 in float32, (1e8 - 1e8) + 1 is 1: the order is seen.
  const TensorList order{of({1}, "sim:0"), of({1e8F}, "sim:1"), of({-1e8F}, "sim:2")};
  CHECK(values(parallel::reduce_add(order, Device("sim:0"))) == List{0});
  CHECK(values(parallel::reduce_add({order[0], order[1], order[2]}, Device("sim:1"))) == List{0});
  CHECK(values(parallel::reduce_add({order[1], order[2], order[0]}, Device("sim:1"))) == List{1});
}

TEST_CASE("reduce_add returns a single input itself, and rejects sizes that do not fit") {
  const Tensor x = rows(2, "sim:1");
  {
    DeviceGuard guard("sim:1");
    CHECK(parallel::reduce_add({x}).is_same(x));
  }
  CHECK(message<DeviceError>([&] { parallel::reduce_add({x}); }) ==
        "reduce_add: none of the inputs is on the destination sim:0; the sum is made where one of "
        "them is");
  CHECK(message<ShapeError>([&] {
          parallel::reduce_add({x, rows(3, "sim:0")});
        }) ==
        "reduce_add: inputs[1] on sim:0 has sizes [3, 2] but inputs[0] on sim:1 has [2, 2]; all "
        "must be equal");
  CHECK(message<DtypeError>([&] {
          parallel::reduce_add({x, rows(2, "sim:0").to(kFloat64)});
        }) ==
        "reduce_add: inputs[1] on sim:0 is float64 but inputs[0] on sim:1 is float32; all must be "
        "equal");
  CHECK_THROWS_AS(parallel::reduce_add({}), Error);
  CHECK_THROWS_AS(parallel::reduce_add_coalesced({{x}, {}}), Error);
  CHECK_THROWS_AS(parallel::reduce_add_coalesced({{x, x}, {x, rows(3, "sim:0")}}), ShapeError);
}

TEST_CASE("reduce_add_coalesced keeps the order of mixed types and layouts") {
  const Tensor picture = ramp(empty({1, 3, 4, 4}), 0, 1);
  for (const auto& devices : device_lists())
    for (const std::size_t buffer : {parallel::kBufferSize, std::size_t{1}}) {
      std::vector<TensorList> inputs;
      for (const Device& device : devices)
        inputs.push_back({rows(3, device), arange(4).to(device), picture.to(device),
                          rows(2, device).to(kFloat64)});
      // One replica's gradient may have another memory format than the others.
      inputs[1][2] = inputs[1][2].to(MemoryFormat::ChannelsLast);
      const TensorList sums = parallel::reduce_add_coalesced(inputs, devices[0], buffer);
      REQUIRE(sums.size() == 4);
      for (std::size_t t = 0; t < 4; ++t) {
        CHECK(sums[t].dtype() == inputs[0][t].dtype());
        CHECK(sums[t].device() == devices[0]);
        List expected = values(inputs[0][t]);
        for (double& v : expected) v *= static_cast<double>(devices.size());
        CHECK(values(sums[t]) == expected);
      }
    }
}

TEST_CASE("reduce_add_coalesced sends one copy per device and buffer") {
  const std::vector<TensorList> inputs{{rows(3, "sim:0"), rows(2, "sim:0")},
                                       {rows(3, "sim:1"), rows(2, "sim:1")}};
  CopyCounter counter;
  parallel::reduce_add_coalesced(inputs, Device("sim:0"));
  CHECK(copies_seen == 1);
  CHECK(engines == std::vector<Device>{"sim:1"});
}

TEST_CASE("gradients cross devices on side streams in order") {
  // The forward pass runs on side streams; backward runs on the same ones, and must not take the
  // stream of one device for one of another.
  const Stream a = getStreamFromPool("sim:0"), b = getStreamFromPool("sim:1");
  const Tensor x = rows(4, "sim:0").requires_grad_();
  for (int round = 0; round < 20; ++round) {
    Tensor y;
    synchronize("sim:0");
    {
      StreamGuard first(a), second(b);
      TensorList parts = parallel::scatter(x, {"sim:0", "sim:1"});
      for (Tensor& part : parts) part = part * part;
      y = parallel::gather(parts, 0, Device("sim:0")).sum();
    }
    x.mutable_grad() = Tensor();
    y.backward();
    CHECK(values(x.grad()) == List{0, 2, 4, 6, 8, 10, 12, 14});
  }
}
