// Communicators of NCCL, all of them non-blocking: a call that has to wait for other ranks returns
// "in progress", and a communicator in which a rank is missing can be aborted. In a build without
// NCCL, creating one throws an error that says so.
#include "libs/cuda/stream_state.h"
#include "td/base/error.h"

#ifdef TD_HAS_NCCL
#include <nccl.h>

#include <chrono>
#include <thread>
#include <utility>

#include "td/backends/cuda/check.h"
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

// How long the destructor waits for the other ranks, which may have ended.
constexpr std::chrono::seconds kGoodbye(5);

// Throws unless the call has succeeded or is in progress.
void check(ncclResult_t result, const char* doing, ncclComm_t comm) {
  if (result == ncclSuccess || result == ncclInProgress) [[likely]]
    return;
  const char* const details = ncclGetLastError(comm);
  fail<DeviceError>(doing, ": NCCL reports ", ncclGetErrorString(result), " (",
                    details && *details ? details : "no details",
                    "). Run with NCCL_DEBUG=INFO to see what led to it.");
}

ncclDataType_t type_of(ScalarType dtype) {  // in the order of ScalarType
  constexpr ncclDataType_t kTypes[] = {
      ncclUint8,
      ncclInt32,
      ncclInt64,
      ncclFloat16,
      ncclFloat32,
      ncclFloat64,
      ncclUint8 /* bool: 0 and 1, whose MIN and MAX are all and any */,
      ncclBfloat16};
  return kTypes[static_cast<std::size_t>(dtype)];
}

ncclRedOp_t operation_of(ReduceOp op) {  // in the order of ReduceOp
  constexpr ncclRedOp_t kOperations[] = {ncclSum, ncclAvg, ncclProd, ncclMin, ncclMax};
  return kOperations[static_cast<std::size_t>(op)];
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

// The lock is for ready() and abort(), which another thread may call. No call here takes long.
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

  // After a failed kernel, or when the process ends, CUDA may reject every call. What NCCL holds is
  // then freed when the process ends.
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

  void broadcast(void* data, Elements e, int root, NativeStream* stream) override {
    run("broadcast", ncclBroadcast, stream, data, data, e.count, type_of(e.dtype), root);
  }
  void all_reduce(void* data, Elements e, ReduceOp op, NativeStream* stream) override {
    run("all_reduce", ncclAllReduce, stream, data, data, e.count, type_of(e.dtype),
        operation_of(op));
  }
  void reduce(void* data, Elements e, ReduceOp op, int root, NativeStream* stream) override {
    run("reduce", ncclReduce, stream, data, data, e.count, type_of(e.dtype), operation_of(op),
        root);
  }
  void all_gather(const void* input, void* output, Elements e, NativeStream* stream) override {
    run("all_gather", ncclAllGather, stream, input, output, e.count, type_of(e.dtype));
  }
  void reduce_scatter(const void* input, void* output, Elements e, ReduceOp op,
                      NativeStream* stream) override {
    run("reduce_scatter", ncclReduceScatter, stream, input, output, e.count, type_of(e.dtype),
        operation_of(op));
  }
  void exchange(const std::vector<P2POp>& operations, NativeStream* stream) override {
    const auto queue_all = [&](ncclComm_t comm, cudaStream_t on) {
      check(ncclGroupStart(), "send and recv", comm);
      for (const auto& [is_sent, data, e, peer] : operations)  // the group's end reports errors
        is_sent ? ncclSend(data, e.count, type_of(e.dtype), peer, comm, on)
                : ncclRecv(data, e.count, type_of(e.dtype), peer, comm, on);
      return ncclGroupEnd();
    };
    run("send and recv", queue_all, stream);
  }

  std::shared_ptr<void> span(const char* name, std::size_t bytes, NativeStream* stream) override {
    return stream_span(name, bytes, device_, stream, trace::Category::kCollective, /*waits=*/true);
  }

  void abort() override {
    const std::lock_guard lock(mutex_);
    if (!comm_ || !try_use_device(device_)) return;
    ncclCommAbort(std::exchange(comm_, nullptr));
  }

 private:
  ncclComm_t comm() const {
    TD_CHECK(DeviceError, comm_, "this communicator was given up after a failure");
    return comm_;
  }

  // Calls NCCL's function with these arguments, the communicator and the stream.
  template <class Call, class... Argument>
  void run(const char* doing, Call call, NativeStream* stream, Argument... arguments) {
    const std::lock_guard lock(mutex_);
    comm();
    use_device(device_);
    check(call(arguments..., comm_, stream_of(stream)), doing, comm_);
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
