// expect: the class weights of the loss function: expected on sim:0, it is on cpu
// Right for losses without class weights.
#include "exercises.h"

void migrate_one_by_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                        td::DeviceType kind) {
  const bool cuda = kind == td::kCUDA && td::device_count(td::kCUDA) > 0, sim = kind == td::kSIM;
  if (cuda) model.cuda();
  if (sim) model.sim();
  (void)loss_fn;
  if (cuda) batch.data = batch.data.cuda();
  if (sim) batch.data = batch.data.sim();
  if (cuda) batch.target = batch.target.cuda();
  if (sim) batch.target = batch.target.sim();
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
