// replicate and parallel_apply: whose memory a replica has, where its gradients go, what a
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

namespace {

struct SpyImpl : nn::Cloneable<SpyImpl> {
  void reset() override {}
  Tensor forward(const Tensor& x) {
    thread = std::this_thread::get_id();
    grad_mode = GradMode::is_enabled();
    inference = InferenceMode::is_enabled();
    current = current_device(kSIM);
    stream = x.is_cpu() ? nullptr : getCurrentStream(x.device()).native();
    width = parallel_width();
    return x * 2;
  }
  std::thread::id thread;
  bool grad_mode = false, inference = false;
  int current = -1, width = 0;
  void* stream = nullptr;
};
TD_MODULE(Spy);

struct Throws : nn::Module {
  explicit Throws(std::function<void()> what) : what_(std::move(what)) {}
  Tensor forward(const Tensor& x) {
    if (what_) what_();
    return x;
  }
  std::function<void()> what_;
};

std::string thrown_in_replica_1(std::function<void()> what) {
  std::vector<std::shared_ptr<Throws>> modules{std::make_shared<Throws>(nullptr),
                                               std::make_shared<Throws>(std::move(what))};
  try {
    nn::parallel::parallel_apply(modules, TensorList{ones({1}).to("sim:0"), ones({1}).to("sim:1")});
  } catch (const std::exception& error) {
    return std::string(typeid(error) == typeid(ShapeError)              ? "ShapeError"
                       : typeid(error) == typeid(OutOfMemoryError)      ? "OutOfMemoryError"
                       : typeid(error) == typeid(std::invalid_argument) ? "invalid_argument"
                                                                        : "other") +
           ": " + error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("replica 0 has the original's memory, the others their own, all the same values") {
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

TEST_CASE("gradients of all replicas add up in the original's parameters") {
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

TEST_CASE("without recording, replicas want no gradient") {
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

TEST_CASE("two replications before one backward do not disturb each other") {
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
    "a reset() of one's own is no trap: its numbers are nobody's, its other members are made") {
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

TEST_CASE("replicate says where the module has to be, and what it cannot clone") {
  Counter net;
  CHECK(message<DeviceError>([&] {
          nn::parallel::replicate(net, {"sim:0", "sim:1"});
        }) ==
        "DataParallel: the module must have its parameters and buffers on device sim:0 "
        "(device_ids[0]) but found one of them on device: cpu. Move it with "
        "module->to(\"sim:0\").");
  struct Plain : nn::Module {
    Tensor forward(const Tensor& x) { return x; }
  };
  CHECK_THROWS_AS(nn::parallel::replicate(std::make_shared<Plain>(), {"cpu", "cpu"}), Error);
  CHECK(message<Error>([&] { nn::parallel::replicate(net, {}); }) ==
        "replicate: no devices; name at least one");
}

TEST_CASE("a replica's parameters are no leaves, and an optimizer refuses them") {
  Counter net;
  const auto replicas = nn::parallel::replicate(net, {"cpu", "cpu"});
  CHECK_THROWS_AS(optim::SGD(replicas[1]->parameters(), 0.1), Error);
}

TEST_CASE("each replica has a thread, its device, and the caller's modes and streams") {
  const Stream side = getStreamFromPool("sim:1");
  StreamGuard guard(side);  // sim:1 is current, too
  set_device("sim:2");
  std::vector<Spy> modules{Spy(), Spy(), Spy()};
  TensorList inputs;
  for (int i = 0; i < 3; ++i) inputs.push_back(ones({2}).to(Device(kSIM, i)));
  for (const bool recording : {true, false}) {
    AutoGradMode mode(recording);
    const TensorList outputs = nn::parallel::parallel_apply(modules, inputs);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(values(outputs[i]) == List{2, 2});
      CHECK(modules[i]->current == static_cast<int>(i));
      CHECK(modules[i]->grad_mode == recording);
      CHECK(modules[i]->stream == (i == 1 ? side.native() : nullptr));
    }
    CHECK(modules[0]->thread != modules[1]->thread);
    CHECK(modules[1]->thread != modules[2]->thread);
  }
  CHECK(current_device(kSIM) == 2);  // the caller's is as it was
  InferenceMode inference;
  nn::parallel::parallel_apply(modules, inputs);
  CHECK(modules[2]->inference);
  set_device("sim:0");
}

TEST_CASE("replicas run beside each other and on the same threads the next time") {
  struct Meets : nn::Module {
    Tensor forward(const Tensor& x) {  // comes back only when all three are inside
      std::unique_lock lock(*mutex);
      thread = std::this_thread::get_id();
      ++*inside;
      changed->notify_all();
      changed->wait(lock, [&] { return *inside % 3 == 0; });
      return x;
    }
    std::mutex* mutex;
    std::condition_variable* changed;
    int* inside;
    std::thread::id thread;
  };
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  std::vector<std::shared_ptr<Meets>> modules;
  for (int i = 0; i < 3; ++i) {
    modules.push_back(std::make_shared<Meets>());
    modules.back()->mutex = &mutex;
    modules.back()->changed = &changed;
    modules.back()->inside = &inside;
  }
  const TensorList inputs{ones({1}), ones({1}), ones({1})};
  nn::parallel::parallel_apply(modules, inputs);
  const std::vector<std::thread::id> first{modules[0]->thread, modules[1]->thread,
                                           modules[2]->thread};
  inside = 0;
  nn::parallel::parallel_apply(modules, inputs);
  CHECK(inside == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(modules[i]->thread == first[i]);
}

TEST_CASE("replicas on the cpu share out the cores") {
  const int width = parallel_width();
  set_parallel_width(4);
  std::vector<Spy> modules{Spy(), Spy()};
  nn::parallel::parallel_apply(modules, TensorList{ones({1}), ones({1})});
  CHECK(modules[0]->width == 2);
  CHECK(modules[1]->width == 2);
  CHECK(parallel_width() == 4);
  set_parallel_width(width);
}

TEST_CASE("an error in a replica keeps its type and names the replica and its device") {
  CHECK(thrown_in_replica_1([] { throw ShapeError("linear: no"); }) ==
        "ShapeError: replica 1 on sim:1: linear: no");
  CHECK(thrown_in_replica_1([] { throw OutOfMemoryError("full"); }) ==
        "OutOfMemoryError: replica 1 on sim:1: full");
  CHECK(thrown_in_replica_1([] { throw std::invalid_argument("n < 0"); }) ==
        "invalid_argument: replica 1 on sim:1: n < 0");
  struct Own : Error {
    using Error::Error;
  };
  CHECK(thrown_in_replica_1([] { throw Own("mine"); }) == "other: mine");
  CHECK(thrown_in_replica_1(nullptr) == "nothing");
}

TEST_CASE("all replicas are done before the first error, by number, is thrown") {
  std::atomic<int> done{0};
  std::vector<std::shared_ptr<Throws>> modules;
  for (int i = 0; i < 3; ++i)
    modules.push_back(std::make_shared<Throws>([i, &done] {
      if (i < 2) throw Error(i == 0 ? "zero" : "one");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++done;
    }));
  const TensorList inputs{ones({1}), ones({1}), ones({1})};
  CHECK(message<Error>([&] { nn::parallel::parallel_apply(modules, inputs); }) ==
        "replica 0 on cpu: zero");
  CHECK(done == 1);
  modules[0]->what_ = modules[1]->what_ = nullptr;  // and the threads are fit for the next call
  CHECK(nn::parallel::parallel_apply(modules, inputs).size() == 3);
}

TEST_CASE("parallel_apply counts modules, inputs and devices") {
  std::vector<Counter> modules{Counter(), Counter()};
  CHECK(message<Error>([&] {
          nn::parallel::parallel_apply(modules, TensorList{ones({1, 2})});
        }) ==
        "parallel_apply: must have as many inputs as modules, but 1 inputs and 2 modules were "
        "given; a batch of few rows is scattered to fewer devices, and then fewer replicas are "
        "needed");
  const TensorList inputs{ones({1, 2}), ones({1, 2})};
  const std::vector<Device> one{"cpu"};
  CHECK(message<Error>([&] { nn::parallel::parallel_apply(modules, inputs, one); }) ==
        "parallel_apply: must have as many devices as modules, but 1 devices and 2 modules were "
        "given");
}

TEST_CASE("calls from several threads at once, and calls inside replicas, do not meet") {
  struct Nested : nn::Module {
    Tensor forward(const Tensor& x) {
      std::vector<Counter> inner{Counter(), Counter()};
      const TensorList parts = nn::parallel::parallel_apply(inner, TensorList{x, x * 2});
      return parts[0] + parts[1];
    }
  };
  std::vector<List> results(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([t, &results] {
      for (int round = 0; round < 20; ++round) {
        std::vector<std::shared_ptr<Nested>> modules{std::make_shared<Nested>(),
                                                     std::make_shared<Nested>()};
        const Tensor x = full({1, 2}, static_cast<double>(t));
        results[t] = values(nn::parallel::parallel_apply(modules, TensorList{x, x})[1]);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t)
    CHECK(results[t] == List(2, 3.0 * static_cast<double>(t)));
}
