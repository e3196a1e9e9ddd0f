// When the stand-in runs queued work, and in which order: the four values of TD_STAND_IN_ORDER.
// A test of one order is a hidden test case, which runs in a process with that order.
#include <chrono>
#include <cmath>
#include <set>

#include "raw.h"

using namespace raw;

namespace {

using namespace std::chrono_literals;

/// Work runs after 5 ms without a call, so a check of a shorter time is valid only if the machine
/// was quick enough: `check` returns whether it was, and is tried again otherwise.
template <class Check>
void quickly(Check check) {
  for (int i = 0; i < 100; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const bool holds = check();
    if (std::chrono::steady_clock::now() - begin > 3ms) continue;
    CHECK(holds);
    return;
  }
  FAIL("the machine is too busy");
}

/// The order in which three streams and the default stream run what they were given in this order.
std::string order_of_streams() {
  const cudaStream_t streams[] = {new_stream(), nullptr, new_stream(), new_stream()};
  Log log;
  for (const auto& [stream, name] : {std::pair{0, "a"}, {1, "d"}, {2, "b"}, {3, "c"}, {0, "A"}})
    queue(streams[stream], name, {}, [&log, name = name] { log.add(name); });
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return log.take();
}

TEST_CASE("eager work has run when the call returns", "[.child]") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream();
    bool ran = false;
    queue(stream, "op", {}, [&] { ran = true; });
    CHECK(ran);
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    CHECK(order_of_streams() == "adbcA");
  });
}

TEST_CASE("lazy work runs when a wait of the host needs it", "[.child]") {
  on_gpu(0, [] {
    quickly([] {
      const cudaStream_t first = new_stream(), second = new_stream(), other = new_stream();
      Log log;
      for (const auto& [stream, name] : {std::pair{first, "1"}, {other, "x"}})
        queue(stream, name, {}, [&log, name = name] { log.add(name); });
      order(first, second);
      queue(first, "after", {}, [&log] { log.add("y"); });
      queue(second, "2", {}, [&log] { log.add("2"); });
      const bool waited = log.take().empty();
      cudaStreamSynchronize(second);
      const bool holds = waited && log.take() == "12";
      cudaDeviceSynchronize();
      return holds;
    });
    quickly([] { return order_of_streams() == "adbcA"; });
  });
}

TEST_CASE("lazy work runs when it is often queried", "[.child]") {
  on_gpu(0, [] {
    const cudaEvent_t event = new_event();
    quickly([&] {
      cudaEventRecord(event, nullptr);
      int answers = 0;
      while (cudaEventQuery(event) == cudaErrorNotReady) ++answers;
      cudaGetLastError();
      return answers >= 20;
    });
  });
}

TEST_CASE("lazy work runs where a loop lets it go on", "[.child]") {
  on_gpu(0, [] {
    quickly([] {
      const cudaStream_t stream = new_stream();
      std::atomic<bool> ran = false;
      queue(stream, "op", {}, [&] { ran = true; });
      for (int i = 0; i < 100 && !ran; ++i) cuda_stand_in::let_work_go_on();
      const bool holds = ran;
      cudaStreamSynchronize(stream);
      return holds;
    });
  });
}

TEST_CASE("reversed work begins with the stream that was given work last", "[.child]") {
  on_gpu(0, [] {
    quickly([] { return order_of_streams() == "aAcbd"; });
    quickly([] {
      bool ran = false;
      queue(nullptr, "op", {}, [&] { ran = true; });
      const bool waited = !ran;
      cudaDeviceSynchronize();
      return waited;
    });
  });
}

TEST_CASE("random work keeps the order of each stream and no other", "[.child]") {
  on_gpu(0, [] {
    std::set<std::string> orders;
    // On a busy machine, most of them are alike.
    for (int i = 0; i < 100 || (i < 10000 && orders.size() <= 10); ++i) {
      const std::string order = order_of_streams();
      CHECK(order.find('a') < order.find('A'));
      orders.insert(order);
    }
    CHECK(orders.size() > 10);
  });
}

/// How often an event that was reached answers "not ready".
int late_answers() {
  const cudaEvent_t event = new_event();
  std::atomic<bool> ran = false;
  cudaEventRecord(event, nullptr);
  queue(nullptr, "op", {}, [&] { ran = true; });
  while (!ran) std::this_thread::yield();
  int answers = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++answers;
  cudaGetLastError();
  cudaDeviceSynchronize();
  return answers;
}

TEST_CASE("random answers that work is done come late", "[.child]") {
  on_gpu(0, [] {
    std::set<int> answers;
    for (int i = 0; i < 200; ++i) answers.insert(late_answers());
    CHECK(answers.size() > 3);
    CHECK(*answers.begin() == 0);
    CHECK(*answers.rbegin() <= 20);
    const cudaEvent_t event = new_event();
    for (int i = 0; i < 100; ++i) {  // work that the host has waited for is not late
      cudaEventRecord(event, nullptr);
      cudaDeviceSynchronize();
      CHECK(cudaEventQuery(event) == cudaSuccess);
      CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
    }
  });
}

TEST_CASE("each order is kept") {
  run_in_order("eager work has run when the call returns", "eager");
  run_in_order("lazy work runs when a wait of the host needs it", "lazy");
  run_in_order("lazy work runs when it is often queried", "lazy");
  run_in_order("lazy work runs where a loop lets it go on", "lazy");
  run_in_order("reversed work begins with the stream that was given work last", "reversed");
  run_in_order("random work keeps the order of each stream and no other", "random");
  run_in_order("random answers that work is done come late", "random");
}

TEST_CASE("an unknown order is an error") {
  const auto child =
      test::run_child("eager work has run when the call returns", "TD_STAND_IN_ORDER=late");
  CHECK(child.exit_code == 2);
  CHECK_THAT(child.output, Catch::Contains("TD_STAND_IN_ORDER is late; it must be eager, lazy"));
}

TEST_CASE("a stream comes after the event that it waits for, as it was at the call") {
  on_gpu(0, [] {
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaEvent_t event = new_event();
    std::atomic<bool> is_free = false;
    Log log;
    queue(first, "1", {}, [&] { log.add("1"); });
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    cuda_stand_in::queue("test", first, {"blocked", {}, [&](bool) { return is_free.load(); }});
    cudaEventRecord(event, first);
    queue(second, "2", {}, [&] { log.add("2"); });
    CHECK(cudaStreamSynchronize(second) == cudaSuccess);
    CHECK(log.take() == "12");
    CHECK(cudaEventQuery(event) == cudaErrorNotReady);
    CHECK(cudaGetLastError() == cudaErrorNotReady);
    is_free = true;
    CHECK(cudaEventSynchronize(event) == cudaSuccess);
  });
}

TEST_CASE("blocked work lets other streams continue, and is told once that it begins") {
  on_gpu(0, [] {
    const cudaStream_t first = new_stream(), second = new_stream();
    std::atomic<bool> arrived = false;
    std::atomic<int> begun = 0;
    cuda_stand_in::queue("test", first, {"collective", {}, [&](bool begins) {
                                           begun += begins;
                                           return arrived.load();
                                         }});
    queue(second, "other rank", {}, [&] { arrived = true; });
    CHECK(cudaStreamSynchronize(first) == cudaSuccess);
    CHECK(begun == 1);
    CHECK(cudaStreamSynchronize(second) == cudaSuccess);
  });
}

TEST_CASE("work runs even if no thread waits for it") {
  on_gpu(0, [] {
    std::atomic<bool> ran = false;
    queue(nullptr, "op", {}, [&] { ran = true; });
    for (int i = 0; i < 5000 && !ran; ++i) std::this_thread::sleep_for(1ms);
    CHECK(ran);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  });
}

TEST_CASE("a held stream runs nothing") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream();
    std::atomic<bool> ran = false;
    cuda_stand_in::hold(0, stream);
    queue(stream, "op", {}, [&] { ran = true; });
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(ran);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    CHECK(cudaGetLastError() == cudaErrorNotReady);
    cuda_stand_in::let_go(0, stream);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(ran);
  });
}

TEST_CASE("events measure the time between the points at which work reached them") {
  on_gpu(0, [] {
    const cudaEvent_t begin = new_event(), end = new_event();
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    cudaEventRecord(begin, nullptr);
    queue(nullptr, "op", {}, [] { std::this_thread::sleep_for(10ms); });
    cudaEventRecord(end, nullptr);
    CHECK(cudaEventSynchronize(end) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess);
    CHECK(milliseconds >= 10);
    const double steps = 2000.0 * milliseconds;  // of half a microsecond
    CHECK(steps == Approx(std::round(steps)).margin(0.02).epsilon(0));
  });
}

}  // namespace
