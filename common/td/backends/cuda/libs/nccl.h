// What libs.cpp takes from nccl.cpp: see Communicator (backends/communicator.h).
#pragma once

#include "td/backends/communicator.h"

namespace td::cuda {

/// @throws DeviceError with NCCL's words, or when the build has no NCCL.
///@{
std::string new_nccl_id();
std::shared_ptr<Communicator> join_nccl(const std::string& id, int rank, int size, int device);
///@}

}  // namespace td::cuda
