// The properties are those of the GPU whose limits the machine has; what has no meaning here is 0.
#include "cuda/device_properties.h"

#include <cstdio>

namespace td::cudart {

cudaDeviceProp properties_of(const State& all, int device) {
  const simt::GpuLimits& gpu = *all.gpu;
  cudaDeviceProp p{};
  std::snprintf(p.name, sizeof p.name, "%s (limits only: this machine's CPU runs the kernels)",
                std::string(gpu.name).c_str());
  p.uuid.bytes[15] = static_cast<char>(device + 1);
  p.totalGlobalMem = all.device_bytes;
  p.sharedMemPerBlock = simt::kSharedWithoutOptIn;
  p.sharedMemPerBlockOptin = gpu.shared_opt_in;
  p.sharedMemPerMultiprocessor = gpu.shared_per_sm;
  p.reservedSharedMemPerBlock = gpu.shared_reserved;
  p.regsPerBlock = p.regsPerMultiprocessor = simt::kRegistersPerSm;
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  constexpr int kMostThreads = 1024;
  p.maxThreadsPerBlock = kMostThreads;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = kMostThreads;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.major = gpu.compute_capability / 10;
  p.minor = gpu.compute_capability % 10;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.clockRate = 1980000;
  p.memoryClockRate = 2619000;
  p.memoryBusWidth = 5120;
  p.l2CacheSize = 50 << 20;
  p.multiProcessorCount = kProcessors;
  p.maxThreadsPerMultiProcessor = gpu.threads_per_sm;
  p.maxBlocksPerMultiProcessor = gpu.blocks_per_sm;
  p.asyncEngineCount = 3;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.canMapHostMemory = p.concurrentKernels = p.deviceOverlap = p.unifiedAddressing = 1;
  p.managedMemory = p.concurrentManagedAccess = p.cooperativeLaunch = p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = p.streamPrioritiesSupported = 1;
  p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.pciBusID = device + 1;
  return p;
}

bool attribute_of(const cudaDeviceProp& p, cudaDeviceAttr attribute, int& value) {
  const auto of = [&](auto number) { return value = static_cast<int>(number), true; };
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return of(p.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX:
      return of(p.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY:
      return of(p.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ:
      return of(p.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX:
      return of(p.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY:
      return of(p.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ:
      return of(p.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return of(p.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return of(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return of(p.sharedMemPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return of(p.reservedSharedMemPerBlock);
    case cudaDevAttrMaxRegistersPerBlock:
      return of(p.regsPerBlock);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return of(p.regsPerMultiprocessor);
    case cudaDevAttrTotalConstantMemory:
      return of(p.totalConstMem);
    case cudaDevAttrWarpSize:
      return of(p.warpSize);
    case cudaDevAttrClockRate:
      return of(p.clockRate);
    case cudaDevAttrMemoryClockRate:
      return of(p.memoryClockRate);
    case cudaDevAttrGlobalMemoryBusWidth:
      return of(p.memoryBusWidth);
    case cudaDevAttrL2CacheSize:
      return of(p.l2CacheSize);
    case cudaDevAttrMultiProcessorCount:
      return of(p.multiProcessorCount);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return of(p.maxThreadsPerMultiProcessor);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return of(p.maxBlocksPerMultiProcessor);
    case cudaDevAttrComputeCapabilityMajor:
      return of(p.major);
    case cudaDevAttrComputeCapabilityMinor:
      return of(p.minor);
    case cudaDevAttrAsyncEngineCount:
      return of(p.asyncEngineCount);
    case cudaDevAttrMaxPitch:
      return of(p.memPitch);
    case cudaDevAttrTextureAlignment:
      return of(p.textureAlignment);
    case cudaDevAttrComputeMode:
      return of(p.computeMode);
    case cudaDevAttrPciBusId:
      return of(p.pciBusID);
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return of(p.singleToDoublePrecisionPerfRatio);
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrMemoryPoolsSupported:
      return of(1);
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrTccDriver:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrClusterLaunch:
      return of(0);
    default:
      return false;
  }
}

}  // namespace td::cudart
