// The work before and after the forward pass of the wrapped module.
#include "distributed/ddp/ddp.h"

#include <sstream>

#include "distributed/distributed.h"
#include "td/autograd/modes.h"
#include "td/ops/ops.h"

namespace td::distributed {
DistributedDataParallelImpl::DistributedDataParallelImpl(nn::AnyModule module,
                                                         DistributedDataParallelOptions options)
    : module_(std::move(module)), options_(std::move(options)) {
  TD_CHECK(Error, !module_.is_empty(), "DistributedDataParallel: there is no module to wrap");
  register_module("module", module_.ptr());
  group_ = options_.process_group() ? options_.process_group() : default_group_ptr();
  std::vector<std::string> names;
  TensorList trained;
  for (const auto& item : module_.ptr()->named_parameters()) {
    if (!item.value().requires_grad()) {
      frozen_.push_back(item);
      continue;
    }
    names.push_back(item.key());
    trained.push_back(item.value());
    averaged_.insert(&item.value().impl());
  }
  TD_CHECK(Error, !trained.empty(),
           "DistributedDataParallel is not needed when a module doesn't have any parameter that "
           "requires a gradient; call the module itself");
  device_ = trained[0].device();
  module_buffers_ = module_.ptr()->buffers();
  check_devices();
  check_same_model(*group_, describe(), device_);
  broadcast_state(0);
  reducer_ = std::make_unique<Reducer>(std::move(names), std::move(trained), group_, options_);
}

void DistributedDataParallelImpl::check_devices() const {
  if (options_.device_ids().empty()) return;
  TD_CHECK(DeviceError, !device_.is_cpu(),
           "DistributedDataParallel: device_ids is for a module on an accelerator, but the "
           "module's parameters are on the cpu; leave device_ids out");
  TD_CHECK(DeviceError, options_.device_ids().size() == 1,
           "DistributedDataParallel: device_ids has ", options_.device_ids().size(),
           " devices, but a rank has one; start more ranks, or use nn::DataParallel");
  const Device wanted = check_device(options_.device_ids()[0]);
  for (const Tensor& p : parameters())
    TD_CHECK(DeviceError, p.device() == wanted, "DistributedDataParallel: device_ids says ", wanted,
             " but a parameter is on ", p.device(), "; call model->to(\"", wanted,
             "\") before wrapping it");
}

// Returns what must be equal on all ranks, one line for each item.
std::vector<std::string> DistributedDataParallelImpl::describe() const {
  std::vector<std::string> lines;
  const auto add = [&](const char* kind, const std::string& name, const Tensor& t) {
    std::ostringstream line;
    line << kind << " \"" << name << "\" " << t.sizes() << ' ' << t.dtype();
    if (!t.is_contiguous()) line << " strides " << t.strides();
    if (*kind == 'p' && !t.requires_grad()) line << " (frozen)";
    lines.push_back(line.str());
  };
  for (const auto& item : module_.ptr()->named_parameters())
    add("parameter", item.key(), item.value());
  for (const auto& item : module_.ptr()->named_buffers()) add("buffer", item.key(), item.value());
  std::ostringstream settings;
  settings << "options broadcast_buffers=" << options_.broadcast_buffers()
           << " bucket_cap_mb=" << options_.bucket_cap_mb()
           << " first_bucket_mb=" << options_.first_bucket_mb()
           << " find_unused_parameters=" << options_.find_unused_parameters();
  lines.push_back(settings.str());
  return lines;
}

void DistributedDataParallelImpl::broadcast_state(int root) {
  TensorList all = module_.ptr()->parameters();
  all.insert(all.end(), module_buffers_.begin(), module_buffers_.end());
  broadcast_coalesced(*group_, all, root, [](const Tensor& tensor, const Tensor& values) {
    tensor.detach().copy_(values);
  });
}

// The buffers get new memory: an earlier forward pass may have saved the old values for backward.
void DistributedDataParallelImpl::broadcast_buffers(int root) {
  broadcast_coalesced(*group_, module_buffers_, root,
                      [](const Tensor& buffer, const Tensor& values) {
                        buffer.set_data(empty_like(buffer).copy_(values));
                      });
}

Tensor DistributedDataParallelImpl::forward(const Tensor& input) { return forward<Tensor>(input); }

// Nothing averages the gradient of a parameter that was frozen when the module was wrapped, or that
// was not there yet. New ones are looked for once, because a later step makes no heap allocation.
void DistributedDataParallelImpl::check_averaged() {
  const auto check = [](const auto& item, bool averaged) {
    TD_CHECK(AutogradError, averaged || !item.value().requires_grad(),
             "DistributedDataParallel: \"", item.key(),
             "\" requires a gradient, but was frozen or not there when the module was wrapped, so "
             "its gradient would not be averaged and the ranks would diverge. Wrap the module "
             "again");
  };
  for (const auto& item : frozen_) check(item, false);
  if (std::exchange(looked_for_new_, true)) return;
  for (const auto& item : module_.ptr()->named_parameters())
    check(item, averaged_.count(&item.value().impl()) > 0);
}

void DistributedDataParallelImpl::before_forward() {
  if (GradMode::is_enabled()) check_averaged();
  const bool gradients = GradMode::is_enabled() && !reducer_->in_no_sync;
  const bool buffers = sync_buffers_ && options_.broadcast_buffers() && !module_buffers_.empty();
  sync_buffers_ = gradients;
  if (joining_)
    step_ = agree(*group_, true, gradients, buffers, device_);
  else
    step_ = {group_->size(), 0, gradients, buffers};
  take_part(step_);
}

// The collectives before a forward pass.
void DistributedDataParallelImpl::take_part(const JoinStep& step) {
  if (step.gradients) reducer_->prepare_for_forward(step.root);
  if (step.buffers) broadcast_buffers(step.root);
}

void DistributedDataParallelImpl::after_forward(const TensorList& outputs) {
  if (GradMode::is_enabled())
    reducer_->prepare_for_backward(step_.gradients, outputs, step_.active);
}

void DistributedDataParallelImpl::join(const std::function<void()>& steps,
                                       bool divide_by_initial_world_size) {
  const ScopedValue joining(joining_, true);
  const ScopedValue divisor(reducer_->divide_by_active, !divide_by_initial_world_size);
  step_ = {};
  steps();
  int root = step_.root;
  while (true) {
    const JoinStep step = agree(*group_, false, false, false, device_);
    if (step.active == 0) break;
    root = step.root;
    take_part(step);
    if (step.gradients) reducer_->shadow_backward(step.active);
  }
  broadcast_state(root);
}

void consume_prefix_in_state_dict_if_present(OrderedDict<std::string, Tensor>& state,
                                             const std::string& prefix) {
  OrderedDict<std::string, Tensor> bare("Tensor");
  for (const auto& item : state) {
    const bool has = item.key().compare(0, prefix.size(), prefix) == 0;
    bare.insert(has ? item.key().substr(prefix.size()) : item.key(), item.value());
  }
  state = std::move(bare);
}

}  // namespace td::distributed
