#include "exercises.h"

#include <algorithm>

// answer: limit_with_the_scale
// Clips the scaled gradients to the scaled limit.
namespace limit_with_the_scale {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    const td::amp::AutocastGuard autocast(device.type(), settings.fast, settings.fast.has_value());
    const td::Tensor output = model->forward(batch.data.to(device));
    return td::nn::functional::cross_entropy(output, batch.target.to(device));
  };
  const std::size_t groups = (batches.size() + settings.accumulate - 1) / settings.accumulate;
  AmpResult result{td::zeros({static_cast<std::int64_t>(groups)}, device)};
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t first = group * settings.accumulate;
    const std::size_t end = std::min(first + settings.accumulate, batches.size());
    td::Tensor mean_loss = result.losses.select(0, static_cast<std::int64_t>(group));
    optimizer.zero_grad();
    try {
      for (std::size_t i = first; i < end; ++i) {
        const td::Tensor loss = forward(batches[i]) / static_cast<double>(end - first);
        scaler.scale(loss).backward();
        mean_loss.add_(loss.detach());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      td::nn::utils::clip_grad_norm_(model->parameters(), settings.max_norm * scaler.get_scale());
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace limit_with_the_scale

// answer: one_loop
// One loop over all batches; the losses are collected and joined at the end.
namespace one_loop {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  struct Clear {
    td::optim::Optimizer& optimizer;
    bool armed = true;
    ~Clear() {
      if (armed) optimizer.zero_grad(true);
    }
  } clear{optimizer};
  const std::size_t n = batches.size();
  AmpResult result;
  std::vector<td::Tensor> losses;
  td::Tensor sum;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t begin = i - i % settings.accumulate;
    const std::size_t count = begin + settings.accumulate <= n ? settings.accumulate : n - begin;
    if (i == begin) {
      optimizer.zero_grad(true);
      sum = td::Tensor();
    }
    td::Tensor loss;
    {
      const td::amp::AutocastGuard autocast(settings.device.type(), settings.fast,
                                            settings.fast.has_value());
      loss = td::nn::CrossEntropyLoss()(model->forward(batches[i].data.to(settings.device)),
                                        batches[i].target.to(settings.device));
    }
    scaler.scale(loss * (1.0 / static_cast<double>(count))).backward();
    sum = sum.defined() ? sum + loss.detach() : loss.detach();
    if (i + 1 < begin + count) continue;
    losses.push_back((sum / static_cast<double>(count)).view({1}));
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped)
      ++result.skipped;
    else if (settings.after_step)
      settings.after_step();
  }
  result.losses = losses.empty() ? td::empty({0}, settings.device) : td::cat(losses);
  clear.armed = false;
  return result;
}
}  // namespace one_loop
