// One loop over all batches; the losses are collected and joined at the end.
#include "exercises.h"

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
