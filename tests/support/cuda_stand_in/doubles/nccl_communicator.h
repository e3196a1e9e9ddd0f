// The communicators of the stand-in for NCCL, one for each rank, and the operations that they have
// in streams. The functions of NCCL (nccl.cpp) are the callers.
// Invariant: a communicator is guarded by its mutex, and no function of CUDA is called under it.
// The operations of one communicator run one after another, in the order of their calls.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "doubles/nccl_segment.h"
#include "stand_in.h"

namespace cuda_stand_in {

/// A buffer of an operation.
struct Buffer {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// What one call, or one group of sends and receives, does in its stream.
class NcclOperation {
 public:
  virtual ~NcclOperation() = default;
  virtual std::string name() const = 0;
  /// The memory that it reads and writes.
  virtual std::vector<Use> uses() const = 0;
  /// Begins or continues; true when this rank's part is done. Reads the input in the first call.
  virtual bool step(ncclComm& comm) = 0;
};

std::shared_ptr<NcclOperation> make_collective(const Signature& signature, Buffer input,
                                               Buffer output);

/// A send or a receive. The signature's root is the peer.
struct Parcel {
  Signature signature;
  Buffer buffer;
};
std::shared_ptr<NcclOperation> make_exchange(std::vector<Parcel> parcels);

/// Stores the text for ncclGetLastError, and returns the code. Both functions are thread-safe.
ncclResult_t nccl_error(ncclResult_t code, const std::string& why);
std::string last_error();

}  // namespace cuda_stand_in

/// NCCL's own name for a communicator.
struct ncclComm : std::enable_shared_from_this<ncclComm> {
  ncclComm(std::unique_ptr<cuda_stand_in::Segment> shared, const ncclUniqueId& unique, int rank_,
           int size_, int device_)
      : segment(std::move(shared)), id(unique), rank(rank_), size(size_), device(device_) {}

  /// Makes this rank known to the others. @return why it cannot be, or "".
  std::string join(const std::string& gpu);
  /// The result of ncclCommGetAsyncError.
  ncclResult_t state();
  /// Refuses a call before the last one has ended. @return ncclSuccess or ncclInvalidArgument
  ncclResult_t ensure_ready(const char* call);
  /// Starts the thread that queues the operation on the stream some time later.
  ncclResult_t launch(const char* call, std::shared_ptr<cuda_stand_in::NcclOperation> operation,
                      cudaStream_t stream);
  ncclResult_t finalize();
  bool is_finalized();
  /// Ends all operations, now and in the future, without results.
  void abort();

  /// Refuses an operation that differs from another rank's; it then never ends.
  void refuse_mismatch(const cuda_stand_in::Signature& mine, int other,
                       const cuda_stand_in::Signature& theirs) const;
  const std::unique_ptr<cuda_stand_in::Segment> segment;
  const ncclUniqueId id;
  const int rank, size, device;
  std::uint64_t collectives = 0;  ///< that this rank has begun

 private:
  enum class Phase { kJoining, kReady, kQueueing, kFinalizing, kFinalized };

  ncclResult_t check_joined();
  void queue(const char* call, std::shared_ptr<cuda_stand_in::NcclOperation> operation,
             cudaStream_t stream);
  bool run(std::uint64_t number, cuda_stand_in::NcclOperation& operation);

  std::mutex mutex_;
  Phase phase_ = Phase::kJoining;
  ncclResult_t error_ = ncclSuccess;
  bool aborted_ = false;
  std::uint64_t queued_ = 0, ended_ = 0;  // operations in streams
};
