// Communicators of NCCL, all of them non-blocking: a call that has to wait for other ranks says "in
// progress", and a communicator in which a rank is missing can be given up.
// Where the build found no NCCL, asking for one says so.
#include "td/backends/cuda/libs/nccl.h"

#include "td/base/error.h"

#ifdef TD_HAS_NCCL
#include <nccl.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "td/backends/cuda/cuda.h"
#include "td/backends/cuda/spans.h"
#endif

namespace td::cuda {

#ifndef TD_HAS_NCCL

std::string new_nccl_id() {
  fail<DeviceError>(
      "this build has no NCCL: install libnccl-dev of NVIDIA's packages and configure again, or "
      "use the backend \"gloo\" with sim tensors");
}

std::shared_ptr<Communicator> join_nccl(const std::string&, int, int, int) {
  fail<DeviceError>(new_nccl_id());
}

#else

namespace {

// Saying goodbye waits for the other ranks, which may be gone.
constexpr std::chrono::seconds kGoodbye(5);

// Throws unless the call has succeeded or goes on.
void check(ncclResult_t result, const char* doing, ncclComm_t comm) {
  if (result == ncclSuccess || result == ncclInProgress) [[likely]]
    return;
  const char* const details = ncclGetLastError(comm);
  fail<DeviceError>(doing, ": NCCL reports ", ncclGetErrorString(result), " (",
                    details && *details ? details : "no details",
                    "). Run with NCCL_DEBUG=INFO to see what led to it.");
}

ncclDataType_t type_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
    case ScalarType::Bool:  // 0 and 1, of which MIN and MAX are "all" and "any"
      return ncclUint8;
    case ScalarType::Int:
      return ncclInt32;
    case ScalarType::Long:
      return ncclInt64;
    case ScalarType::Half:
      return ncclFloat16;
    case ScalarType::Float:
      return ncclFloat32;
    case ScalarType::Double:
      return ncclFloat64;
    case ScalarType::BFloat16:
      break;
  }
  return ncclBfloat16;
}

ncclRedOp_t operation_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::SUM:
      return ncclSum;
    case ReduceOp::AVG:
      return ncclAvg;
    case ReduceOp::PRODUCT:
      return ncclProd;
    case ReduceOp::MIN:
      return ncclMin;
    case ReduceOp::MAX:
      break;
  }
  return ncclMax;
}

ncclUniqueId from_hex(const std::string& text) {
  ncclUniqueId id;
  TD_CHECK(DeviceError,
           text.size() == 2 * sizeof id.internal &&
               text.find_first_not_of("0123456789abcdef") == std::string::npos,
           "\"", text, "\" is no id of NCCL: did rank 0 fail to make one?");
  for (std::size_t i = 0; i < sizeof id.internal; ++i)
    id.internal[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return id;
}

// The lock is for ready() and abort(), which another thread calls. No call here takes long.
class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(const std::string& id, int rank, int size, int device) : device_(device) {
    const ncclUniqueId unique = from_hex(id);
    use_device(device_);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    check(ncclCommInitRankConfig(&comm_, size, unique, rank, &config), "joining the ranks",
          nullptr);
  }

  // After a failed kernel, or when the process ends, CUDA may refuse every call. What NCCL holds
  // then ends with the process.
  ~NcclCommunicator() override {
    if (!comm_ || !try_use_device(device_)) return;
    ncclResult_t state = ncclCommFinalize(comm_);
    const auto end = std::chrono::steady_clock::now() + kGoodbye;
    while (state == ncclInProgress && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (ncclCommGetAsyncError(comm_, &state) != ncclSuccess) break;
    }
    if (state == ncclSuccess)
      ncclCommDestroy(comm_);
    else
      ncclCommAbort(comm_);
  }

  bool ready() override {
    const std::lock_guard lock(mutex_);
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(comm(), &state), "asking for the state", comm_);
    check(state, "communicating", comm_);
    return state == ncclSuccess;
  }

  void broadcast(void* data, Elements e, int root, void* stream) override {
    run("broadcast", [&] {
      return ncclBroadcast(data, data, e.count, type_of(e.dtype), root, comm_, of(stream));
    });
  }
  void all_reduce(void* data, Elements e, ReduceOp op, void* stream) override {
    run("all_reduce", [&] {
      return ncclAllReduce(data, data, e.count, type_of(e.dtype), operation_of(op), comm_,
                           of(stream));
    });
  }
  void reduce(void* data, Elements e, ReduceOp op, int root, void* stream) override {
    run("reduce", [&] {
      return ncclReduce(data, data, e.count, type_of(e.dtype), operation_of(op), root, comm_,
                        of(stream));
    });
  }
  void all_gather(const void* input, void* output, Elements e, void* stream) override {
    run("all_gather",
        [&] { return ncclAllGather(input, output, e.count, type_of(e.dtype), comm_, of(stream)); });
  }
  void reduce_scatter(const void* input, void* output, Elements e, ReduceOp op,
                      void* stream) override {
    run("reduce_scatter", [&] {
      return ncclReduceScatter(input, output, e.count, type_of(e.dtype), operation_of(op), comm_,
                               of(stream));
    });
  }
  void exchange(const std::vector<P2POp>& operations, void* stream) override {
    run("send and recv", [&] {
      check(ncclGroupStart(), "send and recv", comm_);
      for (const P2POp& operation : operations) queue(operation, stream);
      return ncclGroupEnd();
    });
  }

  std::shared_ptr<void> span(const char* name, std::size_t bytes, void* stream) override {
    return waiting_span(name, bytes, device_, stream, trace::Category::kCollective);
  }

  void abort() override {
    const std::lock_guard lock(mutex_);
    if (!comm_ || !try_use_device(device_)) return;
    ncclCommAbort(std::exchange(comm_, nullptr));
  }

 private:
  static cudaStream_t of(void* stream) { return static_cast<cudaStream_t>(stream); }

  ncclComm_t comm() const {
    TD_CHECK(DeviceError, comm_, "this communicator was given up after a failure");
    return comm_;
  }

  template <class Call>
  void run(const char* doing, Call&& call) {
    const std::lock_guard lock(mutex_);
    comm();
    use_device(device_);
    check(call(), doing, comm_);
  }

  // NCCL reports an error inside a group where the group ends.
  void queue(const P2POp& operation, void* stream) {
    const Elements e = operation.elements;
    if (operation.is_sent)
      ncclSend(operation.data, e.count, type_of(e.dtype), operation.peer, comm_, of(stream));
    else
      ncclRecv(operation.data, e.count, type_of(e.dtype), operation.peer, comm_, of(stream));
  }

  const int device_;
  std::mutex mutex_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::string new_nccl_id() {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id), "making an id", nullptr);
  return to_hex(id.internal, sizeof id.internal);
}

std::shared_ptr<Communicator> join_nccl(const std::string& id, int rank, int size, int device) {
  return std::make_shared<NcclCommunicator>(id, rank, size, device);
}

#endif

}  // namespace td::cuda
