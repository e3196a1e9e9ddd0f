// Copies a loader's batches to a device while the device works on earlier ones. Who trains changes
// one line: `for (auto& batch : td::data::prefetch(*loader, device))`.
//
// Two slots take turns. Each owns the device memory of one batch and two events, and four waits
// keep everybody from touching what another still uses (prefetcher.cpp has them in order). Nothing
// else holds the memory, so no record_stream is needed.
//
// Invariant: a batch is valid on the stream that was current when the loop was given it, until the
// loop asks for the next one. Who keeps its tensors longer keeps their memory; the slot takes new.
#pragma once

#include <deque>
#include <exception>
#include <iterator>

#include "data/example.h"
#include "td/device/stream.h"
#include "td/tensor/options.h"

namespace td::data {

namespace detail {

/// The memory of one batch on its way to a device, and who may use it when.
class PrefetchSlot {
 public:
  /// @param copies the stream that copies batches.
  PrefetchSlot(Device device, const Stream& copies);
  ~PrefetchSlot();
  PrefetchSlot(const PrefetchSlot&) = delete;
  PrefetchSlot& operator=(const PrefetchSlot&) = delete;

  /// Before a batch is sent: the host waits until the last one has left host memory, and the
  /// copies to come wait until the last one was used. @throws AsyncError of the copying stream.
  void open();
  /// Queues the copy of a tensor of the batch. @return the tensor on the device, not to be read
  /// before hand_out(). `host` must stay as it is until the next open().
  Tensor send(const Tensor& host);
  /// Marks that all tensors were sent.
  void close();
  /// Work that the current stream is given from now on finds the batch in place.
  void hand_out() const;
  /// Marks the work the current stream was given so far as the last that uses the batch.
  void give_back();

 private:
  struct Place {
    Tensor landed;  // on the device
    Tensor staged;  // page-locked; only for batches that are not
  };
  const Tensor& device_memory(Place& place, const Tensor& like);

  const Device device_;
  const Stream copies_;
  std::deque<Place> places_;  // one for each tensor of a batch, in the order they are sent
  std::size_t sent_ = 0;
  Event copied_, consumed_;
};

}  // namespace detail

/// Gives a loader's batches on a device, copied ahead on a stream of its own. One loop at a time;
/// each begin() starts an epoch of the loader.
///
/// Batches may be tensors, Examples, and vectors, tuples, maps, optionals of such; what is no
/// tensor is given as it is. They are best made in page-locked memory, with
/// DataLoaderOptions::pin_memory: others are copied there first, by the thread of the loop. On the
/// cpu, and for tensors that are on the device already, there is nothing to do. An exception of the
/// loader reaches the loop in place of the batch that it concerns.
/// @tparam Loader has begin() and end(): a data loader, or a container of batches.
template <class Loader>
class Prefetcher {
 public:
  using BatchType = std::remove_cvref_t<decltype(*std::declval<Loader&>().begin())>;

  /// @param slots batches on the device at a time, the one in use included: with two, the next one
  /// is copied meanwhile. One is the plain loop.
  Prefetcher(Loader& loader, Device device, std::size_t slots = 2)
      : loader_(loader), copies_(getStreamFromPool(device)) {
    TD_CHECK(Error, slots > 0, "prefetch: slots must be at least 1; 2 copy and work at a time");
    if (device.is_cpu()) slots = 1;  // the loader's threads read ahead; more is not to be done
    for (std::size_t i = 0; i < slots; ++i) slots_.emplace_back(check_device(device), copies_);
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// A place in the loop. All places of one Prefetcher move together.
  class iterator {
   public:
    using value_type = BatchType;
    using reference = BatchType&;
    using pointer = BatchType*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;
    explicit iterator(Prefetcher* owner) : owner_(owner) {}
    /// @throws Error past the end; whatever the loader throws.
    iterator& operator++() {
      check("the iterator cannot be moved");
      owner_->advance();
      return *this;
    }
    /// @throws Error past the end.
    BatchType& operator*() const {
      check("there is no batch to read");
      return *owner_->slots_[owner_->current_].batch;
    }
    BatchType* operator->() const { return &**this; }
    /// Equal are two of one Prefetcher, and, when it has no more batches, it and end().
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.owner_ == b.owner_ || (a.at_end() && b.at_end());
    }

   private:
    bool at_end() const { return !owner_ || owner_->filled_ == 0; }
    void check(const char* problem) const {
      TD_CHECK(Error, !at_end(), "prefetch: ", problem,
               " past the end of the epoch; compare the iterator with end() first");
    }
    Prefetcher* owner_ = nullptr;
  };

  /// Starts an epoch: the first batches are on their way when it returns.
  iterator begin() {
    source_.reset();
    ended_ = false;
    filled_ = current_ = 0;
    for (Slot& slot : slots_) {
      if (slot.batch) slot.memory.give_back();  // of a loop that was left
      slot.batch.reset();
      fill(slot);
    }
    hand_out();
    return iterator(this);
  }
  iterator end() { return {}; }

  /// The loader's place as the loop sees it: behind the present batch, however many are on their
  /// way. @throws Error as the loader's own.
  auto state_dict() const {
    return filled_ == 0 ? loader_.state_dict()
                        : loader_.state_dict_behind(filled_ - 1 - failed(), /*in_epoch=*/true);
  }

 private:
  using Source = decltype(std::declval<Loader&>().begin());
  struct Slot {
    Slot(Device device, const Stream& copies) : memory(device, copies) {}
    optional<BatchType> source;  // as the loader gave it; kept until its copy is done
    detail::PrefetchSlot memory;
    optional<BatchType> batch;  // on the device
    std::exception_ptr error;   // came in place of the batch
  };

  // Asks the loader for a batch and sends it on its way.
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
      slot.memory.open();
      slot.source = **source_;
      slot.batch = slot.source;
      td::detail::each_tensor(*slot.batch, [&](Tensor& tensor) {
        if (tensor.defined()) tensor = slot.memory.send(tensor);
      });
      slot.memory.close();
    } catch (...) {
      slot.memory.close();  // some of its tensors may be on their way
      slot.error = std::current_exception();
      ended_ = true;
    }
    ++filled_;
  }
  void hand_out() {
    if (filled_ == 0) return;
    Slot& slot = slots_[current_];
    if (slot.error) {
      filled_ = 0;
      std::rethrow_exception(slot.error);
    }
    slot.memory.hand_out();
  }
  // The batch in use goes back and its slot is filled at once, so that the copy has all the time
  // that the other batches take.
  void advance() {
    Slot& used = slots_[current_];
    used.memory.give_back();
    used.batch.reset();
    --filled_;
    fill(used);
    current_ = (current_ + 1) % slots_.size();
    hand_out();
  }
  std::size_t failed() const {
    std::size_t count = 0;
    for (const Slot& slot : slots_) count += slot.error ? 1 : 0;
    return count;
  }

  Loader& loader_;
  const Stream copies_;
  std::deque<Slot> slots_;
  optional<Source> source_;  // where the loader is
  bool ended_ = true;        // it has no more
  std::size_t filled_ = 0;   // batches sent and not given back, from current_ on
  std::size_t current_ = 0;  // the slot whose batch the loop has
};

/// `for (auto& batch : prefetch(*loader, device))`. The loader must outlive the loop.
template <class Loader>
Prefetcher<Loader> prefetch(Loader& loader, Device device, std::size_t slots = 2) {
  return Prefetcher<Loader>(loader, device, slots);
}

}  // namespace td::data
