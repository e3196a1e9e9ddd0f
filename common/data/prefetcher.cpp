// One slot of a Prefetcher. The four waits, in the order of a batch's life:
//
//   open      host waits for `copied`        host memory may be written or given back
//   open      copies wait for `consumed`     device memory may be written
//   hand_out  compute waits for `copied`     the batch is there
//   give_back compute marks `consumed`       all its readers are queued before the mark
//
// Invariant: device memory is taken from and returned to the compute stream's share of the
// allocator, and only when no copy into it is under way.
#include "data/prefetcher.h"

#include "td/autograd/modes.h"
#include "td/device/stream.h"
#include "td/ops/ops.h"

namespace td::data::detail {
namespace {

// The strides that a dense copy of `t` has.
Sizes dense_strides(const Tensor& t) { return preserved_strides(t.sizes(), t.strides()); }

// Whether the first rows of `memory` can hold `like`, and nobody else looks at them.
bool fits(const Tensor& memory, const Tensor& like) {
  if (!memory.defined() || memory.dtype() != like.dtype() || memory.dim() != like.dim())
    return false;
  if (memory.impl().storage->use_count() > 1) return false;  // the loop kept the batch
  if (!(memory.impl().strides == dense_strides(like))) return false;
  for (std::int64_t d = 0; d < like.dim(); ++d)
    if (d == 0 ? memory.size(0) < like.size(0) : memory.size(d) != like.size(d)) return false;
  return true;
}

// As many rows as `like` has. A tensor of its own in any case, because the loop may change it, also
// by recorded operations; so it is no view of the slot's memory either.
Tensor first_rows(const Tensor& memory, const Tensor& like) {
  return (like.dim() == 0 ? memory : memory.narrow(0, 0, like.size(0))).detach();
}

}  // namespace

PrefetchSlot::PrefetchSlot(Device device, const Stream& copies)
    : device_(device), copies_(copies), copied_(device.type()), consumed_(device.type()) {}

PrefetchSlot::~PrefetchSlot() {
  try {
    copied_.synchronize();
  } catch (const Error&) {  // the stream failed: its copies are over, and others report it
  }
}

// anchor: open
void PrefetchSlot::open() {
  copied_.synchronize();
  consumed_.block(copies_);
  sent_ = 0;
}
// anchor end

const Tensor& PrefetchSlot::device_memory(Place& place, const Tensor& like) {
  if (!fits(place.landed, like)) {
    place.landed = empty_like(like, TensorOptions(like.dtype()).device(device_));
    // Earlier owners of this memory may still be at work on the stream it was taken for.
    copies_.wait(getCurrentStream(device_));
  }
  return place.landed;
}

Tensor PrefetchSlot::send(const Tensor& host) {
  if (host.device() == device_) return host;
  if (!host.is_cpu()) return host.to(device_, /*non_blocking=*/true);  // by the compute stream
  const NoGradGuard no_grad;
  if (sent_ == places_.size()) places_.emplace_back();
  Place& place = places_[sent_++];
  const Tensor landed = first_rows(device_memory(place, host), host);
  Tensor source = host.detach();
  if (!host.is_pinned() || !(host.impl().strides == landed.impl().strides)) {
    if (!fits(place.staged, host))
      place.staged = empty_like(host, host.options().pinned_memory(true));
    source = first_rows(place.staged, host);
    source.copy_(host);
  }
  const StreamGuard on_copies(copies_);
  landed.copy_(source, /*non_blocking=*/true);
  return landed;
}

// anchor: marks
void PrefetchSlot::close() { copied_.record(copies_); }

void PrefetchSlot::hand_out() const { copied_.block(getCurrentStream(device_)); }

void PrefetchSlot::give_back() { consumed_.record(getCurrentStream(device_)); }
// anchor end

}  // namespace td::data::detail
