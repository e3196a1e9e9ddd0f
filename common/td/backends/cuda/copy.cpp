// Copies from, to and between GPUs; backend.cpp calls queue_copy(). Invariant: a copy that may wait
// for its stream has a span that waits, too, and so does not block another thread.
#include <mutex>

#include "td/backends/cuda/check.h"
#include "td/device/graph.h"

namespace td::cuda {
namespace {

bool is_pageable(const void* memory) {
  cudaPointerAttributes attributes{};
  return !succeeded(cudaPointerGetAttributes(&attributes, memory)) ||
         attributes.type == cudaMemoryTypeUnregistered;
}

// Some machines let the GPU read pageable memory itself, possibly after the call has returned.
bool reads_pageable_memory(int index) {
  int yes = 0;
  return cudaDeviceGetAttribute(&yes, cudaDevAttrPageableMemoryAccess, index) == cudaSuccess && yes;
}

// Opens the direct path between two GPUs, once per pair. Where there is none, CUDA copies through
// the host by itself.
void open_peer_path(int from, int to) {
  static std::once_flag opened[kMaxDevices][kMaxDevices];
  std::call_once(opened[from][to], [&] {
    int possible = 0;
    cudaDeviceCanAccessPeer(&possible, from, to);
    use_device(from);
    if (possible) cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
  });
}

}  // namespace

bool queue_copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
                int index, NativeStream* stream) {
  use_device(index);
  const bool to_host = to_device.is_cpu(), from_host = from_device.is_cpu();
  const auto copy = [&] {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)), "copying", index);
  };
  if (to_host ? is_pageable(to) : from_host && is_pageable(from)) {
    check_may_copy_pageable();
    // The call itself may wait for the stream: CUDA returns when it has written the host's memory,
    // or (except on some machines) has read it.
    const char* const name =
        to_host ? "Memcpy DtoH (Device -> Pageable)" : "Memcpy HtoD (Pageable -> Device)";
    const auto span =
        stream_span(name, bytes, index, stream, trace::Category::kCopy, /*waits=*/true);
    copy();
    return to_host || reads_pageable_memory(index);
  }
  const bool to_peer = !to_host && !from_host && to_device != from_device;
  if (to_peer) {
    open_peer_path(to_device.index(), from_device.index());
    open_peer_path(from_device.index(), to_device.index());
  }
  const char* const name = to_host     ? "Memcpy DtoH (Device -> Pinned)"
                           : from_host ? "Memcpy HtoD (Pinned -> Device)"
                           : to_peer   ? "Memcpy PtoP (Device -> Device)"
                                       : "Memcpy DtoD (Device -> Device)";
  const auto span = stream_span(name, bytes, index, stream, trace::Category::kCopy);
  if (!to_peer)
    copy();
  else
    check(cudaMemcpyPeerAsync(to, to_device.index(), from, from_device.index(), bytes,
                              stream_of(stream)),
          "copying between GPUs", index);
  return false;
}

}  // namespace td::cuda
