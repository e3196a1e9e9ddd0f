// The checks of the stand-in for NCCL. They reject calls that NCCL accepts and then hangs or
// computes garbage, such as memory of another device, and calls that the core does not need:
// collectives in groups, and groups of several communicators or streams.
#include "doubles/nccl_calls.h"

#include <map>
#include <utility>

namespace cuda_stand_in {
namespace {

/// The communicators that have not been destroyed.
struct Handles {
  std::mutex mutex;
  std::map<ncclComm_t, std::shared_ptr<ncclComm>> live;
};

Handles& handles() {
  static auto* const all = new Handles;  // threads may still use it while the process ends
  return *all;
}

/// Sends and receives between ncclGroupStart and ncclGroupEnd of this thread.
struct Group {
  int depth = 0;
  std::shared_ptr<ncclComm> comm;
  cudaStream_t stream = nullptr;
  std::vector<Parcel> parcels;
  ncclResult_t error = ncclSuccess;
};
thread_local Group group;

bool overlap(const Buffer& a, const Buffer& b) {
  const auto *const a_from = static_cast<const char*>(a.data), *const b_from =
                                                                   static_cast<const char*>(b.data);
  return a_from < b_from + b.bytes && b_from < a_from + a.bytes;
}

/// A call that queues work.
struct Call {
  const char* name;
  ncclComm& comm;
  cudaStream_t stream;
  Signature signature;

  ncclResult_t check() const {
    const Signature& s = signature;
    if (const ncclResult_t error = check_device(name, comm)) return error;
    if (const ncclResult_t error = comm.ensure_ready(name)) return error;
    if (s.root < 0 || s.root >= comm.size || s.op < 0 || s.op >= ncclNumOps)
      return nccl_error(ncclInvalidArgument, std::string(name) + ": no such rank or operation");
    if (size_of(s.type) == 0) return deny(name, "the core has no such element type");
    if (s.count == 0) return deny(name, "there are no elements");
    if (s.op == ncclAvg && (s.type == ncclUint8 || s.type == ncclInt32 || s.type == ncclInt64))
      return deny(name, "a mean of integers is not what the core promises");
    if (stream_device(stream) != comm.device) return deny(name, "the stream is of another device");
    if (is_capturing(stream)) return deny(name, "the stream is being captured");
    return ncclSuccess;
  }
  ncclResult_t check(const char* argument, const Buffer& buffer) const {
    if (!buffer.data) return deny(name, std::string(argument) + " is null");
    const std::string why = why_not_on_device(buffer.data, buffer.bytes, comm.device);
    if (why.empty()) return ncclSuccess;
    return deny(name, std::string(argument) + " of " + std::to_string(buffer.bytes) + " bytes " +
                          why + "; expected memory of cuda:" + std::to_string(comm.device));
  }
};

/// How many times its count a collective reads and writes on this rank, and where the input may lie
/// in the output, or the output in the input.
struct Shape {
  std::size_t reads, writes, in_place;
};

Shape shape_of(const Signature& s, const ncclComm& comm) {
  const auto ranks = static_cast<std::size_t>(comm.size),
             rank = static_cast<std::size_t>(comm.rank);
  const bool is_root = comm.rank == s.root;
  switch (s.kind) {
    case Kind::kBroadcast:
      return {is_root, 1, 0};
    case Kind::kReduce:
      return {1, is_root, 0};
    case Kind::kAllGather:
      return {1, ranks, rank};
    case Kind::kReduceScatter:
      return {ranks, 1, rank};
    default:
      return {1, 1, 0};
  }
}

ncclResult_t add(const Call& call, const std::shared_ptr<ncclComm>& comm, void* data) {
  const Signature& s = call.signature;
  const Parcel parcel{s, {data, s.count * size_of(s.type)}};
  if (const ncclResult_t error = call.check()) return error;
  if (const ncclResult_t error = call.check("the buffer", parcel.buffer)) return error;
  for (const Parcel& other : group.parcels)
    if (overlap(parcel.buffer, other.buffer) &&
        (s.kind == Kind::kRecv || other.signature.kind == Kind::kRecv))
      return deny(call.name, "the buffer overlaps another one of the group");
  if (group.comm && (group.comm != comm || group.stream != call.stream))
    return deny(call.name, "the group has another communicator or stream");
  group.comm = comm;
  group.stream = call.stream;
  group.parcels.push_back(parcel);
  return ncclSuccess;
}

}  // namespace

ncclResult_t deny(const char* call, const std::string& why) {
  refuse(call, why);
  return nccl_error(ncclInvalidArgument, std::string(call) + ": " + why);
}

std::shared_ptr<ncclComm> find(const char* call, ncclComm_t handle) {
  count_call(call);
  std::unique_lock lock(handles().mutex);
  const auto found = handles().live.find(handle);
  if (found != handles().live.end()) return found->second;
  lock.unlock();
  if (handle) deny(call, "the communicator has been destroyed or aborted");
  return nullptr;
}

ncclComm_t remember(const std::shared_ptr<ncclComm>& comm) {
  const std::lock_guard lock(handles().mutex);
  handles().live[comm.get()] = comm;
  return comm.get();
}

void forget(ncclComm_t handle) {
  const std::lock_guard lock(handles().mutex);
  handles().live.erase(handle);
}

// NCCL goes back to the thread's device afterwards, which makes a context on GPU 0 where the
// thread has chosen none.
ncclResult_t check_device(const char* call, const ncclComm& comm) {
  if (current_device() == comm.device) return ncclSuccess;
  return deny(call, "the communicator is on cuda:" + std::to_string(comm.device) +
                        ", but this thread has chosen " +
                        (current_device() < 0 ? std::string("no device")
                                              : "cuda:" + std::to_string(current_device())));
}

ncclResult_t collective(const char* name, const Signature& signature, const void* send, void* recv,
                        ncclComm_t handle, cudaStream_t stream) {
  const auto comm = find(name, handle);
  if (!comm) return ncclInvalidArgument;
  const Call call{name, *comm, stream, signature};
  if (group.depth > 0) return deny(name, "the core makes no collective in a group");
  if (const ncclResult_t error = call.check()) return error;
  const Shape shape = shape_of(signature, *comm);
  const std::size_t bytes = signature.count * size_of(signature.type);
  Buffer input{const_cast<void*>(send), shape.reads * bytes}, output{recv, shape.writes * bytes};
  if (input.bytes)
    if (const ncclResult_t error = call.check("sendbuff", input)) return error;
  if (output.bytes)
    if (const ncclResult_t error = call.check("recvbuff", output)) return error;
  const char* const smaller = static_cast<const char*>(shape.writes > shape.reads ? send : recv);
  const char* const larger = static_cast<const char*>(shape.writes > shape.reads ? recv : send);
  if (input.bytes && output.bytes && overlap(input, output) &&
      smaller != larger + shape.in_place * bytes)
    return deny(name, "sendbuff and recvbuff overlap, but not as the operation in place");
  if (!input.bytes) input.data = nullptr;
  if (!output.bytes) output.data = nullptr;
  return comm->launch(name, make_collective(signature, input, output), stream);
}

ncclResult_t add_to_group(const char* name, const Signature& signature, const void* data,
                          ncclComm_t handle, cudaStream_t stream) {
  const auto comm = find(name, handle);
  if (!comm) return group.error = ncclInvalidArgument;
  const ncclResult_t error = add({name, *comm, stream, signature}, comm, const_cast<void*>(data));
  if (error != ncclSuccess) group.error = error;
  return error;
}

void start_group() { ++group.depth; }

ncclResult_t end_group() {
  if (group.depth == 0) return deny("ncclGroupEnd", "there was no ncclGroupStart");
  if (--group.depth > 0) return ncclSuccess;
  const Group ended = std::exchange(group, Group{});
  if (ended.error != ncclSuccess || ended.parcels.empty()) return ended.error;
  return ended.comm->launch("ncclGroupEnd", make_exchange(ended.parcels), ended.stream);
}

}  // namespace cuda_stand_in
