// One training step of several ranks, whichever way the gradients are averaged. Included by train
// and by chapter 14's step. Invariant: all ranks make the same calls in the same order.
#pragma once

#include <functional>
#include <iostream>
#include <optional>

#include "td/td.h"

/// The part of a training step that differs: the call of the model, and the work between backward()
/// and the step() of the optimizer.
struct Strategy {
  std::function<td::Tensor(const td::Tensor& input)> forward;
  std::function<void()> after_backward;  ///< Empty: backward() has averaged the gradients.
};

/// DistributedDataParallel as a strategy: backward() averages, so nothing is left to do after it.
inline Strategy ddp_strategy(td::nn::Sequential model, double bucket_cap_mb = 25) {
  td::distributed::DistributedDataParallel ddp(
      model, td::distributed::DistributedDataParallelOptions().bucket_cap_mb(bucket_cap_mb));
  return {[ddp](const td::Tensor& input) mutable { return ddp->forward(input); }, nullptr};
}

// anchor: step
inline td::Tensor train_step(Strategy& strategy, td::optim::Optimizer& optimizer,
                             const td::data::Example<>& batch, td::Device device) {
  std::optional<td::trace::Span> phase;  // for --trace and --timeline
  phase.emplace("forward");
  optimizer.zero_grad();
  const td::Tensor output = strategy.forward(batch.data.to(device));
  const td::Tensor loss = td::nn::CrossEntropyLoss()(output, batch.target.to(device));
  phase.emplace("backward");
  loss.backward();
  if (strategy.after_backward) {
    phase.emplace("average");
    strategy.after_backward();
  }
  phase.emplace("step");
  optimizer.step();
  return loss.detach();
}
// anchor end

/// Runs one step of all ranks, and writes a drawing of that of rank 0. @return its trace.
inline td::trace::Trace draw_step(const std::function<void()>& step, const std::string& path,
                                  td::distributed::ProcessGroup& group) {
  group.barrier()->wait();
  td::trace::start();
  step();
  const td::trace::Trace trace = td::trace::stop();
  if (group.rank() == 0 && path != "-")
    td::trace::write_svg(trace, path, td::trace::PictureOptions().host(true));
  return trace;
}

/// Rank 0 prints how many ranks there are, its device, and how the data moves.
inline void introduce(const td::distributed::ProcessGroup& group, td::Device device) {
  if (group.rank() > 0) return;
  std::cout << "Using " << group.size() << (group.size() > 1 ? " ranks, rank 0" : " rank") << " on "
            << device << "; transport: " << group.transport() << '\n';
}
