// Tests of parallel_apply.
#include <atomic>
#include <chrono>
#include <thread>

#include "replicas.h"

namespace {

// A layer that calls a function; a Sequential with one such layer is a replica.
struct DoesImpl : td::nn::Module {
  explicit DoesImpl(std::function<td::Tensor(const td::Tensor&)> f) : function(std::move(f)) {}
  td::Tensor forward(const td::Tensor& x) { return function(x); }
  std::function<td::Tensor(const td::Tensor&)> function;
};
TD_MODULE(Does);

td::nn::Sequential does(std::function<td::Tensor(const td::Tensor&)> function) {
  return td::nn::Sequential(Does(std::move(function)));
}

/// The outputs of replicas none of which fails.
std::vector<td::Tensor> outputs_of(std::vector<td::nn::Sequential>& modules,
                                   const std::vector<td::Tensor>& inputs) {
  try {
    return parallel_apply(modules, inputs);
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    const bool range = text.find("_M_range_check") != std::string::npos;
    static std::string told;
    if (text == told) FAIL("parallel_apply threw the same error again");
    told = text;
    FAIL("parallel_apply threw an error, but no replica has failed: "
         << (range ? "a vector was asked for an element that it does not have. Give the vectors "
                     "of outputs and errors one element per replica before a thread starts"
                   : text));
  }
  return {};
}

/// Sets a flag when the thread that made it ends: then all that this thread does is done.
struct SetsAtThreadEnd {
  std::shared_ptr<std::atomic<bool>> flag;
  ~SetsAtThreadEnd() {
    if (flag) *flag = true;
  }
};

void set_at_thread_end(const std::shared_ptr<std::atomic<bool>>& flag) {
  thread_local SetsAtThreadEnd at_end;
  at_end.flag = flag;
}

/// Waits for a flag, but not forever: a replica may run in a thread that goes on.
void wait_for(const std::atomic<bool>& flag) {
  for (int ms = 0; ms < 1000 && !flag; ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("the outputs come in the order of the modules, on every device", "[parallel_apply]") {
  for (const auto& devices : device_lists()) {
    std::vector<td::nn::Sequential> modules;
    std::vector<td::Tensor> inputs;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto factor = static_cast<double>(i + 1);
      modules.push_back(does([factor](const td::Tensor& x) { return x * factor; }));
      inputs.push_back(counted(3, 2, devices[i]));
    }
    const auto outputs = outputs_of(modules, inputs);
    check::expect(outputs.size() == devices.size(), "one output for each module was expected");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      check::expect(outputs[i].defined(), "output " + std::to_string(i) + " is undefined");
      check::expect_on(outputs[i], devices[i], "output " + std::to_string(i));
      check::expect_close(outputs[i], counted(3, 2) * static_cast<double>(i + 1), 0,
                          "output " + std::to_string(i) + " on " + named(devices));
    }
  }
}

TEST_CASE("the outputs are in order, in whatever order the threads end", "[parallel_apply]") {
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  std::vector<td::nn::Sequential> modules{does([ended](const td::Tensor& x) {
                                            wait_for(*ended);
                                            return x * 1;
                                          }),
                                          does([ended](const td::Tensor& x) {
                                            set_at_thread_end(ended);
                                            return x * 2;
                                          })};
  const auto outputs = outputs_of(modules, {td::ones({1}), td::ones({1})});
  check::expect(outputs.size() == 2, "one output for each module was expected");
  for (std::size_t i = 0; i < 2; ++i)
    check::expect_close(outputs[i], td::full({1}, static_cast<double>(i + 1)), 0,
                        "output " + std::to_string(i) +
                            ", where the thread of replica 1 ends before that of replica 0");
}

TEST_CASE("the caller's thread has its settings afterwards", "[parallel_apply]") {
  std::vector<td::nn::Sequential> modules{td::nn::Sequential(td::nn::Linear(2, 1)),
                                          td::nn::Sequential(td::nn::Linear(2, 1))};
  for (auto& module : modules) module->to("sim:0");
  const td::DeviceGuard device("sim:1");
  const td::StreamGuard other(td::getStreamFromPool("sim:0"));
  const td::DeviceGuard again("sim:1");
  const td::NoGradGuard no_grad;
  const td::Stream stream = td::getCurrentStream("sim:0");
  outputs_of(modules, {counted(2, 2, "sim:0"), counted(2, 2, "sim:0")});
  check::expect(td::current_device(td::kSIM) == 1,
                "sim:1 was the current device of the calling thread, and is not afterwards");
  check::expect(td::getCurrentStream("sim:0") == stream,
                "the current stream of sim:0 in the calling thread is another one afterwards");
  check::expect(!td::GradMode::is_enabled(),
                "the calling thread did not record, and records afterwards");
}

TEST_CASE("the replicas run concurrently", "[parallel_apply]") {
  Barrier barrier(3);
  std::atomic<int> alone{0};
  std::vector<td::nn::Sequential> modules;
  for (int i = 0; i < 3; ++i)
    modules.push_back(does([&](const td::Tensor& x) {
      if (!barrier.all_came()) ++alone;
      return x;
    }));
  outputs_of(modules, {counted(1, 1), counted(1, 1), counted(1, 1)});
  check::expect(alone == 0,
                "a replica waited for the others, and they did not start: "
                "they run one after another");
}

TEST_CASE("the replicas build a graph if the caller does, and only then", "[parallel_apply]") {
  for (const bool recording : {true, false}) {
    std::vector<td::nn::Sequential> modules{td::nn::Sequential(td::nn::Linear(2, 1)),
                                            td::nn::Sequential(td::nn::Linear(2, 1))};
    const td::AutoGradMode mode(recording);
    const auto outputs = outputs_of(modules, {counted(2, 2), counted(2, 2)});
    check::expect(outputs.size() == 2, "one output for each module was expected");
    for (std::size_t i = 0; i < 2; ++i)
      check::expect(outputs[i].requires_grad() == recording,
                    recording
                        ? "the caller records, and output " + std::to_string(i) + " has no graph"
                        : "under NoGradGuard output " + std::to_string(i) +
                              " was recorded: the mode is each thread's own");
    check::expect(modules[0]->is_training() && modules[1]->is_training(),
                  "a replica in training mode is in evaluation mode afterwards; whether autograd "
                  "records is another setting");
  }
}

TEST_CASE("an error in one replica comes back with its number and device", "[parallel_apply]") {
  std::vector<td::nn::Sequential> modules{td::nn::Sequential(td::nn::Linear(2, 1)),
                                          td::nn::Sequential(td::nn::Linear(2, 1))};
  modules[1]->to("sim:1");
  modules[0]->to("sim:0");
  check::expect_throws<td::Error>(
      [&] {
        parallel_apply(modules, {counted(3, 2, "sim:0"), counted(3, 5, "sim:1")});
      },
      {"replica 1", "sim:1", "linear"}, "an input of 5 columns for replica 1");
}

TEST_CASE("after all replicas end, the error of the lowest-numbered one is thrown",
          "[parallel_apply]") {
  std::atomic<int> done{0};
  Barrier all_started(3);
  std::vector<td::nn::Sequential> modules;
  for (int i = 0; i < 3; ++i)
    modules.push_back(does([i, &done, &all_started](const td::Tensor& x) -> td::Tensor {
      // Replica 2 fails first, replica 0 second, and replica 1 is done after both.
      all_started.all_came();
      if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (i == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        ++done;
        return x;
      }
      throw td::Error(i == 0 ? "failed late" : "failed early");
    }));
  check::expect_throws<td::Error>(
      [&] {
        parallel_apply(modules, {counted(1, 1), counted(1, 1), counted(1, 1)});
      },
      {"replica 0", "failed late"}, "errors in replicas 0 and 2");
  const int done_at_throw = done;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a thread left behind uses `done`
  check::expect(done_at_throw == 1, "the error was thrown while replica 1 was still at work");
}

TEST_CASE("of two replicas that fail, 2 comes before 10", "[parallel_apply]") {
  std::vector<td::nn::Sequential> modules;
  for (int i = 0; i < 12; ++i)
    modules.push_back(does([i](const td::Tensor& x) -> td::Tensor {
      if (i == 2 || i == 10) throw td::Error("no memory");
      return x;
    }));
  check::expect_throws<td::Error>(
      [&] { parallel_apply(modules, std::vector<td::Tensor>(12, counted(1, 1))); },
      {"replica 2 on cpu"}, "errors in replicas 2 and 10 of 12");
}

TEST_CASE("any exception in a replica is reported, not only those of td", "[parallel_apply]") {
  std::vector<td::nn::Sequential> modules{
      does([](const td::Tensor& x) { return x; }),
      does([](const td::Tensor&) -> td::Tensor { throw std::runtime_error("disk full"); })};
  check::expect_throws<td::Error>(
      [&] {
        parallel_apply(modules, {counted(1, 1), counted(1, 1)});
      },
      {"replica 1", "disk full"}, "a std::runtime_error in replica 1");
  modules[1] = does([](const td::Tensor&) -> td::Tensor { throw std::runtime_error(""); });
  check::expect_throws<td::Error>(
      [&] {
        parallel_apply(modules, {counted(1, 1), counted(1, 1)});
      },
      {"replica 1"}, "an error without a text");
}

TEST_CASE("the number of inputs must be the number of modules", "[parallel_apply]") {
  std::vector<td::nn::Sequential> modules{does([](const td::Tensor& x) { return x; }),
                                          does([](const td::Tensor& x) { return x; })};
  std::atomic<int> calls{0};
  for (int i = 0; i < 2; ++i)
    modules[static_cast<std::size_t>(i)] = does([&](const td::Tensor& x) {
      ++calls;
      return x;
    });
  check::expect_throws<td::Error>([&] { parallel_apply(modules, {counted(1, 1)}); }, {},
                                  "one input for two modules");
  const td::Tensor x = counted(1, 1);
  check::expect_throws<td::Error>(
      [&] {
        parallel_apply(modules, {x, x, x});
      },
      {}, "three inputs for two modules");
  check::expect(calls == 0, "a replica ran although the numbers of modules and inputs differ");
  std::vector<td::nn::Sequential> none;
  check::expect(parallel_apply(none, {}).empty(), "no modules: expected no outputs");
}

TEST_CASE("the replicas compute on the streams that are current in the caller",
          "[parallel_apply]") {
  const td::Stream side = td::getStreamFromPool("sim:1");
  const td::StreamGuard current(side);
  std::vector<int> used(2);
  std::vector<td::nn::Sequential> modules;
  for (std::size_t i = 0; i < 2; ++i)
    modules.push_back(does([&used, i](const td::Tensor& x) {
      used[i] = td::getCurrentStream(x.device()) != td::getDefaultStream(x.device());
      return x;
    }));
  outputs_of(modules, {counted(1, 1, "sim:0"), counted(1, 1, "sim:1")});
  check::expect(used[0] == 0, "the caller uses the default stream of sim:0, replica 0 another one");
  check::expect(
      used[1] == 1,
      "the caller has made another stream of sim:1 current, and replica 1 computed on the "
      "default stream: nothing orders its work after that of the caller. The current "
      "stream belongs to a thread, as the gradient mode does");
}

TEST_CASE("the current device of a replica is that of its input", "[parallel_apply]") {
  std::vector<int> current(2, -1);
  std::vector<td::nn::Sequential> modules;
  for (std::size_t i = 0; i < 2; ++i)
    modules.push_back(does([&current, i](const td::Tensor& x) {
      current[i] = td::current_device(td::kSIM);
      return x;
    }));
  outputs_of(modules, {counted(1, 1, "sim:1"), counted(1, 1, "sim:0")});
  for (std::size_t i = 0; i < 2; ++i)
    check::expect(current[i] == 1 - static_cast<int>(i),
                  "the current device of a replica should be that of its input: replica " +
                      std::to_string(i) + " has an input on sim:" + std::to_string(1 - i) +
                      ", and its current device is sim:" + std::to_string(current[i]) +
                      ". td::StreamGuard sets both");
}
