// Copies a loader's batches to a device while the device computes with earlier ones. A training
// loop changes one line: `for (auto& batch : td::data::prefetch(*loader, device))`.
//
// Two slots alternate. Each owns the device memory of one batch and two events; four waits order
// all accesses (prefetcher.cpp lists them). Nothing else holds the memory, so no record_stream is
// needed.
//
// Invariant: a batch is valid on the stream that was current when the loop received it, until the
// loop requests the next one. A loop that keeps its tensors keeps their memory; the slot allocates
// again.
#pragma once

#include <deque>
#include <exception>

#include "data/loader.h"
#include "td/device/stream.h"

namespace td::data {

namespace detail {

/// The memory of one batch, and the events that order its copies and its use.
class PrefetchSlot {
 public:
  /// @param copies the stream that copies batches.
  PrefetchSlot(Device device, const Stream& copies);
  ~PrefetchSlot();
  PrefetchSlot(const PrefetchSlot&) = delete;
  PrefetchSlot& operator=(const PrefetchSlot&) = delete;

  /// Call before a batch is sent. Blocks until the previous batch was copied from host memory, and
  /// lets the copy stream wait until it was consumed. @throws AsyncError of the copy stream.
  void begin_refill();
  /// Enqueues the copy of a tensor of the batch. @return the tensor on the device, not to be read
  /// before wait_copied(). `host` must not change until the next begin_refill().
  Tensor send(const Tensor& host);
  /// Records `copied` after the copies of all tensors.
  void record_copied();
  /// Lets the current stream wait for the copies.
  void wait_copied() const;
  /// Records `consumed` after the last operation of the current stream that uses the batch.
  void record_consumed();

 private:
  struct TensorSlot {
    Tensor device;
    Tensor staging;  // pinned; only for batches that are not
  };
  const Tensor& device_memory(TensorSlot& slot, const Tensor& like);

  const Device device_;
  const Stream copies_;
  std::deque<TensorSlot> slots_;  // one per tensor of a batch, in the order they are sent
  std::size_t sent_ = 0;
  Event copied_, consumed_;
};

}  // namespace detail

/// Returns a loader's batches on a device, copied ahead on a separate stream. One loop at a time;
/// each begin() starts an epoch of the loader.
///
/// Batches may be tensors, Examples, and vectors, tuples, maps, optionals of such; other values are
/// passed through. Use pinned memory (DataLoaderOptions::pin_memory): other batches are copied
/// there first, by the thread of the loop. On the cpu, and for tensors that are on the device
/// already, nothing is copied. An exception of the loader is thrown in the loop instead of its
/// batch.
/// @tparam Loader has begin() and end(): a data loader, or a container of batches.
template <class Loader>
class Prefetcher {
 public:
  using BatchType = std::remove_cvref_t<decltype(*std::declval<Loader&>().begin())>;
  using iterator = Iterator<BatchType, true>;

  /// @param slots batches on the device at a time, including the one in use: with two, the next
  /// batch is copied while the device computes. One is the plain loop.
  Prefetcher(Loader& loader, Device device, std::size_t slots = 2)
      : loader_(loader), copies_(getStreamFromPool(device)) {
    TD_CHECK(Error, slots > 0, "prefetch: slots must be at least 1; 2 copy and work at a time");
    if (device.is_cpu()) slots = 1;  // the loader's threads read ahead, and nothing is copied
    for (std::size_t i = 0; i < slots; ++i) slots_.emplace_back(check_device(device), copies_);
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Starts an epoch: the copies of the first batches are in flight when it returns.
  iterator begin() {
    if (std::exchange(in_loop_, false)) slots_[current_].memory.record_consumed();  // abandoned
    source_.reset();
    ended_ = false;
    filled_ = current_ = 0;
    for (Slot& slot : slots_) {
      slot.batch.reset();
      fill(slot);
    }
    return iterator([this] { return next(); });
  }
  iterator end() { return {}; }

  /// Returns the loader's position as the loop sees it: after the current batch, without those in
  /// flight. @throws Error as the loader's own.
  auto state_dict() const {
    if (filled_ == 0) return loader_.state_dict();
    const auto failed = std::count_if(slots_.begin(), slots_.end(),
                                      [](const Slot& slot) { return slot.error != nullptr; });
    return loader_.state_dict_behind(filled_ - 1 - static_cast<std::size_t>(failed),
                                     /*in_epoch=*/true);
  }

 private:
  using Source = decltype(std::declval<Loader&>().begin());
  struct Slot {
    Slot(Device device, const Stream& copies) : memory(device, copies) {}
    optional<BatchType> source;  // from the loader; alive until its copy is done
    detail::PrefetchSlot memory;
    optional<BatchType> batch;  // on the device; the loop takes it
    std::exception_ptr error;   // thrown instead of the batch
  };

  // Takes a batch from the loader and enqueues its copies.
  void fill(Slot& slot) {
    slot.error = nullptr;
    if (ended_) return;
    try {
      if (source_)
        ++*source_;
      else
        source_.emplace(loader_.begin());
      ended_ = *source_ == loader_.end();
      if (ended_) return;
      slot.memory.begin_refill();
      slot.source = **source_;
      slot.batch = slot.source;
      td::detail::each_tensor(*slot.batch, [&](Tensor& tensor) {
        if (tensor.defined()) tensor = slot.memory.send(tensor);
      });
      slot.memory.record_copied();
    } catch (...) {
      slot.memory.record_copied();  // some of its copies may be in flight
      slot.error = std::current_exception();
      ended_ = true;
    }
    ++filled_;
  }
  // Refills the slot of the consumed batch immediately, so that its copy overlaps with the work on
  // all other batches.
  optional<BatchType> next() {
    if (std::exchange(in_loop_, false)) {
      Slot& used = slots_[current_];
      used.memory.record_consumed();
      --filled_;
      fill(used);
      current_ = (current_ + 1) % slots_.size();
    }
    if (filled_ == 0) return nullopt;
    Slot& slot = slots_[current_];
    if (slot.error) {
      filled_ = 0;
      std::rethrow_exception(slot.error);
    }
    slot.memory.wait_copied();
    in_loop_ = true;
    return std::exchange(slot.batch, nullopt);
  }

  Loader& loader_;
  const Stream copies_;
  std::deque<Slot> slots_;
  optional<Source> source_;  // where the loader is
  bool ended_ = true;        // it has no more
  std::size_t filled_ = 0;   // batches sent and not consumed, starting at current_
  std::size_t current_ = 0;  // the slot whose batch the loop has or gets next
  bool in_loop_ = false;     // the loop has it
};

/// `for (auto& batch : prefetch(*loader, device))`. The loader must outlive the loop.
template <class Loader>
Prefetcher<Loader> prefetch(Loader& loader, Device device, std::size_t slots = 2) {
  return Prefetcher<Loader>(loader, device, slots);
}

}  // namespace td::data
