// The calls that copy and set memory, and the variables of the device. All are made of rows, of
// which a simple copy has one. Invariant: both sides of a queued copy are memory of the stated
// kind.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "cuda/arrays.h"
#include "cuda/graph.h"
#include "cuda/report.h"
#include "cuda/shadow.h"

namespace td::cudart {
namespace {

std::size_t span(const Side& side, const Box& box) {
  return (box.depth - 1) * side.plane + (box.height - 1) * side.pitch + box.width;
}

template <class Row>
void for_rows(const Box& box, Row row) {
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y) row(y, z);
}

void copy(const Side& to, const Side& from, const Box& box) {
  for_rows(box, [&](std::size_t y, std::size_t z) {
    char* const row = to.data + z * to.plane + y * to.pitch;
    const char* const source = from.data + z * from.plane + y * from.pitch;
    shadow::touch(source, box.width, shadow::Use::kRead);
    shadow::touch(row, box.width, shadow::Use::kWrite);
    std::memmove(row, source, box.width);
  });
}

std::string name_of(const Block& block) {
  const char* const kinds[] = {"memory of the device", "managed memory",
                               "pinned memory of the host", "registered memory of the host"};
  return std::string(kinds[static_cast<int>(block.kind)]) + " (" + block.call + " in " +
         place_of(block.made) + ")";
}

struct Checked {
  Found found;
  std::string fault;
};

/// What is wrong with one side of a copy.
Checked check_side(const State& all, const Side& side, const Box& box, bool wants_device,
                   bool wants_host) {
  Checked checked{find_memory(all, side.data, span(side, box)), ""};
  const Found& found = checked.found;
  if (!side.data)
    checked.fault = "is a null pointer";
  else if (found.freed)
    checked.fault =
        "was freed in " + place_of(found.freed->freed) + ": it was " + name_of(*found.freed);
  else if (found.is_beyond)
    checked.fault = "has " +
                    std::to_string(found.block->bytes -
                                   (reinterpret_cast<std::uintptr_t>(side.data) - found.begin)) +
                    " bytes from there on, and the call needs " + std::to_string(span(side, box)) +
                    ": it is " + name_of(*found.block);
  else if (wants_device && !found.block && !is_variable(side.data))
    checked.fault = "is memory of the host";
  else if (wants_host && found.is_device())
    checked.fault = "is " + name_of(*found.block);
  return checked;
}

const char* name_of(cudaMemcpyKind kind) {
  const char* const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                               "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                               "cudaMemcpyDefault"};
  return kind >= 0 && kind <= 4 ? names[kind] : "an unknown kind";
}

struct Sides {
  Checked to, from;
};

/// @return an error, after a report.
cudaError_t check_copy(State& all, const Call& call, const Side& to, const Side& from,
                       const Box& box, cudaMemcpyKind kind, Sides& sides) {
  if (kind < 0 || kind > 4) return cudaErrorInvalidMemcpyDirection;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
  sides.to = check_side(all, to, box, to_device, to_host);
  sides.from = check_side(all, from, box, from_device, from_host);
  for (const auto& [side, what] : {std::tuple{&sides.to, "destination"}, {&sides.from, "source"}}) {
    if (side->fault.empty()) continue;
    report(call.caller,
           std::string(call.name) + " with " + name_of(kind) + ": the " + what + " " + side->fault);
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t copy(const Call& call, const Side& to, const Side& from, const Box& box,
                 cudaMemcpyKind kind, bool waits, cudaStream_t handle) {
  return run_call(call, [&](State& all, Lock& lock) {
    Stream* const stream = find_stream(all, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (box.is_empty()) return cudaSuccess;
    if (box.height > 1 && box.width > std::min(to.pitch, from.pitch))
      return cudaErrorInvalidPitchValue;
    Sides sides;
    if (const cudaError_t error = check_copy(all, call, to, from, box, kind, sides)) return error;
    if (stream->capture && waits) return cudaErrorStreamCaptureUnsupported;
    Side source = from;
    std::shared_ptr<char[]> staged;
    if (sides.from.found.is_pageable() && !is_variable(from.data) && !waits && !stream->capture) {
      staged = std::make_shared_for_overwrite<char[]>(box.width * box.height * box.depth);
      source = {staged.get(), box.width, box.width * box.height};
      copy(source, from, box);
    }
    const OperationPtr queued =
        enqueue(all, *stream, [to, source, box, staged] { copy(to, source, box); }, call,
                {{source.data, span(source, box), false}, {to.data, span(to, box), true}});
    if (waits || (sides.to.found.is_pageable() && !is_variable(to.data)))
      wait_for(all, queued, lock);
    return waits ? all.devices[stream->device].error : cudaSuccess;
  });
}

Side side_of(const void* data, std::size_t pitch, std::size_t plane) {
  return {static_cast<char*>(const_cast<void*>(data)), pitch, plane};
}

namespace {

Side side_in(const cudaPitchedPtr& memory, const cudaPos& at) {
  const std::size_t plane = memory.pitch * memory.ysize;
  return side_of(static_cast<char*>(memory.ptr) + at.z * plane + at.y * memory.pitch + at.x,
                 memory.pitch, plane);
}

Box box_of(const cudaExtent& extent) { return {extent.width, extent.height, extent.depth}; }

cudaError_t copy_3d(const Call& call, const cudaMemcpy3DParms& p, bool waits, cudaStream_t stream) {
  Sides3D sides;
  const cudaError_t error =
      run_call(call, [&](const State& all, Lock&) { return sides_of(all, call, p, sides); });
  return error ? error : copy(call, sides.to, sides.from, sides.box, p.kind, waits, stream);
}

cudaError_t set(const Call& call, const Side& to, int value, const Box& box, bool waits,
                cudaStream_t handle) {
  return run_call(call, [&](State& all, Lock& lock) {
    Stream* const stream = find_stream(all, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (box.is_empty()) return cudaSuccess;
    const Checked side = check_side(all, to, box, true, false);
    if (!side.fault.empty()) {
      report(call.caller, std::string(call.name) + ": the destination " + side.fault);
      return cudaErrorInvalidValue;
    }
    const OperationPtr queued = enqueue(all, *stream,
                                        [to, value, box] {
                                          for_rows(box, [&](std::size_t y, std::size_t z) {
                                            char* const row = to.data + z * to.plane + y * to.pitch;
                                            std::memset(row, value, box.width);
                                            shadow::touch(row, box.width, shadow::Use::kWrite);
                                          });
                                        },
                                        call, {{to.data, span(to, box), true}});
    if (waits && !side.found.is_device()) wait_for(all, queued, lock);
    return cudaSuccess;
  });
}

}  // namespace

/// Where an array takes part, x of its position and the width of the extent count texels.
cudaError_t sides_of(const State& all, const Call& call, const cudaMemcpy3DParms& p,
                     Sides3D& sides) {
  sides.box = box_of(p.extent);
  for (const cudaArray* array : {p.srcArray, p.dstArray})
    if (array && !all.arrays.count(array)) return cudaErrorInvalidResourceHandle;
  if (const cudaArray* const array = p.srcArray ? p.srcArray : p.dstArray)
    sides.box.width *= array->texel_bytes();
  const auto side = [&](const cudaArray* array, cudaPos at, const cudaPitchedPtr& memory,
                        Side& found) {
    if (!array) return found = side_in(memory, at), cudaSuccess;
    at.x *= array->texel_bytes();
    return side_of(all, call, array, at, sides.box, found);
  };
  const cudaError_t error = side(p.srcArray, p.srcPos, p.srcPtr, sides.from);
  return error ? error : side(p.dstArray, p.dstPos, p.dstPtr, sides.to);
}

cudaError_t work_of_copy(State& all, const Call& call, void* to, const void* from,
                         std::size_t bytes, cudaMemcpyKind kind, std::function<void()>& work) {
  Sides sides;
  const Side target = side_of(to), source = side_of(from);
  const Box box{bytes};
  work = [=] { copy(target, source, box); };
  return bytes == 0 ? cudaSuccess : check_copy(all, call, target, source, box, kind, sides);
}

cudaError_t work_of_copy(State& all, const Call& call, const cudaMemcpy3DParms& p,
                         std::function<void()>& work) {
  Sides3D at;
  if (const cudaError_t error = sides_of(all, call, p, at)) return error;
  work = [at] { copy(at.to, at.from, at.box); };
  Sides sides;
  return check_copy(all, call, at.to, at.from, at.box, p.kind, sides);
}

cudaError_t copy_symbol(const char* name, const void* symbol, std::size_t size, const void* other,
                        std::size_t bytes, std::size_t offset, cudaMemcpyKind kind, bool to_symbol,
                        bool waits, cudaStream_t stream) {
  const Call call{name, TD_CUDA_CALLER};
  if (offset > size || bytes > size - offset) {
    report(call.caller, std::string(name) + ": " + std::to_string(bytes) + " bytes from byte " +
                            std::to_string(offset) + " on, but the variable has " +
                            std::to_string(size));
    return run_call(call, [](State&, Lock&) { return cudaErrorInvalidValue; });
  }
  const Side variable = side_of(static_cast<const char*>(symbol) + offset);
  const Side memory = side_of(other);
  return to_symbol ? copy(call, variable, memory, {bytes}, kind, waits, stream)
                   : copy(call, memory, variable, {bytes}, kind, waits, stream);
}

}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy({"cudaMemcpy", TD_CUDA_CALLER}, side_of(to), side_of(from), {bytes}, kind, true,
              nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy({"cudaMemcpyAsync", TD_CUDA_CALLER}, side_of(to), side_of(from), {bytes}, kind, false,
              stream);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy({"cudaMemcpy2D", TD_CUDA_CALLER}, side_of(to, to_pitch), side_of(from, from_pitch),
              {width, height}, kind, true, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy({"cudaMemcpy2DAsync", TD_CUDA_CALLER}, side_of(to, to_pitch),
              side_of(from, from_pitch), {width, height}, kind, false, stream);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return copy_3d({"cudaMemcpy3D", TD_CUDA_CALLER}, *p, true, nullptr);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_3d({"cudaMemcpy3DAsync", TD_CUDA_CALLER}, *p, false, stream);
}

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy({"cudaMemcpyPeer", TD_CUDA_CALLER}, side_of(to), side_of(from), {bytes},
              cudaMemcpyDeviceToDevice, true, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return copy({"cudaMemcpyPeerAsync", TD_CUDA_CALLER}, side_of(to), side_of(from), {bytes},
              cudaMemcpyDeviceToDevice, false, stream);
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return set({"cudaMemset", TD_CUDA_CALLER}, side_of(memory), value, {bytes}, true, nullptr);
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return set({"cudaMemsetAsync", TD_CUDA_CALLER}, side_of(memory), value, {bytes}, false, stream);
}
cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return set({"cudaMemset2D", TD_CUDA_CALLER}, side_of(memory, pitch), value, {width, height}, true,
             nullptr);
}
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return set({"cudaMemset2DAsync", TD_CUDA_CALLER}, side_of(memory, pitch), value, {width, height},
             false, stream);
}
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return set({"cudaMemset3D", TD_CUDA_CALLER}, side_in(memory, {}), value, box_of(extent), true,
             nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return set({"cudaMemset3DAsync", TD_CUDA_CALLER}, side_in(memory, {}), value, box_of(extent),
             false, stream);
}

}  // extern "C"
