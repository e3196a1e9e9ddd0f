// What the functions of the stand-in for NCCL have in common: the communicators that are alive, and
// the checks that come before a call has an effect. nccl.cpp is the only caller.
#pragma once

#include "doubles/nccl_communicator.h"

namespace cuda_stand_in {

/// Rejects a call, and returns ncclInvalidArgument where a test collects refusals.
ncclResult_t deny(const char* call, const std::string& why);

/// Makes a handle known until forget().
ncclComm_t remember(const std::shared_ptr<ncclComm>& comm);
void forget(ncclComm_t handle);
/// Counts the call. Null for no communicator; refuses one that was forgotten.
std::shared_ptr<ncclComm> find(const char* call, ncclComm_t handle);

/// Rejects a thread that has chosen another device than the communicator's, or none.
ncclResult_t check_device(const char* call, const ncclComm& comm);

/// Checks and queues a collective.
ncclResult_t collective(const char* call, const Signature& signature, const void* send, void* recv,
                        ncclComm_t handle, cudaStream_t stream);
/// Checks a send or a receive, and adds it to the group of this thread.
ncclResult_t add_to_group(const char* call, const Signature& signature, const void* data,
                          ncclComm_t handle, cudaStream_t stream);
void start_group();
/// Queues the group where this end is that of the outermost start.
ncclResult_t end_group();

}  // namespace cuda_stand_in
