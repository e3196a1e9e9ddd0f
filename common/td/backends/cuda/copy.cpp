// See copy.h. Each copy is one call of the CUDA runtime, which tells from the addresses which side
// is where. Invariant: what may wait for a stream is not within a StreamSpan, which keeps others
// waiting.
#include "td/backends/cuda/copy.h"

#include <mutex>

#include "td/backends/cuda/check.h"
#include "td/backends/cuda/spans.h"
#include "td/device/graph.h"

namespace td::cuda {
namespace {

bool is_pageable(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    cudaGetLastError();
    return true;
  }
  return attributes.type == cudaMemoryTypeUnregistered;
}

// Some machines let the GPU read pageable memory itself; the source may then be read late.
bool reads_pageable_memory(int index) {
  int yes = 0;
  return cudaDeviceGetAttribute(&yes, cudaDevAttrPageableMemoryAccess, index) == cudaSuccess && yes;
}

// Opens the direct road between two GPUs, once a pair. Where there is none, CUDA copies through
// the host by itself.
void open_peer_road(int from, int to) {
  static std::once_flag opened[kMaxDevices][kMaxDevices];
  std::call_once(opened[from][to], [&] {
    int possible = 0;
    cudaDeviceCanAccessPeer(&possible, from, to);
    use_device(from);
    if (possible) cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
  });
}

void copy_to_peer(void* to, int to_index, const void* from, int from_index, std::size_t bytes,
                  int index, void* stream) {
  open_peer_road(to_index, from_index);
  open_peer_road(from_index, to_index);
  const StreamSpan span("Memcpy PtoP (Device -> Device)", index, stream, trace::Category::kCopy,
                        bytes);
  check(cudaMemcpyPeerAsync(to, to_index, from, from_index, bytes, stream_of(stream)),
        "copying between GPUs", index);
}

void call_memcpy(void* to, const void* from, std::size_t bytes, int index, void* stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)), "copying", index);
}

// The call itself may wait for the stream: CUDA returns when it has written the host's memory, or
// has read it, but not on every machine.
bool copy_pageable(void* to, bool to_host, const void* from, std::size_t bytes, int index,
                   void* stream) {
  check_may_copy_pageable();
  const auto span = waiting_span(
      to_host ? "Memcpy DtoH (Device -> Pageable)" : "Memcpy HtoD (Pageable -> Device)", bytes,
      index, stream, trace::Category::kCopy);
  call_memcpy(to, from, bytes, index, stream);
  return to_host || reads_pageable_memory(index);
}

}  // namespace

bool queue_copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
                int index, void* stream) {
  use_device(index);
  const bool to_host = to_device.is_cpu(), from_host = from_device.is_cpu();
  if (to_host ? is_pageable(to) : from_host && is_pageable(from))
    return copy_pageable(to, to_host, from, bytes, index, stream);
  if (!to_host && !from_host && to_device != from_device) {
    copy_to_peer(to, to_device.index(), from, from_device.index(), bytes, index, stream);
    return false;
  }
  const char* const name = to_host     ? "Memcpy DtoH (Device -> Pinned)"
                           : from_host ? "Memcpy HtoD (Pinned -> Device)"
                                       : "Memcpy DtoD (Device -> Device)";
  const StreamSpan span(name, index, stream, trace::Category::kCopy, bytes);
  call_memcpy(to, from, bytes, index, stream);
  return false;
}

}  // namespace td::cuda
