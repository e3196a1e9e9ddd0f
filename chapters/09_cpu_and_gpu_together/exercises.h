// The exercises of chapter 09: the host and a device at work at the same time, a model in two
// places, inference, and the choice of a device. Included by main.cpp, the exercises and their
// tests.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "handover.h"
#include "td/td.h"

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

// ---- 9.pipeline

/// Makes batch `index` in host memory, page-locked where there is a link to cross.
using Prepare = std::function<Batch(std::int64_t index)>;
/// Queues the work on batch `index`, which is on the device, on the current stream.
using Work = std::function<void(std::int64_t index, const Batch& batch)>;

/// Exercise 9.pipeline. Three stages at work at the same time: while the device works on batch i,
/// batch i + 1 is on its way, and a thread of the host prepares batch i + 2. The queue between the
/// two threads, a Belt, is in belt.h.
///
/// @param prepare is called on one thread of its own, which takes one core
///     (td::set_parallel_width), once a batch and in order. The batch is copied from that thread,
///     on a stream of its own, as soon as it is made; its host memory is kept until the copy is
///     done. An exception arrives instead of the batch that it concerns: the work on the batches
///     before it is asked for first.
/// @param work is called on the caller's thread, once a batch and in order. What it queues on the
///     current stream finds the batch in place, and the batch's memory stays until that is done.
///     It may throw; that ends the pipeline.
/// @param device of the work. On the cpu nothing is copied, and two stages are left.
/// @param ahead 1 or more. This many batches, the one in preparation counted, may wait for their
///     work. And the host runs no further ahead of the device than this: it takes the next batch
///     when the work on the last but one is done. So memory is bounded, whichever stage is slow.
///
/// However it ends, the thread has ended, and everything that was queued is done.
///
/// Example: run_pipeline(100, load_and_augment, train, "cuda", 2);
void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead);

// ---- 9.split_model

/// A model in two parts, each on a device of its own. One of them may be the cpu, and both may be
/// the same.
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
  /// Of both parts, the first one's in front.
  td::TensorList parameters() const {
    td::TensorList all = first->parameters();
    for (const td::Tensor& parameter : second->parameters()) all.push_back(parameter);
    return all;
  }

  td::nn::Sequential first, second;
  td::Device first_device, second_device;
  Handover to_second, to_first;  ///< For values on their way forward, and for their gradients.
};

/// Exercise 9.split_model, first half. The model's output for `x`, which may be on any device.
///
/// @return on the second device, with one graph over both parts: its backward() gives all
///     parameters their gradients.
td::Tensor split_forward(SplitModel& model, const td::Tensor& x);

/// Exercise 9.split_model, second half. Adds the gradients of the batch's mean cross entropy to the
/// parameters, as `cross_entropy(split_forward(model, x), y).backward()` would, but in pieces, so
/// that both devices have work at the same time (GPipe; Huang et al., 2019).
///
/// The graph is cut between the parts. A piece's values go over by model.to_second.send() and
/// receive(), and their gradient comes back by model.to_first. All forward work is asked for before
/// the first backward work. The host never waits for a device that computes: where a part is on the
/// cpu, it waits for the values that this part needs, and the device has been asked for all that it
/// can do meanwhile.
///
/// @param batch inputs [n, ...] on the first device, classes [n] on the second.
/// @param micro_batches 1 or more: the pieces are batch.data.chunk(micro_batches), the last of
///     which may be smaller. There are fewer when the batch has fewer rows.
/// @return the mean loss over all rows, without dimensions and without a graph, on the second
///     device.
td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches);
