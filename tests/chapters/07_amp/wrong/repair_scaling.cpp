#include "exercises.h"

// answer: clips_scaled_gradients
// expect: all weights after step 0, max_norm 0.05
// The norm of the scaled gradients is limited, so the true ones are smaller by the scale.
namespace clips_scaled_gradients {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  optimizer.zero_grad();
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  scaler.scale(loss).backward();
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  scaler.unscale_(optimizer);
  scaler.step(optimizer);
  scaler.update();
  return loss.detach();
}
}  // namespace clips_scaled_gradients

// answer: divides_the_limit
// expect: all weights after step 0, max_norm 0.05
// Multiplies the limit instead, after unscale_: the limit no longer holds.
namespace divides_the_limit {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  optimizer.zero_grad();
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm * scaler.get_scale());
  scaler.step(optimizer);
  scaler.update();
  return loss.detach();
}
}  // namespace divides_the_limit

// answer: drops_the_scaled_loss
// expect: all weights after step 0
// The gradients are divided by a scale that they never had.
namespace drops_the_scaled_loss {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  optimizer.zero_grad();
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  scaler.scale(loss);
  loss.backward();
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  scaler.step(optimizer);
  scaler.update();
  return loss.detach();
}
}  // namespace drops_the_scaled_loss

// answer: no_update
// expect: unscale_
// The scale never changes, and the second step cannot unscale.
namespace no_update {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  optimizer.zero_grad();
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  scaler.step(optimizer);
  return loss.detach();
}
}  // namespace no_update

// answer: skips_by_the_loss
// expect: the scale after an overflow
// Leaves before the scaler has seen the overflow.
namespace skips_by_the_loss {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  optimizer.zero_grad();
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  if (!loss.isfinite().item<bool>()) return loss.detach();
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  scaler.step(optimizer);
  scaler.update();
  return loss.detach();
}
}  // namespace skips_by_the_loss

// answer: steps_without_the_scaler
// expect: all weights after a step whose gradients are not finite
// The optimizer steps, whatever the gradients are.
namespace steps_without_the_scaler {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  optimizer.zero_grad();
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  optimizer.step();
  scaler.update();
  return loss.detach();
}
}  // namespace steps_without_the_scaler

// answer: updates_first
// expect: GradScaler::unscale_: called after step()
// The scaler changes the scale before the step has been taken or skipped.
namespace updates_first {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  optimizer.zero_grad();
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  scaler.update();
  scaler.step(optimizer);
  return loss.detach();
}
}  // namespace updates_first

// answer: clears_at_the_end
// expect: all weights after a step of a model that had gradients before
// Adds the first step's gradients to those that the model has already.
namespace clears_at_the_end {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
  }
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  scaler.step(optimizer);
  scaler.update();
  optimizer.zero_grad();
  return loss.detach();
}
}  // namespace clears_at_the_end
