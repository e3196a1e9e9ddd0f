// migrate_one_by_one and migrate_to_one: exercise 4.migrate, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void migrate_one_by_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                        td::DeviceType kind) {
  // blank: One `if` an object, four objects, cuda() or sim(). About 10 lines.
  const auto is_there = [kind](td::DeviceType asked) {
    return kind == asked && td::device_count(asked) > 0;
  };
  if (is_there(td::kCUDA)) model.cuda();
  if (is_there(td::kSIM)) model.sim();
  if (is_there(td::kCUDA)) loss_fn.cuda();
  if (is_there(td::kSIM)) loss_fn.sim();
  if (is_there(td::kCUDA)) batch.data = batch.data.cuda();
  if (is_there(td::kSIM)) batch.data = batch.data.sim();
  if (is_there(td::kCUDA)) batch.target = batch.target.cuda();
  if (is_there(td::kSIM)) batch.target = batch.target.sim();
  // end
}

td::Device migrate_to_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                          td::DeviceType kind) {
  // blank: Choose the device once, then `to` four times. 6 lines.
  const td::Device device = td::device_count(kind) > 0 ? td::Device(kind, 0) : td::Device("cpu");
  model.to(device);
  loss_fn.to(device);
  batch.data = batch.data.to(device);
  batch.target = batch.target.to(device);
  return device;
  // end
}
