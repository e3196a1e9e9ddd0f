#include "exercises.h"

#include <algorithm>

// answer: after_step_too_early
// expect: a group is complete after scaler.update()
// Calls after_step before the scale is updated.
namespace after_step_too_early {
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
    scaler.update();
  }
  return result;
}
}  // namespace after_step_too_early

// answer: always_float16
// expect: and autocast casts to float16
// Casts to float16, whichever type is given.
namespace always_float16 {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    const td::amp::AutocastGuard autocast(device.type(), td::kFloat16, settings.fast.has_value());
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace always_float16

// answer: autocast_by_default
// expect: float32
// Casts also when no type is given.
namespace autocast_by_default {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    const td::amp::AutocastGuard autocast(device.type(), settings.fast);
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace autocast_by_default

// answer: autocast_for_gpus_only
// expect: the forward pass ran without autocast
// Names the kind of device instead of taking it from the settings.
namespace autocast_for_gpus_only {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    const td::amp::AutocastGuard autocast(td::kSIM, settings.fast, settings.fast.has_value());
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace autocast_for_gpus_only

// answer: clears_after_the_step
// expect: each gradient held 1000
// Clears the gradients after the step only.
namespace clears_after_the_step {
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    optimizer.zero_grad();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace clears_after_the_step

// answer: clips_every_batch
// expect: all weights after the training
// Limits the gradient of every batch instead of that of the group.
namespace clips_every_batch {
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
        if (settings.max_norm > 0)
          td::nn::utils::clip_grad_norm_(optimizer.parameters(),
                                         settings.max_norm * scaler.get_scale());
        mean_loss.add_(loss.detach());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace clips_every_batch

// answer: clips_the_scaled_norm
// expect: all weights after the training
// Clips before the scale is divided out.
namespace clips_the_scaled_norm {
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
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace clips_the_scaled_norm

// answer: divides_the_last_group_wrongly
// expect: the mean losses of all groups
// Divides by `accumulate`, also in a last group that is smaller.
namespace divides_the_last_group_wrongly {
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
        const td::Tensor loss = forward(batches[i]) / static_cast<double>(settings.accumulate);
        scaler.scale(loss).backward();
        mean_loss.add_(loss.detach());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace divides_the_last_group_wrongly

// answer: drops_the_last_group
// expect: one per group
// A last group that is not complete is dropped.
namespace drops_the_last_group {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    const td::amp::AutocastGuard autocast(device.type(), settings.fast, settings.fast.has_value());
    const td::Tensor output = model->forward(batch.data.to(device));
    return td::nn::functional::cross_entropy(output, batch.target.to(device));
  };
  const std::size_t groups = batches.size() / settings.accumulate;
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace drops_the_last_group

// answer: keeps_the_graphs
// expect: `losses` must not require grad
// Returns losses that still hold their graphs.
namespace keeps_the_graphs {
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
  td::Tensor sum = td::zeros({}, device);
  AmpResult result{td::zeros({static_cast<std::int64_t>(groups)}, device)};
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t first = group * settings.accumulate;
    const std::size_t end = std::min(first + settings.accumulate, batches.size());
    optimizer.zero_grad();
    try {
      for (std::size_t i = first; i < end; ++i) {
        const td::Tensor loss = forward(batches[i]) / static_cast<double>(end - first);
        scaler.scale(loss).backward();
        sum = sum + loss;
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  if (groups > 0) result.losses = result.losses + sum;
  return result;
}
}  // namespace keeps_the_graphs

// answer: leaves_gradients_behind
// expect: gradient elements of the unfinished group are left behind
// Lets an exception pass, and leaves half a group in the gradients.
namespace leaves_gradients_behind {
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
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace leaves_gradients_behind

// answer: loss_outside_of_autocast
// expect: the loss in float16 training
// The guard ends before the loss.
namespace loss_outside_of_autocast {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    td::Tensor output;
    {
      const td::amp::AutocastGuard autocast(device.type(), settings.fast,
                                            settings.fast.has_value());
      output = model->forward(batch.data.to(device));
    }
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace loss_outside_of_autocast

// answer: mean_reported_sum_trained
// expect: all weights after the training
// Reports the mean, and trains with the sum.
namespace mean_reported_sum_trained {
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
        const td::Tensor loss = forward(batches[i]);
        scaler.scale(loss).backward();
        mean_loss.add_(loss.detach() / static_cast<double>(end - first));
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace mean_reported_sum_trained

// answer: one_group_too_many
// expect: `losses`
// Rounds the number of groups up by one too many.
namespace one_group_too_many {
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings) {
  const td::Device device = settings.device;
  const auto forward = [&](const td::data::Example<>& batch) {
    const td::amp::AutocastGuard autocast(device.type(), settings.fast, settings.fast.has_value());
    const td::Tensor output = model->forward(batch.data.to(device));
    return td::nn::functional::cross_entropy(output, batch.target.to(device));
  };
  const std::size_t groups = (batches.size() + settings.accumulate) / settings.accumulate;
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace one_group_too_many

// answer: reads_every_loss
// expect: a loss stays on the device
// Calls item() on every loss.
namespace reads_every_loss {
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
        mean_loss.add_(loss.item<double>());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace reads_every_loss

// answer: reads_the_loss_of_a_group
// expect: a loss stays on the device
// Reads the mean loss once per group.
namespace reads_the_loss_of_a_group {
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    mean_loss.fill_(mean_loss.item<double>());
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace reads_the_loss_of_a_group

// answer: scheduler_counts_skipped_steps
// expect: it belongs after the 2 steps that were made
// Calls after_step after a skipped step, too.
namespace scheduler_counts_skipped_steps {
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace scheduler_counts_skipped_steps

// answer: steps_anyway
// expect: an overflow in batch 2
// Steps the optimizer itself, so that no step is ever skipped.
namespace steps_anyway {
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    if (settings.max_norm <= 0) scaler.unscale_(optimizer);
    optimizer.step();
    const bool stepped = true;
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace steps_anyway

// answer: steps_with_half_a_group
// expect: gradient elements of the unfinished group are left behind
// Makes the step of the batches before the bad one, and keeps their gradients.
namespace steps_with_half_a_group {
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
      scaler.step(optimizer);
      scaler.update();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace steps_with_half_a_group

// answer: sum_of_the_losses
// expect: the mean loss of group 0
// Forgets to divide by the number of batches.
namespace sum_of_the_losses {
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
        const td::Tensor loss = forward(batches[i]);
        scaler.scale(loss).backward();
        mean_loss.add_(loss.detach());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace sum_of_the_losses

// answer: swallows_the_error
// expect: the exception of the forward pass did not reach the caller
// Skips a bad batch without an error.
namespace swallows_the_error {
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
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace swallows_the_error

// answer: updates_after_good_steps_only
// expect: call update() at the end of each iteration
// Does not update the scale after a skipped step.
namespace updates_after_good_steps_only {
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
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    if (stepped) scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace updates_after_good_steps_only

// answer: updates_in_every_batch
// expect: one update per group
// Steps once per group, and updates the scale after every batch.
namespace updates_in_every_batch {
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
        scaler.unscale_(optimizer);
        scaler.update();
        for (const td::Tensor& p : optimizer.parameters())
          p.mutable_grad().mul_(scaler.get_scale());
        mean_loss.add_(loss.detach());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace updates_in_every_batch

// answer: weighted_mean
// expect: groups of batches with 4 and 1
// Weights the losses of a group by the rows of their batches.
namespace weighted_mean {
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
}  // namespace weighted_mean

// answer: zero_grad_in_every_batch
// expect: all weights after the training
// Clears the gradients for every batch.
namespace zero_grad_in_every_batch {
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
        optimizer.zero_grad();
        const td::Tensor loss = forward(batches[i]) / static_cast<double>(end - first);
        scaler.scale(loss).backward();
        mean_loss.add_(loss.detach());
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace zero_grad_in_every_batch

// answer: waits_for_every_batch
// expect: scaler.step() waits once per group, and nothing else may
// Waits for the device after every batch. It reads nothing, so no copy shows it.
namespace waits_for_every_batch {
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
        if (!device.is_cpu()) td::synchronize(device);
      }
    } catch (...) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace waits_for_every_batch

// answer: expects_errors_of_td
// expect: whatever is thrown, clear them
// Clears the gradients after an error of td only. A module may throw anything.
namespace expects_errors_of_td {
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
    } catch (const td::Error&) {
      optimizer.zero_grad();
      throw;
    }
    if (settings.max_norm > 0) {
      scaler.unscale_(optimizer);
      td::nn::utils::clip_grad_norm_(optimizer.parameters(), settings.max_norm);
    }
    const bool stepped = scaler.step(optimizer);
    scaler.update();
    if (!stepped) ++result.skipped;
    if (stepped && settings.after_step) settings.after_step();
  }
  return result;
}
}  // namespace expects_errors_of_td
