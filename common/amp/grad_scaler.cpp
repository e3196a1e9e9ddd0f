// Checks the order of calls, and lists gradients for the kernels, which are in unscale_kernels.cu.
#include "amp/grad_scaler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "amp/unscale_kernels.h"
#include "td/autograd/record.h"
#include "td/ops/op.h"
#include "td/ops/state.h"

namespace td::amp {
namespace {

// Adds the found_inf flags of several devices or optimizers up in `sum`, on `device`.
void join(Tensor& sum, const SmallVector<Tensor, 1>& found_inf, Device device) {
  for (const Tensor& found : found_inf) {
    const Tensor here = to_device(found, device);
    sum = sum.defined() ? sum.add(here) : here;
  }
}

}  // namespace

GradScaler::GradScaler(const GradScalerOptions& options) { set_options(options); }

void GradScaler::set_options(const GradScalerOptions& o) {
  TD_CHECK(Error, o.growth_factor() > 1, "GradScaler: invalid growth_factor ", o.growth_factor(),
           "; it must be above 1");
  TD_CHECK(Error, o.backoff_factor() > 0 && o.backoff_factor() < 1,
           "GradScaler: invalid backoff_factor ", o.backoff_factor(),
           "; it must be above 0 and below 1");
  TD_CHECK(Error, o.growth_interval() > 0, "GradScaler: invalid growth_interval ",
           o.growth_interval(), "; it must be 1 or more");
  options_ = o;
}

GradScaler::Progress& GradScaler::progress_of(const optim::Optimizer& optimizer) {
  for (Progress& progress : progress_)
    if (progress.optimizer == &optimizer) return progress;
  return progress_.emplace_back(Progress{&optimizer, Stage::kReady, {}});
}

void GradScaler::check_scale(const char* call) const {
  TD_CHECK(Error, scale_.defined(), "GradScaler::", call,
           ": there is no scale yet; call scale(loss).backward() earlier in the iteration");
}

Tensor GradScaler::scale(const Tensor& outputs) {
  TD_CHECK(Error, outputs.defined(), "GradScaler::scale: \"outputs\" is undefined");
  if (!is_enabled()) return outputs;
  const Device device = outputs.device();
  if (!scale_.defined()) {
    scale_ = full({}, options_.init_scale(), TensorOptions(device).dtype(kFloat));
    growth_tracker_ = full({}, init_growth_tracker_, TensorOptions(device).dtype(kInt));
  }
  return outputs * to_device(scale_, device);
}

TensorList GradScaler::scale(const TensorList& outputs) {
  TensorList scaled;
  scaled.reserve(outputs.size());
  for (const Tensor& output : outputs) scaled.push_back(scale(output));
  return scaled;
}

// One launch over gradients of one device and type.
void GradScaler::check_list(const Tensor* const* gradients, std::size_t count, Progress& progress,
                            bool divide) {
  const Device device = gradients[0]->device();
  auto& found_inf = progress.found_inf;
  const auto found = std::find_if(found_inf.begin(), found_inf.end(),
                                  [&](const Tensor& one) { return one.device() == device; });
  const Tensor& here =
      found == found_inf.end() ? found_inf.emplace_back(zeros({}, TensorOptions(device))) : *found;
  if (!divide) return kernels::unscale(gradients, count, here, nullptr);
  for (std::size_t i = 0; i < count; ++i) begin_inplace("unscale_", *gradients[i]);
  const Tensor scale = to_device(scale_, device);
  kernels::unscale(gradients, count, here, &scale);
}

// Records whether a gradient is infinite or NaN, and divides all of them by the scale on request.
void GradScaler::check_gradients(const optim::Optimizer& optimizer, Progress& progress,
                                 bool divide) {
  NoGradGuard no_grad;
  const Tensor* list[kernels::kUnscaleTensors];
  std::size_t count = 0;
  const auto run = [&] {
    if (count) check_list(list, std::exchange(count, 0), progress, divide);
  };
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups())
    for (const Tensor& param : group.params()) {
      const Tensor& gradient = param.grad();
      if (!gradient.defined()) continue;
      TD_CHECK(
          DtypeError, !divide || gradient.dtype() != kHalf,
          "GradScaler::unscale_: attempting to unscale FP16 gradients, of a parameter of size ",
          param.sizes(),
          "; dividing would lose what scaling saved. Keep the parameters float32, and let "
          "AutocastGuard choose float16 for the operations");
      const bool dense = is_dense(gradient.sizes(), gradient.strides());
      if (!dense || count == kernels::kUnscaleTensors ||
          (count &&
           (list[0]->device() != gradient.device() || list[0]->dtype() != gradient.dtype())))
        run();
      list[count++] = &gradient;
      if (dense) continue;
      const Tensor packed = gradient.contiguous();  // the kernel walks flat memory
      list[0] = &packed;
      run();
      if (divide) gradient.copy_(packed);
    }
  run();
}

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  if (!is_enabled()) return;
  check_scale("unscale_");
  Progress& progress = progress_of(optimizer);
  TD_CHECK(Error, progress.stage != Stage::kUnscaled,
           "GradScaler::unscale_: already called for this optimizer since the last update(); call "
           "it once, after the backward() that completes the gradients");
  TD_CHECK(Error, progress.stage != Stage::kStepped,
           "GradScaler::unscale_: called after step() for this optimizer; call it before step(), "
           "and update() at the end of each iteration");
  check_gradients(optimizer, progress, /*divide=*/true);
  progress.stage = Stage::kUnscaled;
}

// What step() and step_on_device() share: the checks of the call and of the gradients.
GradScaler::Progress& GradScaler::about_to_step(const char* call, const optim::Optimizer& optimizer,
                                                bool divide) {
  check_scale(call);
  Progress& progress = progress_of(optimizer);
  TD_CHECK(Error, progress.stage != Stage::kStepped, "GradScaler::", call,
           ": already called for this optimizer since the last update(); call update() at the end "
           "of each iteration, also of one whose step was skipped");
  if (progress.stage == Stage::kReady) check_gradients(optimizer, progress, divide);
  TD_CHECK(Error, !progress.found_inf.empty(), "GradScaler::", call,
           ": no inf checks were recorded for this optimizer, because none of its parameters has a "
           "gradient; call scale(loss).backward() first, with a loss that depends on them");
  return progress;
}

bool GradScaler::step(optim::Optimizer& optimizer, optim::Optimizer::LossClosure closure) {
  if (!is_enabled()) {
    optimizer.step(std::move(closure));
    return true;
  }
  TD_CHECK(
      Error, !closure,
      "GradScaler::step: a closure cannot be used while the scaler is enabled, because it would "
      "make new gradients after those that were unscaled; call scale(loss).backward() before "
      "step(optimizer)");
  Progress& progress = about_to_step("step", optimizer, /*divide=*/true);
  bool finite = true;
  for (const Tensor& found : progress.found_inf) finite &= found.item<float>() == 0;
  if (finite) optimizer.step();
  progress.stage = Stage::kStepped;
  return finite;
}

void GradScaler::step_on_device(optim::Optimizer& optimizer) {
  if (!is_enabled()) {
    optimizer.step();
    return;
  }
  Progress& progress = about_to_step("step_on_device", optimizer, /*divide=*/false);
  Tensor found_inf;
  join(found_inf, progress.found_inf, scale_.device());
  optimizer.step_if_finite(found_inf, progress.stage == Stage::kReady ? scale_ : Tensor());
  progress.stage = Stage::kStepped;
}

void GradScaler::update() {
  if (!is_enabled()) return;
  check_scale("update");
  NoGradGuard no_grad;
  Tensor found_inf;
  for (const Progress& progress : progress_) join(found_inf, progress.found_inf, scale_.device());
  TD_CHECK(Error, found_inf.defined(),
           "GradScaler::update: no inf checks were recorded since the last update(); call "
           "step(optimizer) before it");
  begin_inplace("update", scale_);
  begin_inplace("update", growth_tracker_);
  kernels::update_scale(scale_, growth_tracker_, found_inf, options_.growth_factor(),
                        options_.backoff_factor(), options_.growth_interval());
  progress_.clear();
}

void GradScaler::update(double new_scale) {
  if (!is_enabled()) return;
  check_scale("update");
  scale_.fill_(new_scale);
  progress_.clear();
}

void GradScaler::update(const Tensor& new_scale) {
  if (!is_enabled()) return;
  check_scale("update");
  TD_CHECK(Error,
           new_scale.defined() && new_scale.dtype() == kFloat && new_scale.numel() == 1 &&
               !new_scale.requires_grad(),
           "GradScaler::update: \"new_scale\" must be a number, or a float32 tensor of one element "
           "that does not require grad");
  scale_.copy_(new_scale.reshape({}));
  progress_.clear();
}

TensorList GradScaler::found_inf(const optim::Optimizer& optimizer) const {
  for (const Progress& progress : progress_)
    if (progress.optimizer == &optimizer)
      return {progress.found_inf.begin(), progress.found_inf.end()};
  return {};
}

double GradScaler::get_scale() const {
  if (!is_enabled()) return 1;
  return scale_.defined() ? scale_.item<float>() : options_.init_scale();
}

std::int64_t GradScaler::get_growth_tracker() const {
  if (!is_enabled()) return 0;
  return growth_tracker_.defined() ? growth_tracker_.item<std::int64_t>() : init_growth_tracker_;
}

StateDict GradScaler::state_dict() const {
  StateDict state("Entry");
  if (!is_enabled()) return state;
  state.insert("scale", full({}, get_scale(), kDouble));
  state.insert("growth_factor", full({}, options_.growth_factor(), kDouble));
  state.insert("backoff_factor", full({}, options_.backoff_factor(), kDouble));
  state.insert("growth_interval", number_entry(options_.growth_interval()));
  state.insert("_growth_tracker", number_entry(get_growth_tracker()));
  return state;
}

void GradScaler::load_state_dict(const StateDict& state) {
  if (!is_enabled()) return;
  TD_CHECK(Error, !state.is_empty(),
           "load_state_dict: the state is empty, as that of a GradScaler that was not enabled is; "
           "save it from an enabled one, or load it into one with enabled(false)");
  GradScalerOptions loaded = options_;
  loaded.init_scale(number_in<double>(state, "scale"));
  loaded.growth_factor(number_in<double>(state, "growth_factor"));
  loaded.backoff_factor(number_in<double>(state, "backoff_factor"));
  loaded.growth_interval(number_in(state, "growth_interval"));
  const std::int64_t tracker = number_in(state, "_growth_tracker");
  TD_CHECK(Error, tracker >= 0 && tracker <= std::numeric_limits<std::int32_t>::max(),
           "load_state_dict: \"_growth_tracker\" is ", tracker,
           " in the state; expected a number of steps, 0 or more");
  set_options(loaded);
  init_growth_tracker_ = tracker;
  if (!scale_.defined()) return;
  scale_.fill_(options_.init_scale());
  growth_tracker_.fill_(init_growth_tracker_);
}

}  // namespace td::amp
