// The exercises of chapter 08: page-locked memory, copies that go on while others work, and the
// waits between them. Included by main.cpp, the exercises and their tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "td/td.h"

/// Exercise 8.pinned_buffer. A block of page-locked host memory that frees itself. A device copies
/// from and to such memory without the host's help, so who frees it must know which copies are
/// still under way.
///
/// Four members are yours: the constructor, used_on, free and take_from. The rest is made of them.
///
/// Example:
///     PinnedBuffer buffer(td::kSIM, 4096);
///     copy_from(buffer.data(), stream);  // returns at once
///     buffer.used_on(stream);
///     // at the end of the scope the host waits for that copy, and then the memory is free
class PinnedBuffer {
 public:
  /// Takes `bytes` from td::pinned_allocator(kind).
  PinnedBuffer(td::DeviceType kind, std::size_t bytes);
  ~PinnedBuffer() {
    try {
      free();
    } catch (const std::exception&) {  // a destructor must not throw
    }
  }
  PinnedBuffer(PinnedBuffer&& other) : kind_(other.kind_) { take_from(other); }
  PinnedBuffer& operator=(PinnedBuffer&& other) {
    if (this == &other) return *this;
    free();
    take_from(other);
    return *this;
  }

  /// Marks that work queued on `stream` so far uses the memory. May be called for several streams.
  void used_on(const td::Stream& stream);
  /// Waits for the work that used_on marked, and for nothing else; then gives the memory back with
  /// td::pinned_allocator(kind).release(data, bytes). Afterwards data() is null, bytes() is 0, and
  /// calling it again does nothing.
  void free();

  /// Where the memory begins; null when there is none.
  void* data() const { return data_; }
  /// How much was asked for.
  std::size_t bytes() const { return bytes_; }

 private:
  /// Takes over everything `other` has and leaves it without memory. This buffer has none before.
  void take_from(PinnedBuffer& other);

  td::DeviceType kind_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<td::Event> uses_;
};

/// A tensor that is on its way, and the event behind its copy.
struct Arrival {
  td::Tensor tensor;
  td::Event ready;
};

/// Exercise 8.async_copy, first half. Starts to copy `source` and returns at once.
///
/// @param source on the host or on `stream`'s device, of any layout. Its values come from the
///     current stream, which may still be at work on them. Host memory that is not page-locked is
///     pinned first.
/// @param device `stream`'s device, or cpu: then the copy lies in page-locked memory.
/// @param stream the stream that copies; not the current one.
/// @return the copy, not to be touched before wait_for, and the event behind it. The caller may
///     drop `source` at once, but must not write to a page-locked one before wait_for.
Arrival copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream);

/// Exercise 8.async_copy, second half. The tensor for use from now on: on a device by work of the
/// current stream, which waits in the host's place; on cpu by the host, which waits. Nobody waits
/// for more than this one copy, and the tensor's memory stays its own until the current stream has
/// done what it is given.
///
/// Example: Arrival next = copy_async(host, "sim:0", copies);
///          train(model, batch);               // meanwhile
///          batch = wait_for(next);
const td::Tensor& wait_for(const Arrival& arrival);

/// The memory of one batch on its way to a device, and two events that say who may use it.
struct Slot {
  /// Memory for batches of these sizes.
  Slot(const std::vector<std::int64_t>& sizes, td::Device device)
      : host(td::empty(sizes, td::TensorOptions().pinned_memory(true))),
        on_device(td::empty(sizes, device)),
        copied(device.type()),
        consumed(device.type()) {}

  td::Tensor host;       ///< Page-locked.
  td::Tensor on_device;  ///< Of the same sizes.
  td::Event copied;      ///< Behind the last copy from `host` to `on_device`.
  td::Event consumed;    ///< Behind the last work that read `on_device`.
};

/// Writes batch `index` to page-locked memory, on the host.
using Load = std::function<void(std::int64_t index, const td::Tensor& host)>;
/// Queues the work on batch `index` on the current stream.
using Step = std::function<void(std::int64_t index, const td::Tensor& batch)>;

/// Exercise 8.prefetcher. Works on batches 0 to `batches` - 1 in order, and copies the next ones
/// meanwhile. Batch i has slots[i % slots.size()].
///
/// @param slots one or more. When step(i) is called, batches up to i + slots.size() - 1 were
///     loaded, and their copies queued.
/// @param load is called once a batch, in order, and writes where no copy reads any more.
/// @param step is called once a batch, in order, with the slot's tensor on the device. The host
///     waits for no step: a slot is loaded again while the work on its last batch may still run.
/// @param copies the stream for all copies. A copy writes only where no work reads any more.
///
/// Example: with two slots the calls are load 0, load 1, step 0, load 2, step 1, load 3, step 2 ...
void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies);

/// Exercise 8.bandwidth, the unit. Bandwidth as data sheets and everybody else count it: 1 GB/s is
/// 10^9 bytes a second, and each byte that arrives counts once.
///
/// Example: gb_per_s(1 << 30, 1.0) is 1.073741824.
double gb_per_s(std::size_t bytes, double seconds);

/// Exercise 8.bandwidth, the clock. How long one copy takes until it is done.
///
/// @param to, from are of equal sizes; one is on the host, the other on an accelerator.
/// @param runs 1 or more. One more copy is made before them and not counted: the first one finds
///     nothing ready. What the device was busy with before is not part of the measure.
/// @return the median in seconds; of an even number either of the middle ones.
double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs);

/// Three streams of one device, each with one kind of work.
struct Lanes {
  td::Stream in;       ///< Copies inputs to the device,
  td::Stream compute;  ///< computes,
  td::Stream out;      ///< and copies results to the host.
};

/// Device memory for one chunk, and the events between the lanes.
struct Chunk {
  /// Memory for chunks of these sizes.
  Chunk(const std::vector<std::int64_t>& sizes, td::Device device)
      : x(td::empty(sizes, device)),
        y(td::empty(sizes, device)),
        x_arrived(device.type()),
        x_used(device.type()),
        y_computed(device.type()),
        y_fetched(device.type()) {}

  td::Tensor x, y;
  td::Event x_arrived, x_used, y_computed, y_fetched;
};

/// Exercise 8.find_race. outputs[i] = 2 * inputs[i] + 1, with copies in, work and copies out at the
/// same time. Chunk i has chunks[i % chunks.size()]. The program is all there but for the waits:
/// each lane runs as if it were alone. The race finder says which wait is missing. Add it, and no
/// more than it: a lane that waits for another lane's *latest* work, or a host that waits in the
/// loop, has no race and no overlap either.
///
/// @param inputs, outputs in page-locked memory. The outputs may be read when the function returns.
/// @param chunks two or more, which have not been used yet.
void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Lanes& lanes);
