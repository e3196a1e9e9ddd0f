// The stand-in for NCCL: exactly the functions that the core calls, with NVIDIA's header. The
// checks of a call are in nccl_calls.cpp; what happens afterwards is in nccl_communicator.cpp.
// Invariant: a handle that was destroyed or aborted is known as such and never used.
#include <nccl.h>

#include <cstdlib>
#include <sstream>

#include "doubles/nccl_calls.h"
#include "td/base/error.h"

namespace cuda_stand_in {
namespace {

/// The GPU by its own name and by the one that CUDA_VISIBLE_DEVICES gives it.
std::string gpu_name(int device) {
  std::string name = std::to_string(device);
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::istringstream names(visible);
    for (int i = 0; i <= device; ++i) std::getline(names, name, ',');
  }
  cudaDeviceProp properties{};
  cudaGetDeviceProperties(&properties, device);
  return td::to_hex(properties.uuid.bytes, sizeof properties.uuid.bytes) + " (" + name + ")";
}

/// A send or a receive; outside of a group it is a group of its own.
ncclResult_t parcel(const char* call, const Signature& signature, const void* data,
                    ncclComm_t handle, cudaStream_t stream) {
  start_group();
  const ncclResult_t error = add_to_group(call, signature, data, handle, stream);
  const ncclResult_t end = end_group();
  return error != ncclSuccess ? error : end;
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  constexpr const char* kWords[] = {"no error",
                                    "unhandled cuda error",
                                    "unhandled system error",
                                    "internal error",
                                    "invalid argument",
                                    "invalid usage",
                                    "remote process exited or there was a network error",
                                    "NCCL operation in progress"};
  return result >= 0 && result < ncclNumResults ? kWords[result] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) {
  thread_local std::string text;
  text = last_error();
  return text.c_str();
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  count_call("ncclGetUniqueId");
  Segment::make(*id);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  const char* const call = "ncclCommInitRankConfig";
  count_call(call);
  constexpr ncclConfig_t kExpected = NCCL_CONFIG_INITIALIZER;
  if (!config || config->size != kExpected.size || config->magic != kExpected.magic)
    return deny(call, "the configuration is not initialized with NCCL_CONFIG_INITIALIZER");
  if (config->blocking != 0) return deny(call, "a communicator that blocks hangs with its ranks");
  if (ranks < 1 || ranks > kMostRanks || rank < 0 || rank >= ranks)
    return nccl_error(ncclInvalidArgument, "no such rank");
  if (current_device() < 0) return deny(call, "this thread has chosen no device");
  std::unique_ptr<Segment> segment = Segment::open(id);
  if (!segment) return deny(call, "no living process has made this id");
  const auto made =
      std::make_shared<ncclComm>(std::move(segment), id, rank, ranks, current_device());
  if (const std::string why = made->join(gpu_name(made->device)); !why.empty())
    return deny(call, why);
  *comm = remember(made);
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* state) {
  const auto comm = find("ncclCommGetAsyncError", handle);
  if (!comm) return ncclInvalidArgument;
  *state = comm->state();
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  const auto comm = find("ncclCommFinalize", handle);
  if (!comm) return ncclInvalidArgument;
  if (const ncclResult_t error = check_device("ncclCommFinalize", *comm)) return error;
  if (const ncclResult_t error = comm->ensure_ready("ncclCommFinalize")) return error;
  return comm->finalize();
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  const auto comm = find("ncclCommDestroy", handle);
  if (!comm) return ncclInvalidArgument;
  if (const ncclResult_t error = check_device("ncclCommDestroy", *comm)) return error;
  if (!comm->is_finalized()) return deny("ncclCommDestroy", "ncclCommFinalize has not ended");
  forget(handle);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
  const auto comm = find("ncclCommAbort", handle);
  if (!comm) return ncclInvalidArgument;
  if (const ncclResult_t error = check_device("ncclCommAbort", *comm)) return error;
  comm->abort();
  forget(handle);
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  start_group();
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() { return end_group(); }

ncclResult_t ncclSend(const void* data, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return parcel("ncclSend", {Kind::kSend, type, ncclSum, peer, count}, data, comm, stream);
}

ncclResult_t ncclRecv(void* data, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return parcel("ncclRecv", {Kind::kRecv, type, ncclSum, peer, count}, data, comm, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* recv, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclBroadcast", {Kind::kBroadcast, type, ncclSum, root, count}, send, recv,
                    comm, stream);
}

ncclResult_t ncclAllReduce(const void* send, void* recv, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclAllReduce", {Kind::kAllReduce, type, op, 0, count}, send, recv, comm,
                    stream);
}

ncclResult_t ncclReduce(const void* send, void* recv, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclReduce", {Kind::kReduce, type, op, root, count}, send, recv, comm, stream);
}

ncclResult_t ncclAllGather(const void* send, void* recv, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclAllGather", {Kind::kAllGather, type, ncclSum, 0, count}, send, recv, comm,
                    stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* recv, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return collective("ncclReduceScatter", {Kind::kReduceScatter, type, op, 0, count}, send, recv,
                    comm, stream);
}

}  // extern "C"
