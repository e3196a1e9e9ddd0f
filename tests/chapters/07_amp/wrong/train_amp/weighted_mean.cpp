// expect: groups of batches with 4 and 1
// Weights the losses of a group by the rows of their batches.
#include <algorithm>

#include "exercises.h"

AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    const td::amp::AutocastGuard autocast(device.type(), settings.fast, settings.fast.has_value());
    const td::Tensor output = model->forward(batch.data.to(device));
    return td::nn::functional::cross_entropy(output, batch.target.to(device));
  };  // backward runs outside of the guard
  const std::size_t groups = (batches.size() + settings.accumulate - 1) / settings.accumulate;
  AmpResult result{td::zeros({static_cast<std::int64_t>(groups)}, device)};
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t first = group * settings.accumulate;
    const std::size_t end = std::min(first + settings.accumulate, batches.size());
    td::Tensor mean_loss = result.losses.select(0, static_cast<std::int64_t>(group));
    std::int64_t rows = 0;
    for (std::size_t i = first; i < end; ++i) rows += batches[i].target.size(0);
    optimizer.zero_grad();
    try {
      for (std::size_t i = first; i < end; ++i) {
        const td::Tensor loss =
            forward(batches[i]) * batches[i].target.size(0) / static_cast<double>(rows);
        scaler.scale(loss).backward();  // adds to the gradients of the group
        mean_loss.add_(loss.detach());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);  // the limit is for the true gradients
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
