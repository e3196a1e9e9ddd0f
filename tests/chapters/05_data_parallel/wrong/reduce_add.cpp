#include "exercises.h"

// answer: adds_into_the_replica
// expect: which must not change
// On one device the gradient of replica 1 becomes the sum itself.
namespace adds_into_the_replica {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      if (sum.defined())
        sum.add_(moved);
      else
        sum = moved;
    }
  }
}
}  // namespace adds_into_the_replica

// answer: counts_the_model_twice
// expect: the model's gradient on {sim:0, sim:1}
// parameters[0] are the model's: its own gradient is there already.
namespace counts_the_model_twice {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (const auto& replica : parameters) {
      const td::Tensor gradient = replica[p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
}
}  // namespace counts_the_model_twice

// answer: floats_only
// expect: expected elements of type float64
// Adds in float32, whatever the parameter is.
namespace floats_only {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device(), td::kFloat32);
      sum = sum.defined() ? sum.to(td::kFloat32) + moved : moved.clone();
    }
  }
}
}  // namespace floats_only

// answer: last_one_wins
// expect: the model's gradient on {sim:0, sim:1}
// Copies where it should add.
namespace last_one_wins {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p)
    for (std::size_t r = 1; r < parameters.size(); ++r)
      if (parameters[r][p].grad().defined())
        parameters[0][p].mutable_grad() =
            parameters[r][p].grad().clone().to(parameters[0][p].device());
}
}  // namespace last_one_wins

// answer: mean
// expect: the model's gradient on {sim:0, sim:1}
// The loss is one mean over the whole batch already: divided twice, the steps are too small.
namespace mean {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  const auto replicas = static_cast<double>(parameters.size());
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
    if (sum.defined()) sum = sum / replicas;
  }
}
}  // namespace mean

// answer: moves_the_gradient
// expect: the gradient of parameter 0 of replica 1 appeared or disappeared
// Takes the gradients away from the replicas.
namespace moves_the_gradient {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
      parameters[r][p].mutable_grad() = td::Tensor();
    }
  }
}
}  // namespace moves_the_gradient

// answer: one_device_for_all
// expect: the gradient of parameter 1, which is on sim:1: expected on sim:1
// All sums go to the device of parameter 0. Right for a model on one device.
namespace one_device_for_all {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][0].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
}
}  // namespace one_device_for_all

// answer: only_where_all_have_one
// expect: parameter 2 of the model has no gradient, a replica has
// A layer that only some parts of the batch used is left without its gradient.
namespace only_where_all_have_one {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    bool all = true;
    for (const auto& replica : parameters) all = all && replica[p].grad().defined();
    if (!all) continue;
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r)
      sum = sum + parameters[r][p].grad().to(parameters[0][p].device());
  }
}
}  // namespace only_where_all_have_one

// answer: records_the_sum
// expect: the sum was recorded by autograd
// Right for gradients that do not require grad, which are those without create_graph.
namespace records_the_sum {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
}
}  // namespace records_the_sum

// answer: takes_the_replicas_own
// expect: the model's gradient, after the replica's was set to zero
// On one device to() copies nothing. Right on the README's example, and wherever devices differ.
namespace takes_the_replicas_own {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved;
    }
  }
}
}  // namespace takes_the_replicas_own

// answer: through_the_host
// expect: bytes were copied between devices
// Copies every gradient through the host.
namespace through_the_host {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.cpu().to(parameters[0][p].device());
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
}
}  // namespace through_the_host

// answer: zeros_for_none
// expect: no replica had a gradient for the last parameter
// Where there is no gradient it makes zeros.
namespace zeros_for_none {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      const td::Tensor zeros = td::zeros_like(parameters[0][p].detach());
      if (!sum.defined()) sum = zeros;
      if (gradient.defined()) sum = sum + gradient.to(sum.device());
    }
  }
}
}  // namespace zeros_for_none

// answer: adds_too_early
// expect: the gradient of a model on cpu and of a replica on sim:0, added
// Copies every gradient with non_blocking, also to the cpu.
namespace adds_too_early {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    td::Tensor& sum = parameters[0][p].mutable_grad();
    for (std::size_t r = 1; r < parameters.size(); ++r) {
      const td::Tensor gradient = parameters[r][p].grad();
      if (!gradient.defined()) continue;
      const td::Tensor moved = gradient.to(parameters[0][p].device(), /*non_blocking=*/true);
      sum = sum.defined() ? sum + moved : moved.clone();
    }
  }
}
}  // namespace adds_too_early

// answer: takes_the_gradients
// expect: replica 1's own gradient, which stays, is undefined afterwards
// Drops the gradients of the replicas after it has added them.
namespace takes_the_gradients {
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters) {
  const td::NoGradGuard no_grad;
  for (std::size_t p = 0; p < parameters[0].size(); ++p) {
    const td::Device device = parameters[0][p].device();
    td::Tensor sum;
    for (const auto& replica : parameters) {
      const td::Tensor gradient = replica[p].grad();
      if (!gradient.defined()) continue;
      sum = sum.defined() ? sum + gradient.to(device) : gradient.to(device).clone();
      replica[p].mutable_grad() = td::Tensor();
    }
    parameters[0][p].mutable_grad() = sum;
  }
}
}  // namespace takes_the_gradients
