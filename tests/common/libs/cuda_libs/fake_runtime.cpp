// The runtime below the doubles of cuBLAS and cuDNN in this program: one device, whose work runs
// when it is queued.
#include <stdexcept>

#include "fake.h"
#include "stand_in.h"

namespace cuda_stand_in {

using fake::world;

cudaError_t queue(const char* call, cudaStream_t, Operation operation) {
  for (const Use& use : operation.uses) {
    const std::string why = why_not_on_device(use.data, use.bytes, 0);
    if (!why.empty()) return refuse(call, why);
  }
  if (operation.name.starts_with("cublas")) operation.run(true);
  return cudaSuccess;
}

cudaError_t refuse(const std::string& call, const std::string& why) {
  throw std::logic_error(call + ": " + why);
}

void* device_view(const void* memory) { return const_cast<void*>(memory); }
int current_device() { return 0; }
int stream_device(cudaStream_t) { return 0; }

// Memory of the pools must belong to a live block; everything else is the test's own.
std::string why_not_on_device(const void* memory, std::size_t bytes, int) {
  if (memory < fake::pool_begin(1) || memory >= fake::pool_begin(3)) return "";
  const auto* const begin = static_cast<const char*>(memory);
  for (const auto& [block, size] : world().live)
    if (begin >= block && begin + bytes <= static_cast<char*>(block) + size) return "";
  return "was given back before";
}

std::uint64_t random(std::uint64_t) { return 0; }
void count_call(const std::string& function) { ++world().calls[function]; }

}  // namespace cuda_stand_in

extern "C" {

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const int capability = fake::world().compute_capability;
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? capability / 10 : capability % 10;
  return cudaSuccess;
}

}  // extern "C"
