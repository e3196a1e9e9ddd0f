// The life of a communicator, and how an operation gets into its stream and runs there.
#include "doubles/nccl_communicator.h"

#include <unistd.h>

#include <cstring>
#include <thread>

#include "doubles/nccl_turn.h"

using cuda_stand_in::NcclOperation;
using cuda_stand_in::Signature;

namespace cuda_stand_in {
namespace {

struct LastError {
  std::mutex mutex;
  std::string text;
};

LastError& last() {
  static auto* const error = new LastError;  // threads may still fail while the process ends
  return *error;
}

}  // namespace

ncclResult_t nccl_error(ncclResult_t code, const std::string& why) {
  const std::lock_guard lock(last().mutex);
  last().text = why;
  return code;
}

std::string last_error() {
  const std::lock_guard lock(last().mutex);
  return last().text;
}

}  // namespace cuda_stand_in

std::string ncclComm::join(const std::string& gpu) {
  const auto control = segment->lock();
  auto& mine = control->ranks[rank];
  if (control->size == 0) control->size = size;
  if (control->size != size)
    return "rank " + std::to_string(rank) + " names " + std::to_string(size) +
           " ranks, but another rank has named " + std::to_string(control->size);
  if (mine.joined) return "rank " + std::to_string(rank) + " has joined already";
  std::strncpy(mine.gpu, gpu.c_str(), sizeof mine.gpu - 1);
  mine.joined = true;
  return "";
}

ncclResult_t ncclComm::check_joined() {
  {
    const auto control = segment->lock();
    for (int r = 0; r < size; ++r)
      if (!control->ranks[r].joined) return ncclInProgress;
    for (int r = 0; r < size; ++r)
      for (int other = 0; other < r; ++other)
        if (std::strcmp(control->ranks[r].gpu, control->ranks[other].gpu) == 0)
          return error_ = cuda_stand_in::nccl_error(
                     ncclInvalidUsage, "Duplicate GPU detected: ranks " + std::to_string(other) +
                                           " and " + std::to_string(r) + " are both on " +
                                           control->ranks[r].gpu);
  }
  segment->forget(id);
  phase_ = Phase::kReady;
  return ncclSuccess;
}

ncclResult_t ncclComm::state() {
  std::unique_lock lock(mutex_);
  if (phase_ == Phase::kFinalizing) {  // as NCCL's own thread waits for the streams
    lock.unlock();
    cuda_stand_in::let_work_go_on();
    lock.lock();
  }
  if (error_ != ncclSuccess) return error_;
  if (phase_ == Phase::kJoining) return check_joined();
  if (phase_ == Phase::kQueueing) return ncclInProgress;
  if (phase_ != Phase::kFinalizing) return ncclSuccess;
  if (ended_ != queued_) return ncclInProgress;
  const auto control = segment->lock();
  for (int r = 0; r < size; ++r)
    if (!control->ranks[r].finalized) return ncclInProgress;
  phase_ = Phase::kFinalized;
  return ncclSuccess;
}

bool ncclComm::is_finalized() {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::kFinalized;
}

ncclResult_t ncclComm::ensure_ready(const char* call) {
  std::unique_lock lock(mutex_);
  if (error_ != ncclSuccess) return error_;
  if (phase_ == Phase::kReady) return ncclSuccess;
  error_ = ncclInvalidArgument;
  const bool is_over = phase_ == Phase::kFinalizing || phase_ == Phase::kFinalized;
  lock.unlock();
  if (is_over) cuda_stand_in::refuse(call, "the communicator has been finalized");
  return cuda_stand_in::nccl_error(
      ncclInvalidArgument, std::string(call) +
                               ": the communicator is used before ncclCommGetAsyncError has said "
                               "that the operation before has ended");
}

ncclResult_t ncclComm::launch(const char* call, std::shared_ptr<NcclOperation> operation,
                              cudaStream_t stream) {
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::kQueueing;
  }
  std::thread([self = shared_from_this(), call, operation = std::move(operation), stream] {
    self->queue(call, operation, stream);
  }).detach();
  return ncclInProgress;
}

// The pauses differ from rank to rank, also where each rank is a process and all seeds are equal.
void ncclComm::queue(const char* call, std::shared_ptr<NcclOperation> operation,
                     cudaStream_t stream) {
  const auto shift = static_cast<std::uint64_t>(rank) * 613;
  usleep(static_cast<useconds_t>(20 + (cuda_stand_in::random(1981) + shift) % 1981));
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (aborted_) return;
    number = queued_++;
  }
  // It may begin later than it could, so that communicators of one device take any order.
  auto run_it = [self = shared_from_this(), number, operation,
                 pauses = cuda_stand_in::random(4)](bool) mutable {
    return pauses > 0 ? --pauses, false : self->run(number, *operation);
  };
  cudaError_t error = cudaSetDevice(device);
  if (error == cudaSuccess)
    error = cuda_stand_in::queue(call, stream, {operation->name(), operation->uses(), run_it});
  const std::lock_guard lock(mutex_);
  if (error != cudaSuccess) {
    error_ = cuda_stand_in::nccl_error(ncclUnhandledCudaError,
                                       std::string(call) + ": " + cudaGetErrorString(error));
  }
  if (phase_ == Phase::kQueueing) phase_ = Phase::kReady;
}

bool ncclComm::run(std::uint64_t number, NcclOperation& operation) {
  const std::lock_guard lock(mutex_);
  if (aborted_) {
    for (const cuda_stand_in::Use& use : operation.uses())
      if (use.writes)
        std::memset(const_cast<void*>(cuda_stand_in::device_view(use.data)), 0xFF, use.bytes);
    return true;
  }
  if (ended_ != number || !cuda_stand_in::take_turn(*this, operation.name())) return false;
  if (!operation.step(*this)) return false;
  cuda_stand_in::end_turn(*this);
  ++ended_;
  return true;
}

ncclResult_t ncclComm::finalize() {
  const std::lock_guard lock(mutex_);
  phase_ = Phase::kFinalizing;
  segment->lock()->ranks[rank].finalized = true;
  return ncclInProgress;
}

void ncclComm::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  segment->lock()->ranks[rank].aborted = true;
  cuda_stand_in::end_turn(*this);
}

void ncclComm::refuse_mismatch(const Signature& mine, int other, const Signature& theirs) const {
  segment->lock()->broken = true;
  cuda_stand_in::refuse(describe(mine), "on rank " + std::to_string(rank) + ", but rank " +
                                            std::to_string(other) + " asks for " +
                                            describe(theirs));
}
