#include "exercises.h"

// answer: always_copies
// expect: the batch was on cpu already and was copied
// Right, and slow where the loader made the batch on the device.
namespace always_copies {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, batch.data.dtype(), non_blocking, /*copy=*/true),
          batch.target.to(device, batch.target.dtype(), non_blocking, /*copy=*/true)};
}
}  // namespace always_copies

// answer: always_waits
// expect: for a batch in pinned memory, although non_blocking is
// Ignores the argument.
namespace always_waits {
Batch move_batch(const Batch& batch, td::Device device, bool) {
  return {batch.data.to(device), batch.target.to(device)};
}
}  // namespace always_waits

// answer: converts_the_target
// expect: the target of 1 samples, cpu to cpu: expected elements of type int64, got float32
// Class indices as float32 are no indices any more.
namespace converts_the_target {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, td::kFloat32, non_blocking),
          batch.target.to(device, td::kFloat32, non_blocking)};
}
}  // namespace converts_the_target

// answer: data_only
// expect: the target of 1 samples, cpu to sim:0: expected on sim:0, it is on cpu
namespace data_only {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, non_blocking), batch.target};
}
}  // namespace data_only

// answer: first_device
// expect: the data of 1 samples, cpu to sim:1: expected on sim:1
// Forgets the index. Right on a machine with one device.
namespace first_device {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  const td::Device first = device.is_cpu() ? device : td::Device(device.type(), 0);
  return {batch.data.to(first, non_blocking), batch.target.to(first, non_blocking)};
}
}  // namespace first_device

// answer: never_waits
// expect: the host did not wait, although non_blocking is false
namespace never_waits {
Batch move_batch(const Batch& batch, td::Device device, bool) {
  return {batch.data.to(device, true), batch.target.to(device, true)};
}
}  // namespace never_waits

// answer: target_blocks
// expect: for a batch in pinned memory, although non_blocking is
// Passes the argument on for the larger tensor only.
namespace target_blocks {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, non_blocking), batch.target.to(device)};
}
}  // namespace target_blocks

// answer: targets_are_classes
// expect: a target of real numbers: expected elements of type float32, got int64
// Right for classification. The targets of a regression lose their digits after the point.
namespace targets_are_classes {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, non_blocking), batch.target.to(device, td::kInt64, non_blocking)};
}
}  // namespace targets_are_classes

// answer: data_decides
// expect: the target of a batch whose data was on sim:0 already: expected on sim:0, it is on cpu
// Looks at the data only: if they are there, the batch is.
namespace data_decides {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  if (batch.data.device() == device) return batch;
  return {batch.data.to(device, non_blocking), batch.target.to(device, non_blocking)};
}
}  // namespace data_decides

// answer: both_or_none
// expect: the data of a batch whose data was on sim:0 already was copied
// Copies both parts when one of them is elsewhere.
namespace both_or_none {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  if (batch.data.device() == device && batch.target.device() == device) return batch;
  return {batch.data.to(device, batch.data.dtype(), non_blocking, /*copy=*/true),
          batch.target.to(device, batch.target.dtype(), non_blocking, /*copy=*/true)};
}
}  // namespace both_or_none

// answer: target_never_waits
// expect: a copy of pinned memory was still running when move_batch returned
// The target is small, so it copies it without a wait in any case.
namespace target_never_waits {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, non_blocking), batch.target.to(device, /*non_blocking=*/true)};
}
}  // namespace target_never_waits

// answer: makes_contiguous
// expect: a batch of transposed views was on cpu already and was copied
// Copies a view that is on the device already.
namespace makes_contiguous {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.contiguous().to(device, non_blocking),
          batch.target.contiguous().to(device, non_blocking)};
}
}  // namespace makes_contiguous
