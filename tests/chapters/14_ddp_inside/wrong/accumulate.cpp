#include "exercises.h"

// answer: always_syncs
// expect: to be reduced once per step
// Averages after every micro-batch: right numbers, more communication.
namespace always_syncs {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    forward();
    loss.backward();
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
}  // namespace always_syncs

// answer: guards_backward_only
// expect: to be reduced once per step
// The guard counts where forward is called.
namespace guards_backward_only {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    forward();
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      loss.backward();
    } else {
      loss.backward();
    }
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
}  // namespace guards_backward_only

// answer: keeps_the_graph
// expect: the returned loss still has a graph
// Returns a loss that keeps the graphs of all micro-batches.
namespace keeps_the_graph {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = total.defined() ? total + loss : loss;
  }
  optimizer.step();
  return total;
}
}  // namespace keeps_the_graph

// answer: last_loss
// expect: the returned losses, each the mean over all rows of this rank
// Returns the loss of the last micro-batch only.
namespace last_loss {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = loss.detach() / share;
  }
  optimizer.step();
  return total;
}
}  // namespace last_loss

// answer: micro_batches_count_alike
// expect: micro-batches of 3 1 rows
// Divides by the number of micro-batches. Right for equal ones.
namespace micro_batches_count_alike {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = 1.0 / static_cast<double>(batches.size());
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
}  // namespace micro_batches_count_alike

// answer: never_syncs
// expect: to be reduced once per step
// The last micro-batch runs under no_sync, too: the ranks diverge.
namespace never_syncs {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    const auto guard = ddp->no_sync();
    forward();
    loss.backward();
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
}  // namespace never_syncs

// answer: never_zeroes
// expect: parameter 0 after 3 steps
// The gradients of all steps add up.
namespace never_zeroes {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));

  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
}  // namespace never_zeroes

// answer: reads_the_loss
// expect: something reads a value
// Reads the loss of each micro-batch.
namespace reads_the_loss {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = td::full({}, loss.item<double>() + (total.defined() ? total.item<double>() : 0),
                     loss.options());
  }
  optimizer.step();
  return total;
}
}  // namespace reads_the_loss

// answer: steps_each_time
// expect: index
// A step of the optimizer after every micro-batch.
namespace steps_each_time {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = static_cast<double>(batches[i].data.size(0)) / rows;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = total.defined() ? total + loss.detach() : loss.detach();
    optimizer.step();
  }

  return total;
}
}  // namespace steps_each_time

// answer: sums_the_losses
// expect: parameter 0 after 3 steps
// Adds the mean losses.
namespace sums_the_losses {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double share = 1.0;
    td::Tensor loss;
    const auto forward = [&] {
      loss = loss_fn(ddp->forward(batches[i].data), batches[i].target) * share;
    };
    if (i + 1 < batches.size()) {
      const auto guard = ddp->no_sync();
      forward();
      loss.backward();
    } else {
      forward();
      loss.backward();
    }
    total = total.defined() ? total + loss.detach() : loss.detach();
  }
  optimizer.step();
  return total;
}
}  // namespace sums_the_losses

// answer: zeroes_after_the_step
// expect: with gradients of before
// Right for a model without gradients: old ones count in the first step.
namespace zeroes_after_the_step {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("accumulate_step: no micro-batches; give at least one");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  const auto backward = [&](const td::data::Example<>& batch) {
    const double share = static_cast<double>(batch.data.size(0)) / rows;
    const td::Tensor loss = loss_fn(ddp->forward(batch.data), batch.target) * share;
    loss.backward();
    return loss.detach();
  };
  td::Tensor total;
  for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
    const auto guard = ddp->no_sync();
    const td::Tensor loss = backward(batches[i]);
    total = total.defined() ? total + loss : loss;
  }
  const td::Tensor last = backward(batches.back());
  optimizer.step();
  optimizer.zero_grad();
  return total.defined() ? total + last : last;
}
}  // namespace zeroes_after_the_step

// answer: joins_them
// expect: micro-batches of 3, 1 and 2 rows: expected forward 3 backward
// Joins all micro-batches into one batch: right numbers, and the memory of the whole batch.
namespace joins_them {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("no micro-batches");
  std::vector<td::Tensor> data, target;
  for (const auto& batch : batches) {
    data.push_back(batch.data);
    target.push_back(batch.target);
  }
  optimizer.zero_grad();
  const td::Tensor loss = loss_fn(ddp->forward(td::cat(data)), td::cat(target));
  loss.backward();
  optimizer.step();
  return loss.detach();
}
}  // namespace joins_them

// answer: one_backward
// expect: got forward 3, forward 1, forward 2 backward
// Adds the losses up with their graphs, and calls backward once.
namespace one_backward {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total;
  const auto add = [&](const td::data::Example<>& batch) {
    const td::Tensor loss = loss_fn(ddp->forward(batch.data), batch.target) *
                            (static_cast<double>(batch.data.size(0)) / rows);
    total = total.defined() ? total + loss : loss;
  };
  {
    const auto guard = ddp->no_sync();
    for (std::size_t i = 0; i + 1 < batches.size(); ++i) add(batches[i]);
  }
  add(batches.back());
  total.backward();
  optimizer.step();
  return total.detach();
}
}  // namespace one_backward

// answer: one_element
// expect: the returned loss has 1 dimensions; expected none
// Joins the losses as vectors of one element.
namespace one_element {
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches) {
  if (batches.empty()) throw td::Error("no micro-batches");
  double rows = 0;
  for (const auto& batch : batches) rows += static_cast<double>(batch.data.size(0));
  optimizer.zero_grad();
  td::Tensor total = td::zeros({1}, td::device(batches[0].data.device()).dtype(td::kDouble));
  const auto add = [&](const td::data::Example<>& batch) {
    const td::Tensor loss = loss_fn(ddp->forward(batch.data), batch.target) *
                            (static_cast<double>(batch.data.size(0)) / rows);
    loss.backward();
    total += loss.detach();
  };
  for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
    const auto guard = ddp->no_sync();
    add(batches[i]);
  }
  add(batches.back());
  optimizer.step();
  return total;
}
}  // namespace one_element
