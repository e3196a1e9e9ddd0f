// replicate and parallel_apply: which memory a replica has, where its gradients go, what a
// replica's thread takes over from the caller, and how its errors come back.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lists.h"
#include "td/base/parallel.h"
#include "td/optim/optim.h"
#include "td/tensor/generator.h"

using namespace td;
using List = std::vector<double>;

TEST_CASE("replica 0 has the original's memory, the others their own; all have equal values") {
  for (const auto& devices : device_lists()) {
    INFO(named(devices));
    TwoLayers net;
    net->to(devices[0]);
    const auto replicas = nn::parallel::replicate(net, devices);
    REQUIRE(replicas.size() == devices.size());
    for (std::size_t r = 0; r < devices.size(); ++r) {
      const auto own = replicas[r]->named_parameters();
      for (const auto& item : net->named_parameters()) {
        const Tensor& copy = own[item.key()];
        CHECK(copy.device() == devices[r]);
        CHECK(values(copy) == values(item.value()));
        CHECK((copy.data_ptr() == item.value().data_ptr()) == (r == 0));
        CHECK_FALSE(copy.is_leaf());
      }
      for (const Tensor& buffer : replicas[r]->buffers()) CHECK(buffer.device() == devices[r]);
      CHECK(replicas[r]->first->weight.device() == devices[r]);  // the member is the tensor
    }
  }
}

TEST_CASE("a buffer that looks into a parameter is a buffer of its own in each replica") {
  struct FirstRow : nn::Cloneable<FirstRow> {
    FirstRow() { reset(); }
    void reset() override {
      weight = register_parameter("weight", of({1, 2, 3, 4}, {2, 2}));
      row = register_buffer("row", zeros({2}));
    }
    Tensor weight, row;
  };
  for (const auto& devices : device_lists()) {
    const auto net = std::make_shared<FirstRow>();
    net->to(devices[0]);
    net->row.set_data(net->weight.detach()[0]);
    for (const auto& replica : nn::parallel::replicate(net, devices)) {
      CHECK(values(replica->row) == List{1, 2});
      CHECK(values(replica->weight) == List{1, 2, 3, 4});
    }
  }
}

TEST_CASE("gradients of all replicas accumulate in the original's parameters") {
  for (const auto& devices : device_lists()) {
    INFO(named(devices));
    Counter net;
    net->to(devices[0]);
    auto replicas = nn::parallel::replicate(net, devices);
    TensorList inputs;
    double sum = 0;
    for (std::size_t r = 0; r < devices.size(); ++r) {
      inputs.push_back(full({3, 2}, static_cast<double>(r + 1)).to(devices[r]));
      sum += 3 * static_cast<double>(r + 1);
    }
    const TensorList outputs = nn::parallel::parallel_apply(replicas, inputs);
    parallel::gather(outputs, 0, devices[0]).sum().backward();
    CHECK(values(net->weight.grad()) == List{sum, sum});
    CHECK(net->weight.grad().device() == devices[0]);
    for (const auto& replica : replicas) CHECK_FALSE(replica->weight.grad().defined());
  }
}

TEST_CASE("what replica 0 writes into a buffer stays, what the others write is lost") {
  for (const auto& devices : device_lists()) {
    Counter net;
    net->to(devices[0]);
    for (int pass = 1; pass <= 2; ++pass) {
      auto replicas = nn::parallel::replicate(net, devices);
      TensorList inputs;
      for (const Device& device : devices) inputs.push_back(ones({1, 2}).to(device));
      nn::parallel::parallel_apply(replicas, inputs);
      CHECK(values(net->count) == List{static_cast<double>(pass)});
      CHECK(values(replicas[1]->count) == List{static_cast<double>(pass)});
      CHECK(net->calls == 0);  // a plain member belongs to the replica, also of replica 0
    }
  }
}

TEST_CASE("without recording, replicas do not require grad") {
  Counter net;
  NoGradGuard no_grad;
  for (const auto& replica : nn::parallel::replicate(net, {"cpu", "cpu"}))
    CHECK_FALSE(replica->weight.requires_grad());
  CHECK(net->weight.requires_grad());
}

TEST_CASE("frozen layers stay frozen in replicas") {
  TwoLayers net;
  net->first->weight.requires_grad_(false);
  const auto replicas = nn::parallel::replicate(net, {"cpu", "cpu"});
  CHECK_FALSE(replicas[1]->first->weight.requires_grad());
  CHECK(replicas[1]->last->weight.requires_grad());
}

TEST_CASE("a layer used twice counts twice in the gradient, also in replicas") {
  for (const auto& devices : device_lists()) {
    nn::Linear layer(nn::LinearOptions(1, 1).bias(false));
    nn::Sequential net(layer, layer);  // w * w * x
    ramp(layer->weight, 3, 0);
    net->to(devices[0]);
    auto replicas = nn::parallel::replicate(net, devices);
    TensorList inputs;
    for (const Device& device : devices) inputs.push_back(ones({1, 1}).to(device));
    const TensorList outputs = nn::parallel::parallel_apply(replicas, inputs);
    parallel::gather(outputs, 0, devices[0]).sum().backward();
    CHECK(values(layer->weight.grad()) == List{6.0 * static_cast<double>(devices.size())});
  }
}

TEST_CASE("two replications before one backward pass do not affect each other") {
  // As when a network judges two batches and one loss has both.
  for (const auto& devices : device_lists()) {
    Counter net;
    net->to(devices[0]);
    Tensor total;
    for (int pass = 0; pass < 2; ++pass) {
      const Tensor x = ones({4, 2}).to(devices[0]);
      const Tensor y = nn::parallel::data_parallel(net, x, devices);
      total = total.defined() ? total + (y * y).sum() : (y * y).sum();
    }
    total.backward();
    CHECK(values(net->weight.grad()) == List{16, 16});
  }
}

TEST_CASE("replicating draws no random number and keeps the mode of every module") {
  nn::Sequential net(nn::Linear(4, 4), nn::BatchNorm1d(4), nn::Dropout(0.5));
  net[1]->eval();
  manual_seed(7);
  const auto before = default_generator().get_state();
  const auto replicas = nn::parallel::replicate(net, {"cpu", "cpu"});
  CHECK(default_generator().get_state().offset == before.offset);
  for (auto replica : replicas) {
    CHECK(replica->is_training());
    CHECK_FALSE(replica[1]->is_training());
    CHECK(replica[2]->is_training());
  }
}

TEST_CASE(
    "a module's own reset() draws no random numbers in replicas, and makes its other members") {
  struct Noisy : nn::Cloneable<Noisy> {
    Noisy() { reset(); }
    void reset() override {
      weight = register_parameter("weight", randn({2}));
      mask = nn::init::ones_(empty({2}));  // not registered: reset() alone gives it values
    }
    Tensor forward(const Tensor& x) { return x * weight * mask; }
    Tensor weight, mask;
  };
  const auto module = std::make_shared<Noisy>();
  const auto before = default_generator().get_state();
  const auto replicas = nn::parallel::replicate(module, {"cpu", "cpu"});
  CHECK(default_generator().get_state().offset == before.offset);
  for (const auto& replica : replicas) {
    CHECK(values(replica->mask) == List{1, 1});
    CHECK(values(replica->weight) == values(module->weight));
  }
}

TEST_CASE("replicate copies a module on another device, and reports what it cannot clone") {
  Counter net;
  const auto replicas = nn::parallel::replicate(net, {"sim:0", "sim:1"});
  CHECK(replicas[0]->weight.device() == Device("sim:0"));
  CHECK(replicas[1]->count.device() == Device("sim:1"));
  CHECK(values(replicas[0]->weight) == List{1, 1});
  CHECK(net->weight.is_cpu());
  parallel::reduce_add({replicas[0]->weight * 2, (replicas[1]->weight * 3).to("sim:0")})
      .sum()
      .backward();
  CHECK(values(net->weight.grad()) == List{5, 5});
  CHECK(net->weight.grad().is_cpu());
  struct Plain : nn::Module {
    Tensor forward(const Tensor& x) { return x; }
  };
  CHECK_THROWS_AS(nn::parallel::replicate(std::make_shared<Plain>(), {"cpu", "cpu"}), Error);
  CHECK(message<Error>([&] { nn::parallel::replicate(net, {}); }) ==
        "replicate: no devices; name at least one");
}

TEST_CASE("a replica's parameters are no leaves, and an optimizer rejects them") {
  Counter net;
  const auto replicas = nn::parallel::replicate(net, {"cpu", "cpu"});
  CHECK_THROWS_AS(optim::SGD(replicas[1]->parameters(), 0.1), Error);
}
