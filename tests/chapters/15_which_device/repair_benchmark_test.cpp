// Tests of repair_benchmark: a clock that only the work moves. A prediction on a device moves it
// when the device has finished, so a clock that is read too early shows too little.
#include <cmath>
#include <cstring>
#include <sstream>
#include <tuple>

#include "exercises.h"
#include "lanes.h"
#include "trace/recorder.h"

namespace {

/// Microseconds of work. A copy takes one for each byte.
constexpr long kOnCpu = 500, kOnDevice = 90, kGraph = 130, kFirst = 50;

/// What a benchmark did, and the time that its work took.
struct Laboratory {
  std::atomic<long> microseconds{0};    ///< of predictions that have finished
  long copied = 0;                      ///< microseconds of copies to devices
  std::atomic<int> queued{0};           ///< predictions that a device has not finished
  std::vector<long> factors;            ///< of the runs after the first one, on each device
  int on_cpu = 0, on_device = 0;        ///< predictions
  int graphs = 0;                       ///< predictions that were recorded for backward()
  int reads = 0, reads_while_busy = 0;  ///< of the clock

  /// Returns the microseconds of the next prediction, the call-th one on its device.
  long cost(long each, int call, bool graph) {
    long factor = kFirst;
    if (call > 0) factor = factors.empty() ? 1 : factors[(call - 1) % factors.size()];
    graphs += graph;
    return (each + (graph ? kGraph : 0)) * factor;
  }
  Clock clock() {
    return [this] {
      ++reads;
      reads_while_busy += queued > 0;
      const long worked = microseconds;
      for (const td::trace::SpanRecord& span : td::trace::stop().spans)
        if (std::strstr(span.name, "HtoD") && span.category == td::trace::Category::kCopy)
          copied += static_cast<long>(span.bytes);
      td::trace::start();
      return 1e-6 * static_cast<double>(worked + copied);
    };
  }
};
Laboratory* laboratory = nullptr;

/// A layer that returns its input, and whose work takes what the laboratory says.
struct WorkImpl : td::nn::Module {
  td::Tensor forward(const td::Tensor& x) {
    Laboratory& lab = *laboratory;
    if (x.device().is_cpu()) {
      lab.microseconds += lab.cost(kOnCpu, lab.on_cpu++, x.requires_grad());
      return x;
    }
    const long taken = lab.cost(kOnDevice, lab.on_device++, x.requires_grad());
    ++lab.queued;
    launch(td::getCurrentStream(x.device()), [at = laboratory, taken] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      at->microseconds += taken;
      --at->queued;
    });
    return x;
  }
};
TD_MODULE(Work);

/// Makes a laboratory, and traces the copies until its end.
struct Session {
  explicit Session(std::vector<long> factors = {}) {
    lab.factors = std::move(factors);
    laboratory = &lab;
    td::trace::start();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    td::trace::stop();  // when the devices are done
    laboratory = nullptr;
  }
  /// Times a model of one layer and the work, with batches of `n` rows of 4 bytes each.
  PredictionTimes time(std::int64_t n, td::Device device, int runs) {
    td::nn::Sequential model(td::nn::Linear(1, 1), Work());
    const PredictionTimes times =
        time_predictions(model, td::ones({n, 1}), device, runs, lab.clock());
    return {std::round(1e6 * times.cpu), std::round(1e6 * times.device)};
  }
  Laboratory lab;
};

double expected_on(td::Device device, std::int64_t n) {
  if (device.is_cpu()) return kOnCpu;
  return static_cast<double>(kOnDevice + 4 * n);
}

void expect_times(const PredictionTimes& got, td::Device device, std::int64_t n,
                  const std::string& what) {
  check::expect_close(got.cpu, kOnCpu, 0.5, "microseconds on the cpu, " + what);
  check::expect_close(got.device, expected_on(device, n), 0.5,
                      "microseconds on " + device.str() + ", " + what);
}

const std::vector<td::Device> kDevices = {"sim:0", "sim:1"};

}  // namespace

TEST_CASE("the time of the device is that of its kernels, not of their launches",
          "[repair_benchmark]") {
  for (const td::Device device : kDevices) {
    Session session;
    const PredictionTimes times = session.time(7, device, 3);
    check::expect(session.lab.reads > 0, "the clock was never read");
    check::expect(session.lab.reads_while_busy == 0,
                  "the clock was read " + std::to_string(session.lab.reads_while_busy) +
                      " times while " + device.str() +
                      " was still computing: then the time is that of the launches, and what the "
                      "device did not finish counts for the next run");
    check::expect(times.device >= kOnDevice, "the kernels of a prediction take " +
                                                 std::to_string(kOnDevice) + " microseconds on " +
                                                 device.str() + ", but the benchmark reports " +
                                                 std::to_string(static_cast<long>(times.device)));
  }
}

TEST_CASE("the same work is timed on both sides", "[repair_benchmark]") {
  Session session;
  const PredictionTimes times = session.time(7, "cpu", 4);
  check::expect(session.lab.graphs != session.lab.on_cpu,
                "all predictions were recorded for backward(), which takes time; the scores are "
                "needed without a graph");
  check::expect(session.lab.graphs == 0,
                std::to_string(session.lab.graphs) + " of " + std::to_string(session.lab.on_cpu) +
                    " predictions were recorded for backward(), the others were not: the cpu "
                    "compared with itself takes " +
                    std::to_string(static_cast<long>(times.cpu)) + " and " +
                    std::to_string(static_cast<long>(times.device)) + " microseconds");
  check::expect_close(times.device, times.cpu, 0.5,
                      "microseconds of the second measurement of the cpu, compared with the first");
}

TEST_CASE("the first prediction on each device does not count", "[repair_benchmark]") {
  for (const td::Device device : kDevices)
    for (const int runs : {1, 2, 9}) {
      Session session;
      const PredictionTimes times = session.time(7, device, runs);
      const std::string what = std::to_string(runs) + (runs == 1 ? " run" : " runs");
      for (const int predictions : {session.lab.on_cpu, session.lab.on_device})
        check::expect(predictions == runs + 1,
                      what + " and a first prediction that does not count are " +
                          std::to_string(runs + 1) + " predictions on each device; there were " +
                          std::to_string(session.lab.on_cpu) + " on the cpu and " +
                          std::to_string(session.lab.on_device) + " on " + device.str());
      check::expect(times.cpu < 10 * kOnCpu && times.device < 10 * kOnDevice,
                    "the first prediction takes 50 times as long as the others, and with " + what +
                        " it decides the time: " + std::to_string(static_cast<long>(times.cpu)) +
                        " microseconds on the cpu, " +
                        std::to_string(static_cast<long>(times.device)) + " on " + device.str());
    }
}

TEST_CASE("the time of the device has the copy of the batch, and no other copy",
          "[repair_benchmark]") {
  for (const td::Device device : kDevices)
    for (const std::int64_t n : {1, 33, 1023}) {
      Session session;
      const PredictionTimes times = session.time(n, device, 3);
      expect_times(times, device, n,
                   "with a batch whose copy takes " + std::to_string(4 * n) +
                       " us: the batch begins on the cpu in every run, the model is there "
                       "before");
    }
}

TEST_CASE("one run that was disturbed does not change the result", "[repair_benchmark]") {
  for (const std::vector<long>& factors :
       {std::vector<long>{1, 40, 1, 1, 1}, {1, 1, 1, 40, 0}, {0, 1, 1, 1, 40}}) {
    Session session(factors);
    const PredictionTimes times = session.time(31, "sim:0", 5);
    expect_times(times, "sim:0", 31, "the median of five runs of which one or two were disturbed");
  }
  // The first run of these does not count: only 8, 1, 2 ... do.
  for (const auto& [runs, low, high] : {std::tuple(3, 2, 2), {4, 2, 8}, {7, 8, 8}}) {
    Session session({8, 1, 2, 128, 32, 4, 64});
    const double got = session.time(1, "sim:0", runs).cpu / kOnCpu;
    std::ostringstream text;
    text << "of the runs that take 8, 1, 2, 128, 32, 4 and 64 units, the first " << runs
         << " are made: the median is " << low;
    if (low != high) text << " or " << high << " or their mean";
    text << ", got " << got;
    check::expect(std::abs(got - low) < 1e-6 || std::abs(got - high) < 1e-6 ||
                      std::abs(got - (low + high) / 2.0) < 1e-6,
                  text.str());
  }
}

TEST_CASE("another current stream, and a model that begins on the device", "[repair_benchmark]") {
  for (const td::Device device : kDevices) {
    Session session;
    const td::Stream stream = td::getStreamFromPool(device);
    const td::StreamGuard guard(stream);
    td::nn::Sequential model(td::nn::Linear(1, 1), Work());
    model->to(device);
    PredictionTimes times =
        time_predictions(model, td::ones({31, 1}), device, 1, session.lab.clock());
    times = {std::round(1e6 * times.cpu), std::round(1e6 * times.device)};
    expect_times(times, device, 31, "one run under a guard of another stream");
    check::expect(td::GradMode::is_enabled(), "after the benchmark, gradients are not recorded");
  }
}
