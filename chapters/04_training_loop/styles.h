// Two styles of moving a training program to a device. `--style` chooses one; both move the model,
// the loss function and every batch.
#pragma once

#include "exercises.h"

/// Style 1, scattered: every object that takes part has an `if` and a call of its own.
inline void move_scattered(td::nn::Module& model, td::nn::Module& loss_fn, td::Device device) {
  if (device.is_cuda()) model.cuda(device.index());
  if (device.is_sim()) model.sim(device.index());
  if (device.is_cuda()) loss_fn.cuda(device.index());
  if (device.is_sim()) loss_fn.sim(device.index());
}
// anchor: scattered
inline Batch move_scattered(Batch batch, td::Device device) {
  if (device.is_cuda()) batch.data = batch.data.to(td::Device(td::kCUDA, device.index()));
  if (device.is_sim()) batch.data = batch.data.to(td::Device(td::kSIM, device.index()));
  if (device.is_cuda()) batch.target = batch.target.to(td::Device(td::kCUDA, device.index()));
  if (device.is_sim()) batch.target = batch.target.to(td::Device(td::kSIM, device.index()));
  return batch;
}
// anchor end

// anchor: central
/// Style 2, central: one device, chosen once, and everything goes `to` it.
inline void move_central(td::nn::Module& model, td::nn::Module& loss_fn, td::Device device) {
  model.to(device);
  loss_fn.to(device);
}
inline Batch move_central(const Batch& batch, td::Device device) {
  return move_batch(batch, device, /*non_blocking=*/true);
}
// anchor end
