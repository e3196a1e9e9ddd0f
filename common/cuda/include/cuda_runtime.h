// What every program of CUDA starts with: the language, the runtime, and the functions of the
// runtime that are templates. The command `./course cuda` includes it before the program, as nvcc
// does.
//
// Invariant: the templates are inlined, so that the runtime returns to a line of the program.
#pragma once

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cuda/launch.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#ifndef TD_CUDA_HOST_FILE
#include "cuda/ptx.h"
#include "simt/kernel.h"
#include "simt/nv_atomic.h"
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"
#endif

#define __CUDA_RUNTIME_H__

#ifdef TD_CUDA_HOST_FILE  // a file without kernels, which has the runtime but not the language
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#else
// Kernels are functions of their own, which reports and launches find by their address. The tool
// that translates the program looks for td_global and td_device.
#undef __device__
#define __device__ __attribute__((td_device))
#undef __global__
#ifdef __clang__
#define __global__ __attribute__((noinline, td_global))
#else
#define __global__ __attribute__((flatten, noinline, td_global))
#endif

#ifndef __CUDACC__  // for the program; our headers ask for nvcc by this name
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDA_ARCH__ 900
#endif
#endif  // TD_CUDA_HOST_FILE

// Memory.
template <class T>
TD_CUDA_INLINE cudaError_t cudaMalloc(T** memory, size_t bytes) {
  return td::cudart::allocate("cudaMalloc", td::cudart::Kind::kDevice, td::cudart::untyped(memory),
                              bytes, td::cudart::element_of<T>());
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaStream_t stream) {
  return td::cudart::allocate("cudaMallocAsync", td::cudart::Kind::kDevice,
                              td::cudart::untyped(memory), bytes, td::cudart::element_of<T>(),
                              stream);
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaMallocManaged(T** memory, size_t bytes,
                                             unsigned = cudaMemAttachGlobal) {
  return td::cudart::allocate("cudaMallocManaged", td::cudart::Kind::kManaged,
                              td::cudart::untyped(memory), bytes, td::cudart::element_of<T>());
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaMallocHost(T** memory, size_t bytes, unsigned = 0) {
  return td::cudart::allocate("cudaMallocHost", td::cudart::Kind::kPinned,
                              td::cudart::untyped(memory), bytes, td::cudart::element_of<T>());
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaHostAlloc(T** memory, size_t bytes, unsigned) {
  return td::cudart::allocate("cudaHostAlloc", td::cudart::Kind::kPinned,
                              td::cudart::untyped(memory), bytes, td::cudart::element_of<T>());
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaMallocPitch(T** memory, size_t* pitch, size_t width, size_t height) {
  return td::cudart::allocate_rows(td::cudart::untyped(memory), pitch, width, height,
                                   td::cudart::element_of<T>());
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaHostGetDevicePointer(T** pointer, void* host, unsigned) {
  return td::cudart::device_pointer(td::cudart::untyped(pointer), host);
}

// Where managed memory is makes no difference here.
TD_CUDA_INLINE cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, int,
                                                cudaStream_t = nullptr) {
  return td::cudart::prefetch(memory, bytes);
}
TD_CUDA_INLINE cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, cudaMemLocation,
                                                unsigned, cudaStream_t = nullptr) {
  return td::cudart::prefetch(memory, bytes);
}
TD_CUDA_INLINE cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise, int) {
  return td::cudart::prefetch(memory, bytes);
}
TD_CUDA_INLINE cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise,
                                         cudaMemLocation) {
  return td::cudart::prefetch(memory, bytes);
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T* memory, size_t = 0,
                                                    unsigned = cudaMemAttachSingle) {
  return td::cudart::prefetch(memory, 1);
}

/// The channels of a texel of type T: a number, or a vector of 1, 2 or 4.
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  const auto of = []<class E>(E, std::size_t count) {
    constexpr int bits = sizeof(E) * 8;
    constexpr cudaChannelFormatKind kind =
        std::is_integral_v<E>
            ? std::is_signed_v<E> ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned
            : cudaChannelFormatKindFloat;
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                 count > 3 ? bits : 0, kind);
  };
  if constexpr (requires(T t) { t.x = 0; })
    return of(decltype(T::x){}, sizeof(T) / sizeof(T::x));
  else
    return of(T{}, 1);
}

// Variables of the device.
template <class T>
TD_CUDA_INLINE cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes,
                                              size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return td::cudart::copy_symbol("cudaMemcpyToSymbol", &symbol, sizeof symbol, from, bytes, offset,
                                 kind, true, true, nullptr);
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes,
                                                size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return td::cudart::copy_symbol("cudaMemcpyFromSymbol", &symbol, sizeof symbol, to, bytes, offset,
                                 kind, false, true, nullptr);
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes,
                                                   size_t offset, cudaMemcpyKind kind,
                                                   cudaStream_t stream = nullptr) {
  return td::cudart::copy_symbol("cudaMemcpyToSymbolAsync", &symbol, sizeof symbol, from, bytes,
                                 offset, kind, true, false, stream);
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes,
                                                     size_t offset, cudaMemcpyKind kind,
                                                     cudaStream_t stream = nullptr) {
  return td::cudart::copy_symbol("cudaMemcpyFromSymbolAsync", &symbol, sizeof symbol, to, bytes,
                                 offset, kind, false, false, stream);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  *address = const_cast<void*>(static_cast<const void*>(&symbol));
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}

// Kernels.
template <class T>
TD_CUDA_INLINE cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return td::cudart::set_attribute(td::cudart::untyped_kernel(kernel), attribute, value);
}
template <class T>
cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache) {
  return cudaSuccess;
}
template <class T>
cudaError_t cudaFuncSetSharedMemConfig(T*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return td::cudart::get_attributes(attributes, td::cudart::untyped_kernel(kernel));
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel,
                                                                         int threads,
                                                                         size_t shared) {
  return td::cudart::occupancy(blocks, td::cudart::untyped_kernel(kernel), threads, shared);
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, T kernel, int threads, size_t shared, unsigned) {
  return td::cudart::occupancy(blocks, td::cudart::untyped_kernel(kernel), threads, shared);
}
/// The largest block with the most threads on an SM, and the grid that fills the device.
template <class T, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel,
                                                           F shared_of, int limit = 0) {
  int best = 0, processors = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  for (int threads = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; threads >= 32;
       threads -= 32) {
    int blocks = 0;
    const cudaError_t error = td::cudart::occupancy(&blocks, td::cudart::untyped_kernel(kernel),
                                                    threads, shared_of(threads));
    if (error) return error;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * processors;
  }
  return cudaSuccess;
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel, size_t shared = 0,
                                               int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [shared](int) { return shared; }, limit);
}

template <class T>
TD_CUDA_INLINE cudaError_t cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments,
                                            size_t shared = 0, cudaStream_t stream = nullptr) {
  if constexpr (std::is_function_v<T>) td::cudart::remembered("the kernel", kernel);
  return td::cudart::launch_remembered(td::cudart::untyped_kernel(kernel),
                                       {grid, block, shared, stream}, arguments);
}
template <class T>
TD_CUDA_INLINE cudaError_t cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block,
                                                       void** arguments, size_t shared = 0,
                                                       cudaStream_t stream = nullptr) {
  if constexpr (std::is_function_v<T>) td::cudart::remembered("the kernel", kernel);
  return td::cudart::launch_remembered(td::cudart::untyped_kernel(kernel),
                                       {grid, block, shared, stream, true}, arguments);
}
template <class... P, class... A>
TD_CUDA_INLINE cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                              void (*kernel)(P...), A&&... values) {
  td::cudart::Config own{config->gridDim, config->blockDim, config->dynamicSmemBytes,
                         config->stream};
  for (unsigned i = 0; i < config->numAttrs; ++i)
    own.is_cooperative |= config->attrs[i].id == cudaLaunchAttributeCooperative;
  return td::cudart::launch_with<void (*)(P...), P...>(
      "the kernel", td::cudart::untyped_kernel(kernel), own, kernel, P(values)...);
}

inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t* node, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (node) *node = info.errorNode;
  *result = info.result;
  return error;
}

// Events and graphs, with the arguments of several versions of CUDA.
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) {
  return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*,
                                        char*, size_t) {
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
