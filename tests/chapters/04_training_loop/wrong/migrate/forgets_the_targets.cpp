// expect: the targets: expected on sim:0, it is on cpu
// The fourth object of the first style.
#include "exercises.h"

void migrate_one_by_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                        td::DeviceType kind) {
  const bool cuda = kind == td::kCUDA && td::device_count(td::kCUDA) > 0, sim = kind == td::kSIM;
  if (cuda) model.cuda();
  if (sim) model.sim();
  if (cuda) loss_fn.cuda();
  if (sim) loss_fn.sim();
  if (cuda) batch.data = batch.data.cuda();
  if (sim) batch.data = batch.data.sim();
}

td::Device migrate_to_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                          td::DeviceType kind) {
  const td::Device device = td::device_count(kind) > 0 ? td::Device(kind, 0) : td::Device("cpu");
  model.to(device);
  loss_fn.to(device);
  batch.data = batch.data.to(device);
  batch.target = batch.target.to(device);
  return device;
}
