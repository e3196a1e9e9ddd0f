#include "exercises.h"

// answer: all_of_the_first_part_first
// expect: the device should begin while the host goes on
// Runs the first part on all micro-batches before the second part gets any.
#ifdef all_of_the_first_part_first
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
  }
  for (std::size_t i = 0; i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // all_of_the_first_part_first

// answer: asks_for_the_loss
// expect: split_backward waits for a device
// Reads each piece's loss on the host: right numbers, and the devices take turns.
#ifdef asks_for_the_loss
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;
  double sum = 0;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
    sum += losses[i].item<double>();
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  return td::full({}, sum, losses[0].detach().options());
}
#endif  // asks_for_the_loss

// answer: one_graph_a_piece
// expect: before the host waits, launch everything that the device can do: B2 number 3 should come
// before B1 number 1 All forward, then all backward, with a graph over both parts: good for two
// devices. But a host that has the first part waits in every backward, and the device waits for the
// host.
#ifdef one_graph_a_piece
td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  td::TensorList losses;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    losses.push_back(
        td::nn::functional::cross_entropy(split_forward(model, inputs[i]), targets[i]) *
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0)));
  td::Tensor sum = losses[0].detach();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    losses[i].backward();
    if (i > 0) sum = sum + losses[i].detach();
  }
  return sum;
}
#endif  // one_graph_a_piece

// answer: one_micro_batch_too_many
// expect: rows in
// Counts the micro-batches that the caller wants, not those that there are.
#ifdef one_micro_batch_too_many
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share = 1.0 / static_cast<double>(micro_batches);
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // one_micro_batch_too_many

// answer: only_the_last_piece
// expect: 3 rows in 2 micro-batches: index 0: expected
// Clears the gradients before every piece, as a loop over batches would.
#ifdef only_the_last_piece
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    model.first->zero_grad();
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // only_the_last_piece

// answer: overwrites_gradients
// expect: after two calls
// Sets the gradients instead of adding to them.
#ifdef overwrites_gradients
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  for (const td::Tensor& parameter : model.parameters()) parameter.mutable_grad() = td::Tensor();
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // overwrites_gradients

// answer: returns_a_graph
// expect: the loss has a graph
// The loss still requires grad.
#ifdef returns_a_graph
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  td::Tensor loss = losses[0];
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // returns_a_graph

// answer: sends_everything_again
// expect: copy each micro-batch once
// Sends the values of all micro-batches that came before, too.
#ifdef sends_everything_again
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
    if (i > 0) model.to_second.send(ends[i - 1]);
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // sends_everything_again

// answer: the_first_part_learns_nothing
// expect: gradient of parameter 0 on cpu and sim:0, 1 rows in 1 micro-batches: there is none
// The graph is cut, and the gradient is not handed on: the second part learns, and the loss goes
// down.
#ifdef the_first_part_learns_nothing
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share =
        static_cast<double>(inputs[i].size(0)) / static_cast<double>(batch.data.size(0));
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  for (std::size_t i = 0; i < pieces; ++i) backward_second(i);
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // the_first_part_learns_nothing

// answer: unweighted_mean
// expect: loss on cpu and sim:0, 3 rows in 2 micro-batches: index 0
// The mean of the pieces' means: right when all pieces have equally many rows.
#ifdef unweighted_mean
namespace {

/// Launches a(i) and b(i) for each micro-batch. If b runs on the host, which must wait for the
/// result of a, it launches every a first: otherwise the device runs out of work while the host
/// waits.
template <class A, class B>
void each_piece(std::size_t pieces, bool b_is_on_host, const A& a, const B& b) {
  for (std::size_t i = 0; i < pieces; ++i) {
    a(i);
    if (!b_is_on_host) b(i);
  }
  for (std::size_t i = 0; b_is_on_host && i < pieces; ++i) b(i);
}

}  // namespace

td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches) {
  const td::TensorList inputs = batch.data.chunk(micro_batches);
  const td::TensorList targets = batch.target.chunk(micro_batches);
  const std::size_t pieces = inputs.size();
  td::TensorList ends, starts, losses;  // of the first part, of the second, of both
  std::vector<PendingTensor> values, gradients;

  const auto forward_first = [&](std::size_t i) {
    const td::trace::Span span("forward");
    ends.push_back(model.first->forward(inputs[i]));
    values.push_back(model.to_second.send(ends[i]));
  };
  const auto forward_second = [&](std::size_t i) {
    const td::Tensor middle = receive(values[i]);
    const td::trace::Span span("forward");
    starts.push_back(middle.detach().requires_grad_());
    const double share = 1.0 / static_cast<double>(pieces);
    const td::Tensor output = model.second->forward(starts[i]);
    losses.push_back(td::nn::functional::cross_entropy(output, targets[i]) * share);
  };
  const auto backward_second = [&](std::size_t i) {
    const td::trace::Span span("backward");
    losses[i].backward();
    gradients.push_back(model.to_first.send(starts[i].grad()));
  };
  const auto backward_first = [&](std::size_t i) {
    const td::Tensor gradient = receive(gradients[i]);
    const td::trace::Span span("backward");
    ends[i].backward(gradient);
  };
  each_piece(pieces, model.second_device.is_cpu(), forward_first, forward_second);
  each_piece(pieces, model.first_device.is_cpu(), backward_second, backward_first);
  td::Tensor loss = losses[0].detach();
  for (std::size_t i = 1; i < pieces; ++i) loss = loss + losses[i].detach();
  return loss;
}
#endif  // unweighted_mean

// answer: one_piece
// expect: for 3 micro-batches, F2 should come 3 times
// Ignores the number of micro-batches. All values are right, and the devices take turns.
#ifdef one_piece
td::Tensor split_forward(SplitModel& model, const td::Tensor& x) {
  const td::Tensor middle = model.first->forward(x.to(model.first_device));
  return model.second->forward(middle.to(model.second_device));
}

td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t) {
  const td::Tensor output = split_forward(model, batch.data);
  const td::Tensor loss = td::nn::functional::cross_entropy(output, batch.target);
  loss.backward();
  return loss.detach();
}
#endif  // one_piece
