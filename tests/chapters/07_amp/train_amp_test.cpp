// Tests of train_amp: the trained weights against a training without scale, groups and guards, and
// how often the host waits.
#include <cmath>
#include <stdexcept>

#include "gradients.h"
#include "host_waits.h"
#include "reads.h"

namespace {

using Batches = std::vector<td::data::Example<>>;

td::nn::Sequential network() {
  td::manual_seed(3);
  return td::nn::Sequential(td::nn::Linear(6, 16), td::nn::ReLU(), td::nn::Linear(16, 3));
}

Batches make_batches(std::size_t count, std::int64_t n = 4) {
  td::manual_seed(5);
  Batches batches;
  for (std::size_t i = 0; i < count; ++i)
    batches.push_back({td::randn({n, 6}), td::randint(0, 3, {n}, td::kInt64)});
  return batches;
}

std::vector<double> weights_of(td::nn::Sequential& model) {
  td::TensorList all;
  for (const td::Tensor& parameter : model->parameters())
    all.push_back(parameter.detach().view({-1}));
  return check::values(td::cat(all));
}

/// One training run, and the results that its caller sees.
struct Run {
  explicit Run(const AmpSettings& its_settings, double growth_interval = 2000, bool scaled = true)
      : settings(its_settings),
        optimizer((model->to(settings.device), model->parameters()), td::optim::SGDOptions(0.5)),
        scaler(td::amp::GradScalerOptions()
                   .init_scale(1024)
                   .growth_interval(static_cast<std::int64_t>(growth_interval))
                   .enabled(scaled)) {}

  AmpResult go(const Batches& batches) {
    return train_amp(model, optimizer, scaler, batches, settings);
  }

  AmpSettings settings;
  td::nn::Sequential model = network();
  td::optim::SGD optimizer;
  td::amp::GradScaler scaler;
};

/// The same training without a scale: the gradient of the mean of the losses of a group, computed
/// at once. Returns the mean losses.
std::vector<double> expected_training(Run& run, const Batches& batches) {
  std::vector<double> losses;
  const AmpSettings& settings = run.settings;
  for (std::size_t i = 0; i < batches.size();) {
    run.optimizer.zero_grad();
    td::Tensor sum;
    std::size_t count = 0;
    for (; count < settings.accumulate && i < batches.size(); ++count, ++i) {
      const td::amp::AutocastGuard autocast(settings.device.type(), settings.fast,
                                            settings.fast.has_value());
      const td::Tensor loss =
          td::nn::functional::cross_entropy(run.model->forward(batches[i].data.to(settings.device)),
                                            batches[i].target.to(settings.device));
      sum = sum.defined() ? sum + loss : loss;
    }
    const td::Tensor mean = sum / static_cast<double>(count);
    mean.backward();
    losses.push_back(mean.item<double>());
    if (settings.max_norm > 0)
      td::nn::utils::clip_grad_norm_(run.model->parameters(), settings.max_norm);
    run.optimizer.step();
  }
  return losses;
}

void expect_same_training(const AmpSettings& settings, const Batches& batches, double tolerance,
                          const std::string& what) {
  Run run(settings), reference(settings);
  const AmpResult result = run.go(batches);
  const std::vector<double> losses = expected_training(reference, batches);
  check::expect_sizes(result.losses, {static_cast<std::int64_t>(losses.size())},
                      what + ": `losses`, one per group");
  check::expect_dtype(result.losses, td::kFloat32, what + ": `losses`");
  check::expect(!result.losses.requires_grad(), what + ": `losses` must not require grad");
  const std::vector<double> actual = check::values(result.losses);
  check::expect_close(actual[0], losses[0], tolerance,
                      what + ": the mean loss of group 0, before any step");
  check::expect(result.skipped == 0, what + ": " + std::to_string(result.skipped) +
                                         " steps were counted as skipped, expected 0");
  check::expect_close(weights_of(run.model), weights_of(reference.model), tolerance,
                      what +
                          ": all weights after the training. The gradient of a group is that of "
                          "the mean of its losses, and its true norm is limited once per group");
  check::expect_close(actual, losses, tolerance, what + ": the mean losses of all groups");
}

void expect_same_training(const AmpSettings& settings, std::size_t count, double tolerance,
                          const std::string& what) {
  expect_same_training(settings, make_batches(count), tolerance, what);
}

/// A batch whose loss is infinite, so that its gradients are not finite.
td::data::Example<> overflowing() { return {td::full({4, 6}, 3e38), td::tensor({0, 1, 2, 0})}; }

std::size_t gradients_left(td::nn::Sequential& model) {
  std::size_t left = 0;
  for (const td::Tensor& parameter : model->parameters()) {
    if (!parameter.grad().defined()) continue;
    for (const double value : check::values(parameter.grad())) left += value != 0;
  }
  return left;
}

}  // namespace

TEST_CASE("float32: groups of one, two and three batches, and an incomplete last group",
          "[train_amp]") {
  for (const td::Device device : check::devices())
    for (const auto& [accumulate, count] :
         {std::pair<std::size_t, std::size_t>(1, 2), {2, 5}, {3, 6}, {7, 4}}) {
      AmpSettings settings{device};
      settings.accumulate = accumulate;
      expect_same_training(settings, count, 1e-5,
                           std::to_string(count) + " batches, accumulate " +
                               std::to_string(accumulate) + ", on " + device.str());
    }
}

TEST_CASE("batches of different sizes count alike", "[train_amp]") {
  AmpSettings settings{"cpu"};
  settings.accumulate = 2;
  Batches batches = make_batches(4);
  batches[1] = make_batches(1, 1)[0];
  batches[3] = make_batches(1, 2)[0];
  expect_same_training(settings, batches, 1e-5,
                       "groups of batches with 4 and 1, and with 4 and 2 rows. Each batch loss "
                       "counts alike in the mean of its group, whatever its rows");
}

TEST_CASE("clipping limits the true gradients", "[train_amp]") {
  for (const double max_norm : {0.05, 0.3, 100.0})
    for (const std::size_t accumulate : {1u, 2u}) {
      AmpSettings settings{"cpu"};
      settings.max_norm = max_norm;
      settings.accumulate = accumulate;
      expect_same_training(
          settings, 5, 1e-5,
          "max_norm " + std::to_string(max_norm) + ", accumulate " + std::to_string(accumulate));
    }
}

TEST_CASE("forward and loss run under autocast", "[train_amp]") {
  for (const td::Device device : check::devices())
    for (const td::ScalarType fast : {td::kFloat16, td::kBFloat16}) {
      AmpSettings settings{device, fast};
      settings.accumulate = 2;
      settings.max_norm = 0.3;
      // Below the error of 16 bits the losses agree because both compute the same products.
      expect_same_training(settings, 5, fast == td::kFloat16 ? 2e-3 : 1.5e-2,
                           std::string(td::dtype_name(fast)) + " on " + device.str());
    }
}

TEST_CASE("the forward pass runs under autocast with the type that is given", "[train_amp]") {
  static td::DeviceType kind;
  static bool enabled;
  static td::ScalarType type;
  struct Probe : td::nn::Module {
    td::Tensor forward(const td::Tensor& x) {
      enabled = td::amp::is_autocast_enabled(kind);
      type = td::amp::get_autocast_dtype(kind);
      return x;
    }
  };
  for (const td::Device device : check::devices())
    for (const td::optional<td::ScalarType> fast :
         {td::optional<td::ScalarType>(td::kFloat16), td::optional<td::ScalarType>(td::kBFloat16),
          td::optional<td::ScalarType>()}) {
      AmpSettings settings{device, fast};
      kind = device.type();
      enabled = !fast.has_value();
      Run run(settings);
      run.model->push_back(td::nn::ModuleHolder<Probe>(std::make_shared<Probe>()));
      run.go(make_batches(1));
      const std::string where = " on " + device.str();
      check::expect(enabled == fast.has_value(),
                    fast ? "`fast` is set, and the forward pass ran without autocast" + where
                         : "`fast` is empty, and the forward pass ran under autocast" + where);
      if (fast)
        check::expect(type == *fast, std::string("`fast` is ") + td::dtype_name(*fast) +
                                         ", and autocast casts to " + td::dtype_name(type) + where);
      check::expect(!td::amp::is_autocast_enabled(kind), "autocast is still on after train_amp");
    }
}

TEST_CASE("losses are computed in float32", "[train_amp]") {
  AmpSettings settings{"sim:0", td::kFloat16};
  Run run(settings);
  const Batches batches = make_batches(1, 33);
  const double loss = check::values(run.go(batches).losses).at(0);
  Run reference(settings);
  const double expected = expected_training(reference, batches).at(0);
  check::expect_close(loss, expected, 1e-5,
                      "the loss in float16 training (compute the loss under autocast, too, so that "
                      "it is in float32)");
}

TEST_CASE("an overflow in one batch skips the step of its group, and only that", "[train_amp]") {
  for (const td::Device device : check::devices())
    for (const double max_norm : {0.0, 1.0}) {
      AmpSettings settings{device};
      settings.accumulate = 2;
      settings.max_norm = max_norm;
      int steps = 0;
      settings.after_step = [&] { ++steps; };
      Run run(settings), reference(settings);
      Batches batches = make_batches(6);
      Batches without = {batches[0], batches[1], batches[4], batches[5]};
      batches[2] = overflowing();
      const AmpResult result = run.go(batches);
      expected_training(reference, without);
      const std::string what = "an overflow in batch 2 of 6, accumulate 2, max_norm " +
                               std::to_string(max_norm) + ", on " + device.str();
      check::expect(result.skipped == 1, what + ": " + std::to_string(result.skipped) +
                                             " steps were counted as skipped, expected 1");
      check::expect_close(weights_of(run.model), weights_of(reference.model), 1e-5,
                          what + ": the weights, as without the group of batches 2 and 3");
      check::expect_close(run.scaler.get_scale(), 512, 0, what + ": the scale");
      check::expect(steps == 2, what + ": after_step was called " + std::to_string(steps) +
                                    " times; it belongs after the 2 steps that were made");
    }
}

TEST_CASE("the scale changes between groups, never inside", "[train_amp]") {
  AmpSettings settings{"cpu"};
  settings.accumulate = 3;
  Run run(settings, 1), reference(settings);  // the scale grows after each group
  const Batches batches = make_batches(7);
  run.go(batches);
  expected_training(reference, batches);
  check::expect_close(run.scaler.get_scale(), 8192, 0,
                      "the scale 1024 after 3 groups with growth_interval 1: one update per group");
  check::expect_close(weights_of(run.model), weights_of(reference.model), 1e-5,
                      "the weights, with a scale that grows after each group");
}

TEST_CASE("a scaler that is not enabled changes nothing", "[train_amp]") {
  AmpSettings settings{"sim:0"};
  settings.accumulate = 2;
  settings.max_norm = 0.3;
  Run run(settings, 2000, false), reference(settings);
  const Batches batches = make_batches(5);
  const AmpResult result = run.go(batches);
  expected_training(reference, batches);
  check::expect(result.skipped == 0, "a step was counted as skipped without a scaler");
  check::expect_close(weights_of(run.model), weights_of(reference.model), 1e-5, "the weights");
}

TEST_CASE("gradients from before the call are not used", "[train_amp]") {
  AmpSettings settings{"cpu"};
  Run run(settings), reference(settings);
  for (const td::Tensor& parameter : run.model->parameters())
    parameter.mutable_grad() = td::full(parameter.sizes(), 1000.0);
  const Batches batches = make_batches(2);
  run.go(batches);
  expected_training(reference, batches);
  check::expect_close(weights_of(run.model), weights_of(reference.model), 1e-5,
                      "the weights; each gradient held 1000 when train_amp was called");
}

TEST_CASE("a parameter without a gradient is skipped", "[train_amp]") {
  AmpSettings settings{"cpu"};
  settings.max_norm = 0.3;
  Run run(settings), reference(settings);
  const td::Tensor unused = td::ones({3}).requires_grad_();
  run.optimizer.param_groups()[0].params().push_back(unused);
  const Batches batches = make_batches(2);
  run.go(batches);
  expected_training(reference, batches);
  check::expect_close(weights_of(run.model), weights_of(reference.model), 1e-5, "the weights");
  check::expect_close(check::values(unused), std::vector<double>{1, 1, 1}, 0,
                      "a parameter that the model does not use");
}

TEST_CASE("after_step follows the update of its group", "[train_amp]") {
  AmpSettings settings{"cpu"};
  settings.accumulate = 2;
  std::vector<double> scales;
  Run* running = nullptr;
  settings.after_step = [&] { scales.push_back(running->scaler.get_scale()); };
  Run run(settings, 1);
  running = &run;
  run.go(make_batches(4));
  check::expect_close(static_cast<double>(scales.size()), 2, 0, "calls of after_step for 2 groups");
  check::expect_close(scales, std::vector<double>{2048, 4096}, 0,
                      "the scale that after_step sees: a group is complete after scaler.update()");
}

TEST_CASE("no batches, no steps", "[train_amp]") {
  AmpSettings settings{"sim:0"};
  settings.accumulate = 2;
  Run run(settings);
  const std::vector<double> before = weights_of(run.model);
  const AmpResult result = run.go({});
  check::expect(result.losses.defined() && result.losses.numel() == 0,
                "without batches `losses` must be a tensor without elements");
  check::expect(result.skipped == 0, "without batches nothing is skipped");
  check::expect_close(weights_of(run.model), before, 0, "the weights");
}

TEST_CASE("an error in the middle of a group leaves no gradient", "[train_amp]") {
  for (const std::size_t bad : {1u, 2u, 3u}) {
    AmpSettings settings{"cpu"};
    settings.accumulate = 3;
    Run run(settings), reference(settings);
    Batches batches = make_batches(6);
    batches[bad].data = td::ones({4, 5});  // five features, and the model takes six
    const std::string what = "batch " + std::to_string(bad) + " is unusable";
    try {
      run.go(batches);
      check::expect(false, what + ": the exception of the forward pass did not reach the caller");
    } catch (const td::NotDoneYet&) {
      throw;
    } catch (const td::Error&) {
    }
    const std::size_t left = gradients_left(run.model);
    check::expect(left == 0, what + ": " + std::to_string(left) +
                                 " gradient elements of the unfinished group are left behind");
    // Training continues with good batches.
    if (bad == 3) expected_training(reference, {batches[0], batches[1], batches[2]});
    run.go(make_batches(2));
    expected_training(reference, make_batches(2));
    check::expect_close(weights_of(run.model), weights_of(reference.model), 1e-5,
                        what + ": the weights after a second call with good batches");
  }
}

TEST_CASE("any exception of the forward pass leaves no gradient", "[train_amp]") {
  static int calls;
  struct Failing : td::nn::Module {
    td::Tensor forward(const td::Tensor& x) {
      if (++calls == 3) throw std::out_of_range("no such word");
      return x;
    }
  };
  calls = 0;
  AmpSettings settings{"cpu"};
  settings.accumulate = 4;
  Run run(settings);
  run.model->push_back(td::nn::ModuleHolder<Failing>(std::make_shared<Failing>()));
  check::expect_throws<std::out_of_range>([&] { run.go(make_batches(4)); }, {"no such word"},
                                          "a module throws std::out_of_range in batch 2");
  const std::size_t left = gradients_left(run.model);
  check::expect(left == 0, "a module threw std::out_of_range in batch 2: " + std::to_string(left) +
                               " gradient elements of the unfinished group are left behind; "
                               "whatever is thrown, clear them");
}

TEST_CASE("the host waits once per group", "[train_amp]") {
  AmpSettings settings{"sim:0"};
  settings.accumulate = 4;
  Run run(settings);
  Batches batches = make_batches(12);
  for (td::data::Example<>& batch : batches)
    batch = {batch.data.to("sim:0"), batch.target.to("sim:0")};
  run.go(make_batches(1));  // the scaler and the optimizer make their state
  const int reads = copies_in([&] { run.go(batches); });
  check::expect(reads <= 3,
                "the host read the device " + std::to_string(reads) +
                    " times in 3 groups of 4 batches; scaler.step() needs one per group, "
                    "and a loss stays on the device");
  const int waits = check::host_waits([&] { run.go(batches); });
  check::expect(waits <= 3, "the host waited for the device " + std::to_string(waits) +
                                " times in 3 groups of 4 batches; scaler.step() waits once per "
                                "group, and nothing else may");
}
