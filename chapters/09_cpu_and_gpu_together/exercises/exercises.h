// The exercises of chapter 09: the host and a device work at the same time, a model is split over
// two devices, and the optimizer runs on the host. Included by the programs, the exercises and
// their tests.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "async_transfer.h"
#include "td/td.h"

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

// ---- 9.preprocess

/// The upper left corner of a piece of an image.
struct Corner {
  std::int64_t top, left;
};

/// Exercise 9.preprocess. Implement `preprocess`. It must make a batch of images ready for a model:
/// the host cuts the images, and the device converts and normalizes them.
///
/// * On the host: from image i, cut the piece of `size` x `size` pixels that begins at corners[i].
/// * Copy the pieces of all images, and nothing else, to the device: as bytes (uint8), from pinned
///   memory. The host must not wait for the device. On the cpu there is nothing to copy.
/// * On the device, on its current stream: convert to float32 and compute (x / 255 - 0.5) / 0.25.
///
/// @param images uint8 of sizes [n, channels, height, width], in host memory, of any strides; n may
///     be 0. They are not changed, and the result does not share their memory.
/// @param corners one for each image. Every piece lies within its image.
/// @return float32 of sizes [n, channels, size, size] on `device`.
/// @throws td::ShapeError if there are not as many corners as images.
///
/// Example: preprocess(images, {{0, 0}, {4, 4}}, 28, "cuda") cuts two images of 32 x 32 pixels.
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device);

// ---- 9.pipeline

/// Makes batch `index` in host memory: in pinned memory if the device is not the cpu.
using Prepare = std::function<Batch(std::int64_t index)>;
/// Enqueues the work on batch `index`, which is on the device, on the current stream.
using Work = std::function<void(std::int64_t index, const Batch& batch)>;

/// Exercise 9.pipeline. Implement `run_pipeline`. It must run three stages at the same time: while
/// the device works on batch i, batch i + 1 is copied, and a thread of the host prepares batch
/// i + 2. bounded_queue.h has the queue between the two threads.
///
/// * Call `prepare` once for each batch, in order, on one background thread. This thread uses one
///   core: td::set_parallel_width(1).
/// * Copy a batch as soon as it is prepared, from the background thread, on a stream of its own.
///   Keep the batch's host memory until the copy has finished.
/// * Call `work` once for each batch, in order, on the caller's thread. What it enqueues on the
///   caller's current stream must run after the copy, and the batch's memory must stay until that
///   work has finished.
/// * At most `ahead` batches wait for their work, including the one in preparation. The host
///   enqueues the work on batch i + 2 only when the device has finished the work on batch i. So
///   memory stays bounded, whichever stage is slow. The host waits for nothing else.
/// * If `prepare` throws, work on the batches before that one, then throw the same exception. If
///   `work` throws, throw its exception.
/// * However the function ends: the thread has ended, and all work that was enqueued has finished.
///
/// @param device of the work. On the cpu nothing is copied.
/// @param ahead 1 or more.
///
/// Example: run_pipeline(100, load_and_augment, train, "cuda", 2);
void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead);

// ---- 9.split_model

/// A model in two parts, each on its own device. One device may be the cpu, and both may be the
/// same.
struct SplitModel {
  /// Moves the parts to their devices.
  SplitModel(td::nn::Sequential first_part, td::nn::Sequential second_part, td::Device first_on,
             td::Device second_on)
      : first(std::move(first_part)),
        second(std::move(second_part)),
        first_device(first_on),
        second_device(second_on),
        to_second(first_on, second_on),
        to_first(second_on, first_on) {
    first->to(first_device);
    second->to(second_device);
  }
  /// Returns the parameters of the first part, then those of the second.
  td::TensorList parameters() const {
    td::TensorList all = first->parameters();
    for (const td::Tensor& parameter : second->parameters()) all.push_back(parameter);
    return all;
  }

  td::nn::Sequential first, second;
  td::Device first_device, second_device;
  AsyncTransfer to_second, to_first;  ///< For activations, and for their gradients.
};

/// Exercise 9.split_model, first half. Implement `split_forward`. It must compute the model's
/// output for `x`, which may be on any device.
///
/// @return the output on the second device, with one graph over both parts: its backward() gives
///     all parameters their gradients.
td::Tensor split_forward(SplitModel& model, const td::Tensor& x);

/// Exercise 9.split_model, second half. Implement `split_backward`. It must add the gradients of
/// the batch's mean cross entropy to the parameters, as `cross_entropy(split_forward(model, x),
/// y).backward()` does, but in micro-batches, so that both devices have work at the same time.
///
/// * The micro-batches are batch.data.chunk(micro_batches), and the same for the classes. The last
///   one may have fewer rows, and a small batch gives fewer of them.
/// * Cut the graph between the parts. Copy the activations of a micro-batch by
///   model.to_second.send() and receive(), and their gradient by model.to_first.
/// * Launch the forward pass of every micro-batch before the first backward pass.
/// * The host must not wait for a device that computes. Where a part is on the cpu, the host waits
///   for the values that this part needs, and for nothing else. Before it waits, it has launched
///   everything that the device can do without the host's part.
///
/// @param batch inputs [n, ...] on the first device, classes [n] on the second.
/// @param micro_batches 1 or more.
/// @return the mean loss over all rows, without dimensions and without a graph, on the second
///     device.
///
/// `const td::trace::Span span("forward");` gives the work until the end of its scope this name in
/// the program's figure. The figure of the page has the names "forward" and "backward".
///
/// Example: split_backward(model, batch, 4); optimizer.step();
td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches);

// ---- 9.host_adam

/// Parameters whose gradients are copied, updated and copied back together.
struct Bucket {
  explicit Bucket(td::DeviceType type) : arrived(type) {}

  td::TensorList parameters;              ///< On the device, of any floating point type.
  td::TensorList masters;                 ///< Their float32 copies in pinned host memory.
  td::TensorList gradients;               ///< Float32, pinned: gradients are copied to them.
  std::vector<unsigned> hooks;            ///< One for each parameter.
  std::size_t missing = 0;                ///< Gradients that have not been sent in this step.
  td::Event arrived;                      ///< Recorded after the copy of the last gradient.
  std::unique_ptr<td::optim::Adam> adam;  ///< Updates the masters.
};

/// Exercise 9.host_adam. Implement the four functions of `HostAdam`, which is Adam with its state
/// and its computation on the host (ZeRO-Offload; Ren et al., 2021). Only parameters and passing
/// gradients are on the device. A training step is `loss.backward(); host_adam.step();`.
///
/// Example:
///     HostAdam adam(model->parameters(), td::optim::AdamOptions(1e-3));
///     loss.backward();  // meanwhile the gradients are copied to the host
///     adam.step();
class HostAdam {
 public:
  /// Must fill the buckets: for each parameter a master (a float32 copy in pinned memory), a pinned
  /// float32 tensor for its gradient, and a hook (register_post_accumulate_grad_hook) that calls
  /// send_gradient. Each bucket gets an Adam over its masters. split_into_buckets is given.
  ///
  /// @param parameters one or more, all on one accelerator. None has a gradient yet.
  /// @param bucket_bytes a bucket is complete when it has this many bytes.
  HostAdam(const td::TensorList& parameters, const td::optim::AdamOptions& options,
           std::size_t bucket_bytes = std::size_t{4} << 20);

  /// Must remove the hooks: the model may live longer than its optimizer.
  ~HostAdam();
  HostAdam(const HostAdam&) = delete;
  HostAdam& operator=(const HostAdam&) = delete;

  /// Must update the parameters as td::optim::Adam on the device would, bucket by bucket, in the
  /// order of the list:
  ///
  /// * Block until the gradients of this bucket have arrived, and wait for nothing else. The device
  ///   may still be busy, even with the backward pass of the next bucket.
  /// * Update the masters. A parameter without a gradient in this step stays as it is, and so does
  ///   its state.
  /// * Copy the updated masters to the parameters, on to_device_. The host does not wait for these
  ///   copies: step() returns while they run. to_device_ waits for no other stream. The parameters
  ///   keep their memory and their type. Nothing is copied for a parameter without a gradient.
  ///
  /// Afterwards the gradients of parameters and masters are undefined. What the caller enqueues
  /// next on its current stream must see the new parameters. The caller promises that nothing that
  /// is enqueued between backward() and step() reads the parameters.
  ///
  /// The program's table shows how long the updates take. For this, put
  /// `const td::trace::Span span("adam");` in a scope around each call of adam->step().
  void step();

 private:
  /// The hook of parameter `index` of a bucket: its gradient is complete. It must start the copy to
  /// the host, on to_host_, and free the gradient on the device. It must not wait.
  ///
  /// @throws td::Error if this parameter's gradient was sent already and step() has not been called
  ///     since. The message contains "step()", and the gradients that were sent stay as they are.
  ///     Free the refused gradient, too: the next backward() would add to it.
  void send_gradient(Bucket& bucket, std::size_t index);

  td::Device device_;
  td::Stream to_host_, to_device_;  ///< For gradients, and for parameters.
  std::vector<std::unique_ptr<Bucket>> buckets_;
};

/// Groups the parameters for HostAdam. The last ones come first, because the backward pass computes
/// their gradients first.
inline std::vector<td::TensorList> split_into_buckets(const td::TensorList& parameters,
                                                      std::size_t bucket_bytes) {
  std::vector<td::TensorList> buckets;
  std::size_t bytes = bucket_bytes;
  for (auto p = parameters.rbegin(); p != parameters.rend(); ++p) {
    if (bytes >= bucket_bytes) {
      buckets.emplace_back();
      bytes = 0;
    }
    buckets.back().push_back(*p);
    bytes += p->nbytes();
  }
  return buckets;
}

// ---- 9.repair_pipeline

/// Fills `batch`, which is in host memory, with the rows of file `index`.
using Read = std::function<void(std::int64_t index, const td::Tensor& batch)>;
/// Enqueues the prediction of a batch on the current stream, and returns its scores.
using Predict = std::function<td::Tensor(const td::Tensor& batch)>;

/// Exercise 9.repair_pipeline. Repair `predict_files`, in which one thread reads files and copies
/// them to a device, and the caller predicts them. The file compiles and runs, but it has four
/// faults. Its author reports:
///   - "On a slow link, some files get the scores of another file. TD_SIM_RACES=1 reports a race."
///   - "Now and then the last scores are wrong. If I print something before I read them, they are
///     right."
///   - "If a file is damaged, so that `read` throws, the program hangs."
///   - "If `predict` throws, the program hangs, but only with many files."
///
/// After the repair, the function must do what its author wanted:
///
/// * One background thread reads each file once, in order. The caller's thread calls `predict` for
///   each file, in order, under the caller's current stream.
/// * While the device predicts one batch, the next ones are read and copied. At most two batches
///   wait for their prediction, including the one that is being read.
/// * If `read` throws, predict the files before that one, then throw the same exception. If
///   `predict` throws, throw its exception. However the function ends: the thread has ended, and it
///   has read no more files than it had to.
///
/// @param sizes of every batch; its type is float32.
/// @param device of the predictions. On the cpu nothing is copied.
/// @return the scores of each file, on the cpu and complete.
std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device);
