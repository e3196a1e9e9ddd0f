#include "exercises.h"

// answer: all_to_the_first
// expect: momentum of tensor 1, whose parameter is on cpu: expected on cpu
// Right on the README's example, where all parameters are in one place.
namespace all_to_the_first {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (td::Tensor& m : momentum)
    if (m.defined()) m = m.to(parameters[0].device());
}
}  // namespace all_to_the_first

// answer: always_copies
// expect: was in place already and was copied
namespace always_copies {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (std::size_t i = 0; i < momentum.size(); ++i)
    if (momentum[i].defined())
      momentum[i] =
          momentum[i].to(parameters[i].device(), momentum[i].dtype(), false, /*copy=*/true);
}
}  // namespace always_copies

// answer: checks_afterwards
// expect: momentum of tensor 0, after the error
// Right without an error: it moves first and compares the counts then.
namespace checks_afterwards {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < std::min(momentum.size(), parameters.size()); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].to(parameters[i].device());
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
}
}  // namespace checks_afterwards

// answer: invents_zeros
// expect: did not exist yet exists
// Gives a parameter without momentum a tensor of zeros.
namespace invents_zeros {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (std::size_t i = 0; i < momentum.size(); ++i)
    momentum[i] = momentum[i].defined() ? momentum[i].to(parameters[i].device())
                                        : td::zeros_like(parameters[i]);
}
}  // namespace invents_zeros

// answer: moves_what_is_not_there
// expect: the tensor is undefined
// Moves undefined tensors, too, which have no device.
namespace moves_what_is_not_there {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < momentum.size(); ++i)
    momentum[i] = momentum[i].to(parameters[i].device());
}
}  // namespace moves_what_is_not_there

// answer: starts_at_zero
// expect: momentum of tensor 0: index 0: expected
// The memory is on the right device, but the momentum is lost.
namespace starts_at_zero {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < momentum.size(); ++i)
    if (momentum[i].defined()) momentum[i] = td::zeros_like(parameters[i]);
}
}  // namespace starts_at_zero

// answer: takes_the_dtype
// expect: float32 momentum of a float16 parameter
// `to(other)` takes the dtype of the other tensor, too.
namespace takes_the_dtype {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (std::size_t i = 0; i < momentum.size(); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].to(parameters[i]);
}
}  // namespace takes_the_dtype

// answer: takes_the_shorter
// expect: 2 momentum tensors for 3 parameters: an error was expected, none was thrown
namespace takes_the_shorter {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  for (std::size_t i = 0; i < std::min(momentum.size(), parameters.size()); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].to(parameters[i].device());
}
}  // namespace takes_the_shorter

// answer: too_many_pass
// expect: 4 momentum tensors for 3 parameters: an error was expected
// Looks only for missing momentum.
namespace too_many_pass {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() < parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " for " +
                         std::to_string(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].to(parameters[i].device());
}
}  // namespace too_many_pass

// answer: does_not_wait
// expect: momentum that a queued operation was still changing
// Passes non_blocking: towards the host, the call returns before the values have arrived.
namespace does_not_wait {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError(std::to_string(momentum.size()) + " tensors for " +
                         std::to_string(parameters.size()) + " parameters");
  for (std::size_t i = 0; i < momentum.size(); ++i)
    if (momentum[i].defined())
      momentum[i] = momentum[i].to(parameters[i].device(), /*non_blocking=*/true);
}
}  // namespace does_not_wait

// answer: makes_contiguous
// expect: momentum that is a transposed view was in place already and was copied
// Copies momentum that is in place and not contiguous.
namespace makes_contiguous {
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters) {
  if (momentum.size() != parameters.size())
    throw td::ShapeError("follow: " + std::to_string(momentum.size()) + " momentum tensors for " +
                         std::to_string(parameters.size()) + " parameters");
  for (std::size_t i = 0; i < momentum.size(); ++i)
    if (momentum[i].defined()) momentum[i] = momentum[i].contiguous().to(parameters[i].device());
}
}  // namespace makes_contiguous
