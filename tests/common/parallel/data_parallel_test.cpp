// data_parallel and DataParallel against one device: gradients, small and uneven batches, and what
// a program does with the module.
#include "lists.h"
#include "td/optim/optim.h"

using namespace td;
using List = std::vector<double>;

namespace {

nn::Sequential small_net(ScalarType dtype) {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(2, 3, 3).padding(1)), nn::Tanh(),
                     nn::MaxPool2d(2), nn::Flatten(), nn::Linear(12, 5));
  double start = -0.4;
  for (const Tensor& p : net->parameters()) ramp(p, start += 0.07, 0.013);
  net->to(dtype);
  return net;
}

Tensor pictures(std::int64_t n, ScalarType dtype) {
  return ramp(empty({n, 2, 4, 4}), -1, 0.011).to(dtype).sin();
}

// The gradients of a loss on the whole batch, one list for all parameters.
List gradients(const nn::Sequential& net) {
  List all;
  for (const Tensor& p : net->parameters())
    for (const double g : values(p.grad())) all.push_back(g);
  return all;
}

List one_device_gradients(std::int64_t n) {
  nn::Sequential net = small_net(kFloat64);
  net->forward(pictures(n, kFloat64)).square().mean().backward();
  return gradients(net);
}

void check_close(const List& actual, const List& expected, double tolerance) {
  REQUIRE(actual.size() == expected.size());
  double largest = 0;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < actual.size(); ++i)
    CHECK(actual[i] == Approx(expected[i]).epsilon(0).margin(tolerance * largest));
}

}  // namespace

TEST_CASE("the gradient is that of one device, on two and three devices and for uneven batches") {
  for (const auto& devices : device_lists())
    for (const std::int64_t n : {1, 2, 7, 12}) {
      INFO(named(devices) << n);
      const List expected = one_device_gradients(n);
      for (const ScalarType dtype : {kFloat64, kFloat32}) {
        nn::Sequential net = small_net(dtype);
        net->to(devices[0]);
        nn::DataParallel parallel(net, devices);
        parallel->forward(pictures(n, dtype).to(devices[0])).square().mean().backward();
        check_close(gradients(net), expected, dtype == kFloat64 ? 1e-12 : 1e-5);
      }
    }
}

TEST_CASE("twenty steps of training end where one device's end") {
  for (const auto& devices : device_lists()) {
    INFO(named(devices));
    nn::Sequential alone = small_net(kFloat64), shared = small_net(kFloat64);
    shared->to(devices[0]);
    nn::DataParallel parallel(shared, devices);
    optim::SGD first(alone->parameters(), optim::SGDOptions(0.5).momentum(0.9));
    optim::SGD second(parallel->parameters(), optim::SGDOptions(0.5).momentum(0.9));
    for (int step = 0; step < 20; ++step) {
      const Tensor x = pictures(9, kFloat64) * (1 + 0.1 * step);
      first.zero_grad();
      alone->forward(x).square().mean().backward();
      first.step();
      second.zero_grad();
      parallel->forward(x.to(devices[0])).square().mean().backward();
      second.step();
    }
    for (std::size_t i = 0; i < alone->parameters().size(); ++i)
      check_close(values(shared->parameters()[i]), values(alone->parameters()[i]), 1e-9);
  }
}

TEST_CASE("the mean of the replicas' means is another number where parts are uneven") {
  // 3 rows on 2 devices: parts of 2 and 1. Why the loss belongs on the gathered output.
  struct MeanInside : nn::Cloneable<MeanInside> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return x.mean(); }
  };
  const Tensor x = of({1, 2, 6}, {3, 1});
  const Tensor means =
      nn::parallel::data_parallel(std::make_shared<MeanInside>(), x, {{"cpu", "cpu"}});
  CHECK(values(means) == List{1.5, 6});  // numbers become a vector
  CHECK(values(means.mean()) == List{3.75});
  CHECK(values(x.mean()) == List{3});
}

TEST_CASE("a small batch uses fewer devices, an empty one all") {
  const std::vector<Device> three{"sim:0", "sim:1", "sim:2"};
  struct Where : nn::Cloneable<Where> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return full_like(x, x.device().index()); }
  };
  const auto where = [&](std::int64_t n) {
    return values(nn::parallel::data_parallel(std::make_shared<Where>(), empty({n, 1}), three));
  };
  CHECK(where(1) == List{0});
  CHECK(where(2) == List{0, 1});
  CHECK(where(4) == List{0, 0, 1, 1});  // two parts of two: nothing is left for the third
  CHECK(where(5) == List{0, 0, 1, 1, 2});
  CHECK(where(0).empty());
}

TEST_CASE("one device: the module itself is called; no device: it is called as it is") {
  Counter net;
  const Tensor x = ones({3, 2});
  nn::DataParallel none(net, std::vector<Device>{});
  CHECK(none->device_ids().empty());
  CHECK(values(none->forward(x)) == List(6, 1));
  CHECK(net->calls == 1);
  net->to("sim:1");
  nn::DataParallel one(net, {"sim:1"}, Device("cpu"));
  const Tensor y = one->forward(x);  // scattered to sim:1, and brought to the output device
  CHECK(y.is_cpu());
  CHECK(net->calls == 2);
  CHECK(values(net->count) == List{2});
}

TEST_CASE("output_device and dim") {
  Counter net;
  net->to("sim:0");
  const Tensor x = ramp(empty({3, 2}), 0, 1);
  nn::DataParallel parallel(net, {"sim:0", "sim:1"}, Device("sim:1"));
  CHECK(parallel->forward(x).device() == Device("sim:1"));
  struct Twice : nn::Cloneable<Twice> {
    void reset() override {}
    Tensor forward(const Tensor& t) {
      rows = t.size(0);
      return t * 2;
    }
    std::int64_t rows = 0;
  };
  const Tensor y = nn::parallel::data_parallel(std::make_shared<Twice>(), x, {{"sim:0", "sim:1"}},
                                               Device("cpu"), /*dim=*/1);
  CHECK(y.is_cpu());
  CHECK(values(y) == List{0, 2, 4, 6, 8, 10});
}

TEST_CASE("without a list all accelerators take part, and the check waits for forward") {
  Counter net;
  nn::DataParallel parallel(net);  // before the model is moved, as programs do
  CHECK(parallel->device_ids().size() ==
        static_cast<std::size_t>(device_count(kCUDA) > 0 ? device_count(kCUDA) : 3));
  const Device first = parallel->device_ids()[0];
  CHECK(message<DeviceError>([&] {
          parallel->forward(ones({4, 2}));
        }) ==
        "DataParallel: the module must have its parameters and buffers on device " + first.str() +
            " (device_ids[0]) but found one of them on device: cpu. Move it with module->to(\"" +
            first.str() + "\").");
  parallel->to(first);
  CHECK(parallel->forward(ones({4, 2})).device() == first);
  CHECK_THROWS_AS(nn::DataParallel(net, {"sim:0", "sim:9"}), DeviceError);
}

TEST_CASE("data_parallel copies a module from any device, and moves it to a single device") {
  for (const auto& devices : device_lists())
    for (const Device home : {Device("cpu"), devices.back()}) {
      INFO(named(devices) << "from " << home);
      const List expected = one_device_gradients(7);
      nn::Sequential net = small_net(kFloat64);
      net->to(home);
      nn::parallel::data_parallel(net, pictures(7, kFloat64), devices).square().mean().backward();
      check_close(gradients(net), expected, 1e-12);
      for (const Tensor& p : net->parameters()) {
        CHECK(p.device() == home);
        CHECK(p.grad().device() == home);
      }
    }
  Counter net;
  nn::parallel::data_parallel(net, ones({4, 2}), {{"sim:0", "sim:1"}});
  CHECK(values(net->count) == List{0});  // the copies counted
  net->count.fill_(5);
  const Tensor x = ones({4, 2}).requires_grad_();
  nn::parallel::data_parallel(net, x, {{"sim:1"}}).sum().backward();
  CHECK(net->weight.device() == Device("sim:1"));
  CHECK(values(net->weight.grad()) == List{4, 4});
  CHECK(values(net->count) == List{6});
  CHECK(x.grad().is_cpu());
}

TEST_CASE("a module that is on several devices is copied from each of them") {
  for (const auto& devices : device_lists()) {
    INFO(named(devices));
    nn::Sequential net = small_net(kFloat64);
    net->at<nn::Conv2dImpl>(0).to(devices[0]);
    net->at<nn::LinearImpl>(4).to(Device("sim:1"));
    nn::parallel::data_parallel(net, pictures(6, kFloat64), devices).square().mean().backward();
    check_close(gradients(net), one_device_gradients(6), 1e-12);
    CHECK(net->parameters()[0].grad().device() == devices[0]);
    CHECK(net->parameters()[2].grad().device() == Device("sim:1"));
    CHECK_THROWS_AS(nn::DataParallel(net, devices)->forward(pictures(6, kFloat64)), DeviceError);
  }
}

TEST_CASE("parameters, state and printing are the module's, under module.") {
  TwoLayers net;
  nn::DataParallel parallel(net, {"cpu", "cpu"});
  CHECK(parallel->parameters().size() == net->parameters().size());
  CHECK(parallel->parameters()[0].is_same(net->parameters()[0]));
  const auto state = parallel->state_dict();
  CHECK(state.contains("module.first.weight"));
  CHECK(state.contains("module.norm.running_mean"));
  CHECK(state.size() == net->state_dict().size());
  CHECK_THROWS_WITH(net->load_state_dict(state), Catch::Contains("\"module.first.weight\""));
  CHECK(printed(parallel).rfind("DataParallel(\n  (module): TwoLayers(\n", 0) == 0);
  parallel->eval();
  CHECK_FALSE(net->norm->is_training());
  const auto copy = std::dynamic_pointer_cast<nn::DataParallelImpl>(parallel->clone());
  CHECK(copy->forward(ones({3, 3})).sizes() == IntArrayRef({3, 2}));
  CHECK_FALSE(copy->parameters()[0].is_same(net->parameters()[0]));
}

TEST_CASE("batch norm: the statistics of device 0's part stay, as in Python") {
  for (const auto& devices : device_lists()) {
    nn::BatchNorm1d norm(nn::BatchNorm1dOptions(1).momentum(1.0));
    norm->to(devices[0]);
    const auto n = static_cast<std::int64_t>(devices.size());
    const Tensor x = ramp(empty({2 * n, 1}), 0, 1).to(devices[0]);
    nn::parallel::data_parallel(norm, x, devices);
    CHECK(values(norm->running_mean) == List{0.5});  // rows 0 and 1
    CHECK(values(norm->num_batches_tracked) == List{1});
  }
}

TEST_CASE("a DataParallel is a layer like others") {
  nn::Linear last(2, 1);
  Counter net;
  nn::Sequential whole(nn::DataParallel(net, {"cpu", "cpu"}), last);
  whole->forward(ones({5, 2})).sum().backward();
  CHECK(net->weight.grad().defined());
  CHECK(whole->named_parameters().contains("0.module.weight"));
  Counter held;  // shared_ptr, holder and AnyModule all do
  const std::vector<Device> two{"cpu", "cpu"};
  CHECK(values(nn::parallel::data_parallel(held.ptr(), ones({2, 2}), two)) == List(4, 1));
  CHECK(values(nn::parallel::data_parallel(nn::AnyModule(held), ones({2, 2}), two)) == List(4, 1));
}

TEST_CASE("the error of a part names its replica and device") {
  struct Picky : nn::Cloneable<Picky> {
    void reset() override {}
    Tensor forward(const Tensor& x) {
      TD_CHECK(ShapeError, x.size(0) == 2, "picky: two rows, please");
      return x;
    }
  };
  CHECK(
      message<ShapeError>([] {
        nn::parallel::data_parallel(std::make_shared<Picky>(), ones({3, 1}), {{"sim:0", "sim:1"}});
      }) == "replica 1 on sim:1: picky: two rows, please");
}

TEST_CASE("one seed gives one mask of dropout, whichever replica draws first") {
  const std::vector<Device> devices{"cpu", "cpu", "cpu"};
  nn::Dropout dropout(0.5);
  List first;
  for (int round = 0; round < 10; ++round) {
    manual_seed(11);
    const List drawn = values(nn::parallel::data_parallel(dropout, ones({300, 1}), devices));
    if (round == 0) first = drawn;
    CHECK(drawn == first);
  }
  // The replicas' masks differ from each other, and from one call to the next.
  CHECK(List(first.begin(), first.begin() + 100) != List(first.begin() + 100, first.begin() + 200));
  CHECK(values(nn::parallel::data_parallel(dropout, ones({300, 1}), devices)) != first);
}

TEST_CASE("inference in parallel records nothing") {
  for (const auto& devices : device_lists()) {
    TwoLayers net;
    net->eval();
    const Tensor x = ramp(empty({5, 3}), -1, 0.2);
    const List expected = values(net->forward(x));
    net->to(devices[0]);
    const auto compute = [&] {
      const Tensor y = nn::parallel::data_parallel(net, x, devices);
      CHECK_FALSE(y.requires_grad());
      return values(y);
    };
    {
      NoGradGuard no_grad;
      check_close(compute(), expected, 1e-5);
    }
    InferenceMode inference;
    check_close(compute(), expected, 1e-5);
  }
}

TEST_CASE("devices of unequal memory give a warning that names them") {
  const std::vector<Device> devices{"sim:0", "sim:1"};
  CHECK(parallel::imbalance(devices, {100, 75}).empty());
  CHECK(parallel::imbalance({}, {}).empty());
  CHECK(parallel::imbalance(devices, {74, 100}) ==
        "DataParallel: sim:0 has less than 75 % of the memory of sim:1, which will wait for it; "
        "leave it out of device_ids, or scatter parts of other sizes");
}
