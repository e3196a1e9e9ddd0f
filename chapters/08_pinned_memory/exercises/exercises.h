// The exercises of chapter 08: pinned memory, asynchronous copies, streams and events, and a step
// as a graph. Included by the programs, the exercises and their tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "td/device/graph.h"
#include "td/td.h"

/// Exercise 8.bandwidth, first part. Implement `gb_per_s`. It must return the bandwidth in GB/s:
/// 1 GB/s is 10^9 bytes per second, and each byte that arrives counts once.
///
/// Example: gb_per_s(1 << 30, 1.0) is 1.073741824.
double gb_per_s(std::size_t bytes, double seconds);

/// Exercise 8.bandwidth, second part. Implement `copy_seconds`. It must measure how long one copy
/// takes until its bytes have arrived.
///   * Make `runs` copies on the current stream and measure each of them alone.
///   * Make one more copy before them that is not measured: the first copy warms up.
///   * Work that was enqueued before must not be part of the time.
///
/// @param to, from have equal sizes; one is on the host, the other on an accelerator.
/// @param runs 1 or more.
/// @return the median in seconds. If `runs` is even, return one of the two in the middle, or their
/// mean.
double copy_seconds(const td::Tensor& to, const td::Tensor& from, int runs);

/// Exercise 8.pinned_buffer. A block of pinned host memory that frees itself. A device copies from
/// and to such memory without the host, so free() must first wait for the copies in flight.
///
/// Implement three members: the constructor, used_on and free. The others call them.
///
/// Example:
///     PinnedBuffer buffer(td::kSIM, 4096);
///     copy_from(buffer.data(), stream);  // returns immediately
///     buffer.used_on(stream);
///     // at the end of the scope the host waits for that copy, and then the memory is free
class PinnedBuffer {
 public:
  /// Must allocate `bytes` from td::pinned_allocator(kind).
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

  /// Must note that all work enqueued on `stream` until now may use the memory. It may be called
  /// several times, with the same or with different streams, of any device of the kind.
  void used_on(const td::Stream& stream);
  /// Must wait for the work that used_on noted, and for nothing else, and then return the memory by
  /// td::pinned_allocator(kind).release(data, bytes). Afterwards data() is null and bytes() is 0. A
  /// second call must do nothing.
  void free();

  /// The address of the memory; null if there is none.
  void* data() const { return data_; }
  /// The size that the constructor was given.
  std::size_t bytes() const { return bytes_; }

 private:
  /// Moves everything out of `other`, which has no memory afterwards. This buffer has none before.
  void take_from(PinnedBuffer& other);

  td::DeviceType kind_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<td::Event> uses_;
};

/// A copy in flight, and the event that was recorded after it.
struct PendingCopy {
  td::Tensor tensor;
  td::Event ready;
};

/// Exercise 8.async_copy, first part. Implement `copy_async`. It must start to copy `source` and
/// return immediately.
///   * The copy runs on `stream`, after the work that the current stream of that device holds: that
///     work may still be computing the values of `source`.
///   * Host memory that is not pinned is pinned first, so that the copy needs no host.
///   * The caller may drop `source` immediately. It must not write to a pinned `source` before
///     wait_for.
///
/// @param source on the host or on `stream`'s device, of any memory layout and dtype.
/// @param device `stream`'s device, or cpu. A copy on cpu is in pinned memory.
/// @param stream the stream that copies; not the current one.
/// @return the copy, which the caller does not touch before wait_for, and an event that is recorded
///     on `stream` after the copy.
PendingCopy copy_async(const td::Tensor& source, td::Device device, const td::Stream& stream);

/// Exercise 8.async_copy, second part. Implement `wait_for`. It must return the tensor for use from
/// now on.
///   * On a device, the current stream waits for the copy, and the host does not.
///   * On cpu, the host waits for the copy.
///   * Nothing waits for more than this one copy.
///   * The caller may drop the tensor while the current stream still uses it: no other tensor gets
///     its memory before that.
///
/// Example: PendingCopy next = copy_async(host, "sim:0", copies);
///          train(model, batch);               // meanwhile
///          batch = wait_for(next);
const td::Tensor& wait_for(const PendingCopy& pending);

/// Three streams of one device, each with one kind of work.
struct Streams {
  td::Stream in;       ///< Copies inputs to the device.
  td::Stream compute;  ///< Computes.
  td::Stream out;      ///< Copies results to the host.
};

/// Device memory for one chunk, and the events with which the streams wait for each other.
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

/// Exercise 8.find_race. Repair `scale_chunks`. It must compute outputs[i] = 2 * inputs[i] + 1,
/// with copies in, work and copies out at the same time. Chunk i uses chunks[i % chunks.size()].
///
/// The file in this folder compiles and runs, but its streams race. Run the check: the report names
/// two operations that have no order, and their streams. Repair that, and run the check again.
///   * A stream may wait only for the work on the chunk that it needs, not for the latest work of
///     another stream. Otherwise there is no race, and no overlap either.
///   * The host waits at the end, and nowhere else.
///
/// @param inputs, outputs in pinned memory. The caller reads the outputs when the function returns.
/// @param chunks two or more, which have not been used yet.
void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams);

/// A training step as a graph, and the tensors through which a replay gets its batch.
struct StepGraph {
  td::Tensor x, y;  ///< The batch that a replay reads.
  td::Tensor loss;  ///< The loss that a replay writes.
  td::Graph graph;
};

/// Makes one training step on a batch and returns its loss, all on the current stream.
using TrainStep = std::function<td::Tensor(const td::Tensor& x, const td::Tensor& y)>;

/// Exercise 8.capture_step, first part. Implement `capture_step`. It must capture `step` as a
/// graph.
///   * x and y of the result are copies with memory of their own, because a replay reads the
///     addresses that were captured. The graph reads them.
///   * Capture on a stream from the pool: the default stream cannot be captured. The pool stream's
///     work runs after what the current stream holds, and before later work of the current stream.
///   * Call `step` `warm_up` times on that stream, then once more in the capture. The warm-up steps
///     train the model; the capture does not run.
///   * If `step` throws, let the exception pass. The thread captures nothing afterwards, and its
///     current stream is the one from before. Later work of that stream runs after the warm-up,
///     too.
///
/// @param x, y a batch on an accelerator.
/// @return everything that a replay needs.
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up = 3);

/// Exercise 8.capture_step, second part. Implement `replay_step`. It must make one training step on
/// this batch by a replay, on the current stream. The host does not wait for the device.
///
/// @param x, y on the device, of the captured sizes. They do not change.
/// @return the loss of this step. Later replays must not change it.
///
/// Example: auto captured = capture_step(step, x, y);
///          td::Tensor loss = replay_step(*captured, next_x, next_y);
td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y);

/// The memory for one batch on the host and on a device, and two events that order its use.
struct Slot {
  /// Memory for batches of these sizes.
  Slot(const std::vector<std::int64_t>& sizes, td::Device device)
      : host(td::empty(sizes, td::TensorOptions().pinned_memory(true))),
        on_device(td::empty(sizes, device)),
        copied(device.type()),
        consumed(device.type()) {}

  td::Tensor host;       ///< Pinned.
  td::Tensor on_device;  ///< Of the same sizes.
  td::Event copied;      ///< Recorded after the last copy from `host` to `on_device`.
  td::Event consumed;    ///< Recorded after the last work that reads `on_device`.
};

/// Writes batch `index` to pinned memory, on the host.
using Load = std::function<void(std::int64_t index, const td::Tensor& host)>;
/// Enqueues the work on batch `index` on the current stream.
using Step = std::function<void(std::int64_t index, const td::Tensor& batch)>;

/// Exercise 8.prefetcher. Implement `train_prefetched`: a whole training loop that copies the next
/// batches while the device computes. It must process batches 0 to `batches` - 1 in order. Batch i
/// uses slots[i % slots.size()].
///   * Call `load` once per batch, in order. It writes to slot.host, so no copy may read it any
///   more.
///   * A copy runs on `copies`. It writes to slot.on_device, so no work may still read it.
///   * Call `step` once per batch, in order, with slot.on_device. Before step(i), the batches up to
///     i + slots.size() - 1 are loaded and their copies are enqueued, if there are so many.
///   * The current stream waits for the copy of batch i before the work of step(i). The host waits
///     for no step: it loads a slot again while the device may still work on the last batch.
///   * The slots may have been used by an earlier call, whose last steps may still run.
///   * If `load` or `step` throws, let the exception pass. The caller may then destroy the slots:
///     the host or the current stream has waited for all copies that were enqueued.
///
/// @param slots one or more.
/// @param copies the stream for all copies; not the current one.
///
/// Example: with two slots the calls are load 0, load 1, step 0, load 2, step 1, load 3, step 2 ...
void train_prefetched(std::vector<Slot>& slots, std::int64_t batches, const Load& load,
                      const Step& step, const td::Stream& copies);
