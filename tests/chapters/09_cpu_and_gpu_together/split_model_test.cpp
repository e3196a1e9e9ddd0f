// Tests of split_model: the numbers are the plain model's, for any devices of the parts and any
// split of the batch; and the host does not wait unnecessarily. The parts and their gradients write
// a log, which shows the order; gates hold devices, so that a wait of the host is noticed.
#include <deque>

#include "copies.h"
#include "exercises.h"
#include "lanes.h"

namespace {

constexpr std::int64_t kWidth = 6, kClasses = 4;

struct Places {
  td::Device first, second;
  std::string str() const { return first.str() + " and " + second.str(); }
};

std::vector<Places> places() {
  std::vector<Places> all = {{"cpu", "sim:0"},   {"sim:1", "cpu"},   {"sim:0", "sim:1"},
                             {"sim:1", "sim:0"}, {"sim:0", "sim:0"}, {"cpu", "cpu"}};
  for (const td::Device device : check::devices())
    if (device.is_cuda()) {
      all.push_back({"cpu", device});
      all.push_back({device, "cpu"});
    }
  return all;
}

// The same weights for the same seed.
td::nn::Sequential front() {
  td::nn::Sequential part(td::nn::Linear(5, kWidth), td::nn::Tanh(),
                          td::nn::Linear(kWidth, kWidth));
  part->to(td::kFloat64);
  return part;
}
td::nn::Sequential back() {
  td::nn::Sequential part(td::nn::Tanh(), td::nn::Linear(kWidth, kWidth), td::nn::ReLU(),
                          td::nn::Linear(kWidth, kClasses));
  part->to(td::kFloat64);
  return part;
}
SplitModel split(const Places& at) {
  td::manual_seed(3);
  const td::nn::Sequential first = front();
  return SplitModel(first, back(), at.first, at.second);
}

Batch make_batch(std::int64_t rows) {
  td::manual_seed(static_cast<std::uint64_t>(100 + rows));
  return {td::randn({rows, 5}, td::kFloat64), td::randint(0, kClasses, {rows}, td::kInt64)};
}
Batch on(const Batch& batch, const Places& at) {
  return {batch.data.to(at.first), batch.target.to(at.second)};
}

// Loss and gradients of the plain computation: one model, on one device, one whole batch.
struct Plain {
  explicit Plain(const Batch& batch) {
    SplitModel model = split({"cpu", "cpu"});
    output = model.second->forward(model.first->forward(batch.data));
    loss = td::nn::functional::cross_entropy(output, batch.target);
    loss.backward();
    parameters = model.parameters();
  }
  td::Tensor output, loss;
  td::TensorList parameters;
};

void expect_gradients(const SplitModel& model, const Plain& plain, double factor,
                      const std::string& where) {
  const td::TensorList parameters = model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string what = "gradient of parameter " + std::to_string(i) + " " + where;
    check::expect(parameters[i].grad().defined(), what + ": there is none");
    check::expect_close(parameters[i].grad(), plain.parameters[i].grad() * factor, 1e-12, what);
  }
}

}  // namespace

TEST_CASE("the output and the graph cross the boundary", "[split_model]") {
  const Batch batch = make_batch(7);
  const Plain plain(batch);
  for (const Places& at : places()) {
    SplitModel model = split(at);
    const td::Tensor output = split_forward(model, batch.data);
    check::expect_on(output, at.second, "the output");
    check::expect_close(output, plain.output, 1e-12, "the output on " + at.str());
    td::nn::functional::cross_entropy(output, batch.target.to(at.second)).backward();
    expect_gradients(model, plain, 1, "after split_forward on " + at.str());
  }
}

TEST_CASE("gradients and loss are the plain model's, for any split of the batch", "[split_model]") {
  for (const Places& at : places())
    for (const std::int64_t rows : {1, 3, 7, 8})
      for (const std::int64_t micro_batches : {1, 2, 4}) {
        const Batch batch = make_batch(rows);
        const Plain plain(batch);
        SplitModel model = split(at);
        const std::string where = "on " + at.str() + ", " + std::to_string(rows) + " rows in " +
                                  std::to_string(micro_batches) + " micro-batches";
        td::Tensor loss;
        try {
          loss = split_backward(model, on(batch, at), micro_batches);
        } catch (const std::out_of_range& error) {
          check::expect(false, "an index is out of range " + where +
                                   ": a small batch gives fewer micro-batches than asked for, as "
                                   "many as chunk() returns. The error was: " +
                                   error.what());
        }
        check::expect_on(loss, at.second, "the loss");
        check::expect_sizes(loss, {}, "the loss");
        check::expect(!loss.requires_grad(), "the loss has a graph: detach it");
        check::expect_close(loss, plain.loss.detach(), 1e-12, "loss " + where);
        expect_gradients(model, plain, 1, where);
      }
}

TEST_CASE("gradients are added to what is there", "[split_model]") {
  const Batch batch = make_batch(6);
  const Plain plain(batch);
  for (const Places& at : places()) {
    SplitModel model = split(at);
    for (int twice = 0; twice < 2; ++twice) split_backward(model, on(batch, at), 3);
    expect_gradients(model, plain, 2, "after two calls on " + at.str());
  }
}

namespace {

// A model that logs its calls: "F1", "F2" forward, "B2", "B1" backward.
struct Logged {
  explicit Logged(const Places& at)
      : model(td::nn::Sequential(td::nn::Linear(5, kWidth), noting("1")),
              td::nn::Sequential(td::nn::Linear(kWidth, kClasses), noting("2")), at.first,
              at.second) {
    model.first->to(td::kFloat64);
    model.second->to(td::kFloat64);
  }
  td::nn::Functional noting(const std::string& part) {
    return td::nn::Functional([this, part](const td::Tensor& x) {
      note("F" + part);
      td::Tensor y = x * 1;
      if (y.requires_grad()) y.register_hook([this, part](const td::Tensor&) { note("B" + part); });
      return y;
    });
  }
  void note(const std::string& what) {
    log += (log.empty() ? "" : " ") + what;
    if (on_note) on_note(what);
  }
  std::string log;
  std::function<void(const std::string&)> on_note;
  SplitModel model;
};

std::string asked_for(const Places& at, std::int64_t micro_batches) {
  Logged logged(at);
  split_backward(logged.model, on(make_batch(6), at), micro_batches);
  return logged.log;
}

// Where in the log the n-th (from 1) such entry begins; npos if there are not as many.
std::size_t place_of(const std::string& log, const std::string& what, int n) {
  std::size_t at = log.find(what);
  for (; n > 1 && at != std::string::npos; --n) at = log.find(what, at + 1);
  return at;
}

void expect_before(const std::string& log, const std::string& a, int i, const std::string& b, int j,
                   const std::string& why) {
  for (const auto& [what, n] : {std::pair(a, i), std::pair(b, j)})
    check::expect(place_of(log, what, n) != std::string::npos,
                  why + ": for 3 micro-batches, " + what +
                      " should come 3 times, and there is no " + what + " number " +
                      std::to_string(n) +
                      ". Split the batch with chunk(micro_batches). The order was: " + log);
  check::expect(place_of(log, a, i) < place_of(log, b, j),
                why + ": " + a + " number " + std::to_string(i) + " should come before " + b +
                    " number " + std::to_string(j) + ". The order was: " + log);
}

}  // namespace

TEST_CASE("every forward pass is launched before the first backward pass", "[split_model]") {
  for (const Places& at : places()) {
    const std::string log = asked_for(at, 3);
    expect_before(log, "F2", 3, "B2", 1, "with the parts on " + at.str());
  }
}

TEST_CASE("a device is never without work while the host computes", "[split_model]") {
  const std::string host_first = asked_for({"cpu", "sim:0"}, 3);
  expect_before(host_first, "F2", 1, "F1", 2, "the device should begin while the host goes on");
  expect_before(host_first, "B2", 3, "B1", 1,
                "before the host waits, launch everything that the device can do");
  const std::string host_second = asked_for({"sim:0", "cpu"}, 3);
  expect_before(host_second, "F1", 3, "F2", 1,
                "before the host waits, launch everything that the device can do");
  expect_before(host_second, "B1", 1, "B2", 2, "the device should begin while the host goes on");
}

TEST_CASE("with two devices the host waits for nothing", "[split_model]") {
  const Places at = {"sim:0", "sim:1"};
  const Batch batch = make_batch(6);
  const Plain plain(batch);
  SplitModel model = split(at);
  const Batch there = on(batch, at);
  Gate gate;
  for (const td::Device device : {at.first, at.second}) gate.hold(td::getCurrentStream(device));
  const td::Tensor loss = split_backward(model, there, 3);
  check::expect(!gate.has_expired(),
                "split_backward waits for a device; everything can be queued without that");
  gate.open();
  check::expect_close(loss, plain.loss.detach(), 1e-12, "the loss");
  expect_gradients(model, plain, 1, "when the devices begin late");
}

TEST_CASE("a host that has the first part continues while the device is busy", "[split_model]") {
  const Places at = {"cpu", "sim:0"};
  Logged logged(at);
  const Batch batch = on(make_batch(6), at);
  Gate gate;
  gate.hold(td::getCurrentStream("sim:0"));
  int asked = 0;
  logged.on_note = [&](const std::string& what) {
    if (what == "F1") ++asked;
    if (what == "F1" && asked == 3)
      check::expect(!gate.has_expired(),
                    "the host waits for the device before it has done its own forward work: copy "
                    "from pinned memory, on a stream that does not compute");
    if (what == "B2") gate.open();  // from here on the host needs the device's gradients
  };
  split_backward(logged.model, batch, 3);
}

TEST_CASE("a host that has the second part continues while the device is busy", "[split_model]") {
  const Places at = {"sim:0", "cpu"};
  Logged logged(at);
  const Batch batch = on(make_batch(6), at);
  Gate gate;
  bool held = false;
  logged.on_note = [&](const std::string& what) {
    if (what != "B2" || held) return;
    held = true;  // the host has all values: it need not wait for the device's present work
    gate.hold(td::getCurrentStream("sim:0"));
  };
  split_backward(logged.model, batch, 3);
  check::expect(!gate.has_expired(),
                "the host waits for the device's backward work: send gradients from pinned "
                "memory, on a stream that does not compute");
}

TEST_CASE("the current streams may be any streams", "[split_model]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 3000});
  for (const Places& at : places()) {
    const Batch batch = make_batch(7);
    const Plain plain(batch);
    SplitModel model = split(at);
    const Batch there = on(batch, at);
    for (const td::Device device : {at.first, at.second}) td::synchronize(device);
    std::deque<td::StreamGuard> guards;
    for (const td::Device device : {at.first, at.second})
      if (!device.is_cpu()) guards.emplace_back(td::getStreamFromPool(device));
    RaceWatch races;
    const td::Tensor loss = split_backward(model, there, 3);
    for (const td::Device device : {at.first, at.second}) td::synchronize(device);
    races.expect_none();
    check::expect_close(loss, plain.loss.detach(), 1e-12, "the loss on " + at.str());
    expect_gradients(model, plain, 1, "with streams of the pool, on " + at.str());
  }
}

TEST_CASE("activations and their gradients are copied once", "[split_model]") {
  constexpr std::int64_t kRows = 7;
  const std::size_t expected = kRows * kWidth * sizeof(double);
  for (const Places& at : {Places{"cpu", "sim:0"}, Places{"sim:0", "cpu"}}) {
    SplitModel model = split(at);
    const Batch there = on(make_batch(kRows), at);
    const Copies copies = copies_of([&] { split_backward(model, there, 3); });
    for (const auto& [direction, bytes] :
         {std::pair("to the device", copies.to_device), std::pair("to the host", copies.to_host)})
      check::expect(bytes <= expected + 64,
                    std::to_string(bytes) + " bytes were copied " + direction + " on " + at.str() +
                        "; the values at the cut have " + std::to_string(expected) +
                        ": copy each micro-batch once");
    check::expect(copies.pageable.empty(),
                  "a copy was \"" + copies.pageable + "\": use model.to_second and model.to_first");
  }
}

TEST_CASE("an error in a forward pass leaves no gradients", "[split_model]") {
  for (const Places& at : {Places{"cpu", "sim:0"}, Places{"sim:0", "sim:1"}}) {
    Logged logged(at);
    const Batch batch = on(make_batch(6), at);
    int forwards = 0;
    logged.on_note = [&](const std::string& what) {
      if (what == "F2" && ++forwards == 3) throw std::runtime_error("the third micro-batch");
    };
    check::expect_throws<std::runtime_error>([&] { split_backward(logged.model, batch, 3); },
                                             {"the third micro-batch"},
                                             "the second part threw on " + at.str());
    for (const td::Tensor& parameter : logged.model.parameters())
      check::expect(!parameter.grad().defined(),
                    "the forward pass of the last micro-batch threw, but there are gradients: a "
                    "backward pass was launched too early");
    logged.on_note = nullptr;
    split_backward(logged.model, batch, 3);  // works again
  }
}
