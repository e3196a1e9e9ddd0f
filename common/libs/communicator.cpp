// Passes the calls on to NCCL or, in a build without CUDA, throws.
#include "libs/communicator.h"

#include "td/base/error.h"
#include "td/device/backend.h"
#ifdef TD_HAS_CUDA
#include "libs/cuda_libs.h"
#include "td/backends/cuda/cuda.h"
#endif

namespace td {

#ifdef TD_HAS_CUDA

std::string new_communicator_id() { return cuda::libs().new_communicator_id(); }

std::shared_ptr<Communicator> join_communicator(const std::string& id, int rank, int size,
                                                Device device) {
  check_device(device);
  return cuda::libs().join_communicator(id, rank, size, device.index());
}

std::string device_uuid(Device device) {
  check_device(device);
  return cuda::uuid(device.index());
}

#else

std::string new_communicator_id() { fail<DeviceError>(backend(kCUDA).unavailable_reason()); }

std::shared_ptr<Communicator> join_communicator(const std::string&, int, int, Device) {
  fail<DeviceError>(backend(kCUDA).unavailable_reason());
}

std::string device_uuid(Device) { fail<DeviceError>(backend(kCUDA).unavailable_reason()); }

#endif

}  // namespace td
