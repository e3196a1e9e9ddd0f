// Copies gradients in, all-reduces them, and returns the averages to the parameters.
#include "distributed/ddp/bucket.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "td/autograd/modes.h"
#include "td/autograd/record.h"
#include "td/device/stream.h"
#include "td/ops/ops.h"

namespace td::distributed {
namespace {

// Gradients begin on cache lines, as separate tensors would.
std::int64_t padded(std::int64_t numel, ScalarType dtype) {
  const auto line = static_cast<std::int64_t>(64 / element_size(dtype));
  return (numel + line - 1) / line * line;
}

// A view of `memory` at `offset`, with the sizes and the memory layout of `parameter`.
Tensor view_like(const Tensor& parameter, const Tensor& memory, std::int64_t offset) {
  const Tensor flat = memory.narrow(0, offset, parameter.numel());
  if (!is_dense(parameter.sizes(), parameter.strides())) return flat.view(parameter.sizes());
  return memory.as_strided(parameter.sizes(), parameter.strides(),
                           memory.storage_offset() + offset);
}

// A bucket that is being filled with parameters.
struct Open {
  std::size_t limit, bytes = 0;
  std::size_t last = 0;  // index of its last parameter in the order
  std::vector<std::size_t> numbers = {};
};

}  // namespace

std::vector<std::vector<std::size_t>> assign_buckets(const TensorList& parameters,
                                                     const std::vector<std::size_t>& order,
                                                     std::size_t first_bytes, std::size_t bytes) {
  std::map<std::tuple<ScalarType, DeviceType, int>, Open> open;  // by type and device
  std::vector<Open> full;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Tensor& parameter = parameters[order[place]];
    const Device device = parameter.device();
    const auto kind = std::tuple(parameter.dtype(), device.type(), device.index());
    Open& bucket = open.try_emplace(kind, Open{first_bytes}).first->second;
    bucket.numbers.push_back(order[place]);
    bucket.last = place;
    bucket.bytes += parameter.nbytes();
    if (bucket.bytes < bucket.limit) continue;
    full.push_back(std::exchange(bucket, Open{bytes}));
  }
  for (const auto& [kind, bucket] : open)
    if (!bucket.numbers.empty()) full.push_back(bucket);
  // The last bucket of one type may be complete before the last full bucket of another type.
  std::sort(full.begin(), full.end(), [](const Open& a, const Open& b) { return a.last < b.last; });
  std::vector<std::vector<std::size_t>> buckets;
  for (Open& bucket : full) buckets.push_back(std::move(bucket.numbers));
  return buckets;
}

std::int64_t Bucket::elements(const TensorList& parameters) {
  std::int64_t sum = 0;
  for (const Tensor& p : parameters) sum += padded(p.numel(), p.dtype());
  return sum + padded(static_cast<std::int64_t>(parameters.size()), parameters[0].dtype());
}

Bucket::Bucket(std::vector<std::size_t> numbers, TensorList parameters, Tensor memory, bool as_view)
    : numbers_(std::move(numbers)),
      memory_(std::move(memory)),
      as_view_(as_view),
      state_(numbers_.size(), State::kMissing),
      missing_(numbers_.size()) {
  NoGradGuard no_grad;
  memory_.zero_();  // also the gaps between the gradients
  std::int64_t offset = 0;
  for (const Tensor& p : parameters) {
    gradients_.gradients.push_back(view_like(p, memory_, offset));
    // A separate handle, so that zero_grad() sees that nothing else holds the gradient.
    if (as_view_) meta_of(p).grad_buffer = gradients_.gradients.back().detach();
    offset += padded(p.numel(), p.dtype());
  }
  gradients_.buffer = memory_.narrow(0, 0, offset);
  flags_ = memory_.narrow(0, offset, static_cast<std::int64_t>(parameters.size()));
  gradients_.parameters = std::move(parameters);
}

Bucket::~Bucket() {
  for (const Tensor& parameter : gradients_.parameters) meta_of(parameter).grad_buffer = Tensor();
}

void Bucket::reset() {
  std::fill(state_.begin(), state_.end(), State::kMissing);
  missing_ = state_.size();
  stream_.reset();
}

void Bucket::add(std::size_t place, bool used) {
  NoGradGuard no_grad;
  AutogradMeta& meta = meta_of(gradients_.parameters[place]);
  Tensor& gradient = meta.grad;
  const Tensor& view = gradients_.gradients[place];
  if (!gradient.defined()) {
    view.zero_();
  } else if (!gradient.is_same(meta.grad_buffer)) {
    view.copy_(gradient);
    if (used && as_view_) gradient = meta.grad_buffer;
  } else if (!used) {
    gradient = gradient.clone();  // it stays unchanged if no rank has used the parameter
  }
  state_[place] = used ? State::kUsed : State::kUnused;
  --missing_;
  const Device device = memory_.device();
  if (device.is_cpu()) return;
  const Stream current = getCurrentStream(device);
  if (!stream_)
    stream_ = current;
  else if (!(*stream_ == current))
    stream_->wait(current);
}

void Bucket::add_zeros() {
  NoGradGuard no_grad;
  memory_.zero_();
  std::fill(state_.begin(), state_.end(), State::kUnused);
  missing_ = 0;
}

void Bucket::launch(ProcessGroup& group, const CommHook& hook) {
  NoGradGuard no_grad;
  optional<StreamGuard> on_stream;
  if (stream_) on_stream.emplace(*stream_);
  flags_.fill_(1);
  for (std::size_t i = 0; i < state_.size(); ++i)
    if (state_[i] == State::kUnused) flags_.narrow(0, static_cast<std::int64_t>(i), 1).zero_();
  if (hook) {
    work_ = hook(group, gradients_);
    flags_work_ = group.all_reduce(flags_, ReduceOp::AVG);
  } else {
    work_ = group.all_reduce(memory_, ReduceOp::AVG);
  }
}

void Bucket::wait() {
  NoGradGuard no_grad;
  for (auto* work : {&work_, &flags_work_})
    if (*work) std::exchange(*work, nullptr)->wait();
}

void Bucket::count_users(int ranks, std::vector<int>& users) const {
  const Tensor flags = flags_.to(kCPU).to(kDouble);
  const double* share = flags.data_ptr<double>();
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    users[numbers_[i]] = static_cast<int>(std::lround(share[i] * ranks));
}

void Bucket::give_back(std::size_t place) {
  NoGradGuard no_grad;
  AutogradMeta& meta = meta_of(gradients_.parameters[place]);
  const Tensor& view = gradients_.gradients[place];
  if (as_view_) {
    if (!meta.grad.is_same(meta.grad_buffer)) meta.grad = meta.grad_buffer;
  } else if (meta.grad.defined()) {
    meta.grad.copy_(view);
  } else {
    meta.grad = view.clone();
  }
  meta.grad_is_zero = false;
}

}  // namespace td::distributed
