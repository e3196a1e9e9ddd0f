// A training step in the steady state makes no heap allocation: graph nodes, tensor handles
// and storages are small blocks of host memory, bytes come from an allocator, and lists keep their
// room. The libraries (oneDNN, OpenBLAS, OpenMP) are counted separately.
#include "heap_calls.h"

#ifdef TD_COUNTS_HEAP_CALLS
#include <cstdio>
#include <cstdlib>

#include "amp/grad_scaler.h"
#include "catch.h"
#include "distributed/thread_group.h"
#include "td/nn/nn.h"
#include "td/optim/optim.h"
#include "td/td.h"

using namespace td;
namespace F = nn::functional;

namespace {

struct Workload {
  const char* name;
  nn::Sequential net;
  Tensor x, y;
};

std::vector<Workload> workloads() {
  const auto classes = [](std::int64_t rows) { return randint(0, 10, {rows}, kLong); };
  nn::Sequential simple(nn::Linear(10, 1));
  nn::Sequential mlp(nn::Linear(784, 64), nn::ReLU(), nn::Linear(64, 64), nn::ReLU(),
                     nn::Linear(64, 10));
  nn::Sequential lenet(nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)), nn::ReLU(),
                       nn::MaxPool2d(2), nn::Conv2d(6, 16, 5), nn::ReLU(), nn::MaxPool2d(2),
                       nn::Flatten(), nn::Linear(400, 120), nn::ReLU(), nn::Linear(120, 84),
                       nn::ReLU(), nn::Linear(84, 10));
  nn::Sequential cifar(nn::Conv2d(nn::Conv2dOptions(3, 32, 5).padding(2)), nn::MaxPool2d(2),
                       nn::Conv2d(nn::Conv2dOptions(32, 32, 5).padding(2)), nn::MaxPool2d(2),
                       nn::Conv2d(nn::Conv2dOptions(32, 64, 5).padding(2)), nn::MaxPool2d(2),
                       nn::Flatten(), nn::Linear(1024, 64), nn::Linear(64, 10));
  return {{"SimpleModel", simple, rand({100, 10}), rand({100, 1})},
          {"MLP", mlp, rand({8, 784}), classes(8)},
          {"LeNet", lenet, rand({4, 1, 28, 28}), classes(4)},
          {"CIFAR-10 CNN", cifar, rand({4, 3, 32, 32}), classes(4)}};
}

Tensor loss_of(Workload& w) {
  const Tensor out = w.net->forward(w.x);
  return w.y.is_floating_point() ? mse_loss(out, w.y) : F::cross_entropy(out, w.y);
}

void train_step(Workload& w, optim::Optimizer& optimizer) {
  optimizer.zero_grad();
  w.net->zero_grad();  // the module's own zero_grad must not allocate either
  loss_of(w).backward();
  optimizer.step();
}

template <class Step>
void check_steady(Step step) {
  for (int i = 0; i < 4; ++i) step();  // caches and lists reach their size
  HeapCalls calls;
  for (int i = 0; i < 2; ++i) step();
  calls.stop();
  INFO("called from:\n" << calls.sites());
  CHECK(calls.ours() == 0);
  for (const auto& [object, count] : calls.by_object())
    if (std::getenv("TD_HEAP_CALLS")) std::printf("%s: %d\n", object.c_str(), count);
}

void check_steady_step(Workload& w, optim::Optimizer& optimizer) {
  check_steady([&] { train_step(w, optimizer); });
}

}  // namespace

TEST_CASE("a steady training step makes no heap allocation of td's own") {
  manual_seed(0);
  for (Workload& w : workloads()) {
    INFO(w.name);
    {
      INFO("SGD with momentum");
      optim::SGD sgd(w.net->parameters(), optim::SGDOptions(1e-3).momentum(0.9));
      check_steady_step(w, sgd);
    }
    {
      INFO("Adam");
      optim::Adam adam(w.net->parameters(), optim::AdamOptions(1e-3));
      check_steady_step(w, adam);
    }
  }
}

TEST_CASE("a steady step under autocast makes no heap allocation either") {
  manual_seed(0);
  for (Workload& w : workloads()) {
    INFO(w.name);
    optim::SGD sgd(w.net->parameters(), optim::SGDOptions(1e-3));
    check_steady([&] {
      sgd.zero_grad();
      const Tensor loss = [&] {
        const amp::AutocastGuard autocast(kCPU);
        return loss_of(w);
      }();
      loss.backward();
      sgd.step();
    });
  }
}

TEST_CASE("a prefetched loop makes no heap allocation") {
  std::vector<data::Example<>> batches;
  for (int i = 0; i < 8; ++i) batches.push_back({rand({32, 16}), randint(0, 4, {32}, kLong)});
  const bool pinned = GENERATE(true, false);
  if (pinned)
    for (auto& batch : batches) data::pin_batch(batch);
  auto prefetched = data::prefetch(batches, Device("sim:0"));
  const auto epoch = [&] {
    for (const data::Example<>& batch : prefetched) CHECK(batch.data.is_sim());
    synchronize(Device("sim:0"));
  };
  for (int i = 0; i < 2; ++i) epoch();
  // A thread of sim allocates once, when it is the last to release an object. Whether that happened
  // in the first epochs is chance; an epoch's own allocations happen in every epoch.
  int ours = 1;
  std::string sites;
  for (int i = 0; i < 4 && ours > 0; ++i) {
    HeapCalls calls;
    for (const data::Example<>& batch : prefetched) static_cast<void>(batch);
    calls.stop();
    ours = calls.ours();
    sites = calls.sites();
  }
  INFO("pinned " << pinned << "; called from:\n" << sites);
  CHECK(ours == 0);
}

TEST_CASE(
    "a GradScaler's steady step makes no heap allocation either, on the host or on the device") {
  manual_seed(0);
  Workload w = workloads()[1];
  for (const bool on_device : {false, true}) {
    optim::Adam adam(w.net->parameters(), optim::AdamOptions(1e-3).capturable(on_device));
    amp::GradScaler scaler(amp::GradScalerOptions().growth_interval(1));
    check_steady([&] {
      adam.zero_grad();
      scaler.scale(loss_of(w)).backward();
      if (on_device)
        scaler.step_on_device(adam);
      else
        scaler.step(adam);
      scaler.update();
    });
  }
}

TEST_CASE("a replay of a step makes no heap allocation of td's own") {
  manual_seed(0);
  const Stream stream = getStreamFromPool("sim:0");
  const StreamGuard guard(stream);
  nn::Sequential net(nn::Linear(16, 8), nn::Dropout(0.5), nn::Linear(8, 4));
  net->to(Device("sim:0"));
  optim::Adam adam(net->parameters(), optim::AdamOptions(1e-3).capturable(true));
  const Tensor x = rand({4, 16}).to(Device("sim:0")), y = randint(0, 4, {4}, kLong).to(x.device());
  const auto step = [&] {
    adam.zero_grad();
    F::cross_entropy(net->forward(x), y).backward();
    adam.step();
  };
  step();
  Graph graph;
  graph.capture(stream, step);
  for (int i = 0; i < 4; ++i) graph.replay();
  stream.synchronize();
  HeapCalls calls;
  for (int i = 0; i < 4; ++i) graph.replay();
  calls.stop();
  INFO("called from:\n" << calls.sites());
  CHECK(calls.ours() == 0);
}

TEST_CASE("averaging gradients over ranks allocates only the Work objects") {
  manual_seed(0);
  Workload w = workloads()[1];
  distributed::run_as_threads(1, [&](distributed::ProcessGroup& group) {
    distributed::DistributedDataParallel ddp(
        w.net,
        distributed::DistributedDataParallelOptions().bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
    optim::SGD sgd(ddp->parameters(), optim::SGDOptions(1e-3).momentum(0.9));
    const auto step = [&] {
      sgd.zero_grad();
      F::cross_entropy(ddp->forward(w.x), w.y).backward();
      sgd.step();
    };
    for (int i = 0; i < 4; ++i) step();
    const std::uint64_t before = group.sequence();
    HeapCalls calls;
    for (int i = 0; i < 16; ++i) step();
    calls.stop();
    const auto works = static_cast<int>(group.sequence() - before);
    INFO("called from:\n" << calls.sites());
    CHECK(works == 16 * 6);                     // a bucket for each parameter
    CHECK(calls.ours() <= works + works / 16);  // and now and then room for them in the queue
    if (std::getenv("TD_HEAP_CALLS"))
      std::printf("DDP: %d calls for %d works\n", calls.ours(), works);
  });
}

TEST_CASE("the counter sees every kind of heap allocation of td's own") {
  const auto seen = [](auto call) {
    HeapCalls calls;
    call();
    calls.stop();
    return calls.ours();
  };
  void* volatile block = nullptr;  // volatile, or the compiler drops a call without effect
  CHECK(seen([&] { block = std::malloc(8); }) == 1);
  std::free(block);
  CHECK(seen([&] { block = new char[8]; }) == 1);
  delete[] static_cast<char*>(block);
  CHECK(seen([] { empty({2}); }) == 0);                             // from the core's own caches
  CHECK(seen([] { std::make_shared<nn::LinearImpl>(2, 2); }) > 0);  // in the core
}
#endif
