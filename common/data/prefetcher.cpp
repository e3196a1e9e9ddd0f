// One slot of a Prefetcher. The four waits, in the order of a batch's lifetime:
//
//   begin_refill     host blocks until `copied`         host memory may be written or released
//   begin_refill     copy stream waits for `consumed`   device memory may be written
//   wait_copied      compute stream waits for `copied`  the batch is complete
//   record_consumed  compute stream records `consumed`  after all operations that read it
//
// Invariant: device memory is allocated and released on the compute stream, and only when no copy
// into it is in flight.
#include "data/prefetcher.h"

#include "td/autograd/modes.h"
#include "td/device/stream.h"
#include "td/ops/ops.h"

namespace td::data::detail {
namespace {

// The strides that a dense copy of `t` has.
Sizes dense_strides(const Tensor& t) { return preserved_strides(t.sizes(), t.strides()); }

// Whether the first rows of `memory` can hold `like`, and no other tensor shares them.
bool fits(const Tensor& memory, const Tensor& like) {
  if (!memory.defined() || memory.dtype() != like.dtype() || memory.dim() != like.dim())
    return false;
  if (memory.impl().storage->use_count() > 1) return false;  // the loop kept the batch
  if (!(memory.impl().strides == dense_strides(like))) return false;
  for (std::int64_t d = 0; d < like.dim(); ++d)
    if (d == 0 ? memory.size(0) < like.size(0) : memory.size(d) != like.size(d)) return false;
  return true;
}

// Returns as many rows as `like` has, as a separate tensor and not as a view, because the loop may
// modify it in place, also with gradient tracking.
Tensor first_rows(const Tensor& memory, const Tensor& like) {
  return (like.dim() == 0 ? memory : memory.narrow(0, 0, like.size(0))).detach();
}

}  // namespace

PrefetchSlot::PrefetchSlot(Device device, const Stream& copies)
    : device_(device), copies_(copies), copied_(device.type()), consumed_(device.type()) {}

PrefetchSlot::~PrefetchSlot() {
  try {
    copied_.synchronize();
  } catch (const Error&) {  // the stream failed: its copies are over, and its next synchronization
                            // reports it
  }
}

// anchor: begin_refill
void PrefetchSlot::begin_refill() {
  copied_.synchronize();
  consumed_.block(copies_);
  sent_ = 0;
}
// anchor end

const Tensor& PrefetchSlot::device_memory(TensorSlot& slot, const Tensor& like) {
  if (!fits(slot.device, like)) {
    slot.device = empty_like(like, TensorOptions(like.dtype()).device(device_));
    // Earlier users of this block may still be in flight on the stream that allocated it.
    copies_.wait(getCurrentStream(device_));
  }
  return slot.device;
}

Tensor PrefetchSlot::send(const Tensor& host) {
  if (host.device() == device_) return host;
  if (!host.is_cpu()) return host.to(device_, /*non_blocking=*/true);  // by the compute stream
  const NoGradGuard no_grad;
  if (sent_ == slots_.size()) slots_.emplace_back();
  TensorSlot& slot = slots_[sent_++];
  const Tensor landed = first_rows(device_memory(slot, host), host);
  Tensor source = host.detach();
  if (!host.is_pinned() || !(host.impl().strides == landed.impl().strides)) {
    if (!fits(slot.staging, host))
      slot.staging = empty_like(host, host.options().pinned_memory(true));
    source = first_rows(slot.staging, host);
    source.copy_(host);
  }
  const StreamGuard on_copies(copies_);
  landed.copy_(source, /*non_blocking=*/true);
  return landed;
}

// anchor: events
void PrefetchSlot::record_copied() { copied_.record(copies_); }

void PrefetchSlot::wait_copied() const { copied_.block(getCurrentStream(device_)); }

void PrefetchSlot::record_consumed() { consumed_.record(getCurrentStream(device_)); }
// anchor end

}  // namespace td::data::detail
