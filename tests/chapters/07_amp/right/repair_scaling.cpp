#include "exercises.h"

// answer: backward_under_the_guard
// Scales and runs backward under the guard, and sets the gradients to zero at the end.
namespace backward_under_the_guard {
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm) {
  td::Tensor loss;
  {
    const td::amp::AutocastGuard autocast(batch.data.device().type(), td::kFloat16);
    loss = td::nn::functional::cross_entropy(model->forward(batch.data), batch.target);
    optimizer.zero_grad();
    scaler.scale(loss).backward();
  }
  scaler.unscale_(optimizer);
  td::nn::utils::clip_grad_norm_(optimizer.parameters(), max_norm);
  scaler.step(optimizer);
  scaler.update();
  optimizer.zero_grad();
  return loss.detach();
}
}  // namespace backward_under_the_guard
