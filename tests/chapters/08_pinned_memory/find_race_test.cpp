// Tests of find_race: the race finder of sim checks every use of memory, in the order in which it
// is enqueued; its reports do not depend on time. Gates show whether the streams overlap.
#include "accelerators.h"
#include "exercises.h"
#include "host_waits.h"
#include "lanes.h"
#include "races.h"

namespace {

constexpr std::int64_t kNumbers = 1000;

struct Run {
  explicit Run(std::size_t inputs, std::size_t chunk_count = 2, td::Device device = kSim)
      : streams{td::getStreamFromPool(device), td::getStreamFromPool(device),
                td::getStreamFromPool(device)} {
    for (std::size_t i = 0; i < inputs; ++i) {
      in.push_back(td::full({kNumbers}, static_cast<double>(i)).pin_memory());
      out.push_back(td::full({kNumbers}, -1).pin_memory());
    }
    for (std::size_t i = 0; i < chunk_count; ++i) {
      chunks.emplace_back(std::vector<std::int64_t>{kNumbers}, device);
      check::poison(chunks.back().x);
      check::poison(chunks.back().y);
    }
    td::synchronize(device);
  }
  void go() { scale_chunks(in, out, chunks, streams); }
  void expect_values() const {
    for (std::size_t i = 0; i < in.size(); ++i)
      check::expect_close(out[i], td::full({kNumbers}, 2 * static_cast<double>(i) + 1), 0,
                          "outputs[" + std::to_string(i) + "]");
  }

  std::vector<td::Tensor> in, out;
  std::vector<Chunk> chunks;
  Streams streams;
};

// Looks into a tensor on the device from aside, and opens the gate when its first number is there.
class Watcher {
 public:
  Watcher(Gate& gate, const td::Tensor& tensor, float expected)
      : gate_(gate), thread_([this, tensor, expected] {
          const auto* first =
              static_cast<const volatile float*>(td::sim::kernel_view(0, tensor.data_ptr()));
          while (!gate_.is_open()) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            if (first[0] != expected) continue;
            came_ = !gate_.has_expired();
            gate_.open();
          }
        }) {}
  ~Watcher() {
    gate_.open();
    thread_.join();
  }
  bool came() const { return came_; }

 private:
  Gate& gate_;
  std::atomic<bool> came_{false};
  std::thread thread_;
};

}  // namespace

TEST_CASE("every use of memory is ordered", "[find_race]") {
  for (const std::size_t chunks : {2u, 3u})
    for (const std::size_t inputs : {7u, 2u, 1u, 0u}) {
      Run run(inputs, chunks);
      const Looking looking;
      run.go();
      for (const td::Tensor& output : run.out) output.clone();  // as a caller would read it
      Looking::expect_none(std::to_string(inputs) + " inputs, " + std::to_string(chunks) +
                           " chunks: the race finder reports");
      run.expect_values();
    }
}

TEST_CASE("the values are right, however slow a stream is", "[find_race]") {
  for (int slow = 0; slow < 3; ++slow) {
    Run run(5);
    Gate gate(kSoon);
    gate.hold(slow == 0 ? run.streams.in : slow == 1 ? run.streams.compute : run.streams.out);
    run.go();
    run.expect_values();
  }
}

TEST_CASE("copies to the device continue while work is held up", "[find_race]") {
  Run run(4);
  Gate gate(kBriefly);
  gate.hold(run.streams.compute);
  Watcher watcher(gate, run.chunks[1].x, 1.0F);  // both chunks are free in the beginning
  run.go();
  check::expect(
      watcher.came(),
      "with the work on chunk 0 under way, the copy of chunk 1 to the device does not end: "
      "what does it wait for?");
}

TEST_CASE("work continues while copies to the host are held up", "[find_race]") {
  Run run(4);
  Gate gate(kBriefly);
  gate.hold(run.streams.out);
  Watcher watcher(gate, run.chunks[1].y, 3.0F);
  run.go();
  check::expect(watcher.came(),
                "with the copy of chunk 0 to the host under way, the work on chunk 1 does not end: "
                "what does it wait for?");
}

TEST_CASE("the values are right on every accelerator", "[find_race]") {
  for (const td::Device device : accelerators())
    for (const std::size_t chunks : {2u, 3u}) {
      Run run(7, chunks, device);
      run.go();
      run.expect_values();
    }
}

TEST_CASE("the host waits once, at the end", "[find_race]") {
  for (const std::size_t chunks : {2u, 3u}) {
    Run run(9, chunks);
    const int waits = check::host_waits([&] { run.go(); });
    check::expect(waits <= 1, "9 inputs, " + std::to_string(chunks) + " chunks: the host waits " +
                                  std::to_string(waits) +
                                  " times; expected once, after the loop. In the loop, let a "
                                  "stream wait for an event, with block()");
    run.expect_values();
  }
}

TEST_CASE("the current stream is the same afterwards", "[find_race]") {
  const td::Stream before = td::getCurrentStream(kSim);
  Run run(5);
  run.go();
  const bool same = td::getCurrentStream(kSim) == before;
  td::setCurrentStream(before);
  check::expect(same,
                "scale_chunks leaves another stream current: use a StreamGuard, as the file does");
}
