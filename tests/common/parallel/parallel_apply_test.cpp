// parallel_apply: what a replica's thread takes over from the caller, and how its errors come back.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lists.h"
#include "td/base/parallel.h"

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
  NativeStream* stream = nullptr;
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

TEST_CASE("replicas run concurrently and on the same threads the next time") {
  struct Meets : nn::Module {
    Tensor forward(const Tensor& x) {  // returns only when all three are inside
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

TEST_CASE("replicas on the cpu divide the cores") {
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

TEST_CASE("all replicas are done before the error of the lowest-numbered one is thrown") {
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

TEST_CASE("concurrent calls and calls inside replicas do not affect each other") {
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
