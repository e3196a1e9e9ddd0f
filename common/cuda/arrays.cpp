// The calls that make, free and copy arrays. Invariant: as in arrays.h.
#include "cuda/arrays.h"

#include <algorithm>
#include <memory>

#include "cuda/report.h"

namespace td::cudart {

bool is_valid(const cudaChannelFormatDesc& d) {
  const bool is_one = d.y == 0 && d.z == 0 && d.w == 0, is_two = d.y == d.x && d.z == 0 && d.w == 0;
  const bool is_four = d.y == d.x && d.z == d.x && d.w == d.x;
  const bool has_bits = (d.x == 8 && d.f != cudaChannelFormatKindFloat) || d.x == 16 || d.x == 32;
  return has_bits && (is_one || is_two || is_four) && d.f >= 0 && d.f < cudaChannelFormatKindNone;
}

cudaError_t side_of(const State& all, const Call& call, const cudaArray* array, const cudaPos& at,
                    const Box& box, Side& side) {
  if (!all.arrays.count(array)) return cudaErrorInvalidResourceHandle;
  const auto fits = [](std::size_t begin, std::size_t count, std::size_t all_of_them) {
    return begin <= all_of_them && count <= all_of_them - begin;
  };
  if (!fits(at.x, box.width, array->pitch()) || !fits(at.y, box.height, array->rows()) ||
      !fits(at.z, box.depth, array->planes())) {
    const auto text = [](std::size_t x, std::size_t y, std::size_t z) {
      return std::to_string(x) + " bytes × " + std::to_string(y) + " rows × " + std::to_string(z);
    };
    report(call.caller, std::string(call.name) + ": " + text(box.width, box.height, box.depth) +
                            " do not fit into the array, which has " +
                            text(array->pitch() - std::min(at.x, array->pitch()),
                                 array->rows() - std::min(at.y, array->rows()),
                                 array->planes() - std::min(at.z, array->planes())) +
                            " from there on");
    return cudaErrorInvalidValue;
  }
  const std::size_t plane = array->pitch() * array->rows();
  side = {array->data + at.z * plane + at.y * array->pitch() + at.x, array->pitch(), plane};
  return cudaSuccess;
}

namespace {

cudaError_t make(const Call& call, cudaArray_t* array, const cudaChannelFormatDesc* channels,
                 const cudaExtent& extent, unsigned flags) {
  return run_call(call, [&](State& all, Lock&) -> cudaError_t {
    if (!array || !channels || extent.width == 0) return cudaErrorInvalidValue;
    if (!is_valid(*channels)) return cudaErrorInvalidChannelDescriptor;
    const bool is_layered = flags & cudaArrayLayered, is_cubemap = flags & cudaArrayCubemap;
    if (is_cubemap && (extent.width != extent.height || extent.depth % 6 != 0 ||
                       (!is_layered && extent.depth != 6)))
      return cudaErrorInvalidValue;
    if ((is_layered || is_cubemap) && extent.depth == 0) return cudaErrorInvalidValue;
    auto made = std::make_unique<cudaArray>(cudaArray{nullptr, *channels, extent, flags});
    void* data = nullptr;
    const cudaError_t error =
        make_block(all, call, Kind::kDevice, &data, made->pitch() * made->rows() * made->planes(),
                   {made->texel_bytes(), "texel"});
    if (error) return error;
    made->data = static_cast<char*>(data);
    *array = made.release();
    all.arrays.insert(*array);
    return cudaSuccess;
  });
}

/// One side is an array, from byte x of row y on.
struct InArray {
  const cudaArray* array;
  std::size_t x, y;
};
cudaError_t find(const Call& call, const InArray& part, const Box& box, Side& side) {
  return run_call(call, [&](const State& all, Lock&) {
    return side_of(all, call, part.array, {part.x, part.y, 0}, box, side);
  });
}

cudaError_t copy_to(const Call& call, const InArray& to, const Side& from, const Box& box,
                    cudaMemcpyKind kind, bool waits, cudaStream_t stream) {
  Side side{};
  const cudaError_t error = find(call, to, box, side);
  return error ? error : copy(call, side, from, box, kind, waits, stream);
}
cudaError_t copy_from(const Call& call, const Side& to, const InArray& from, const Box& box,
                      cudaMemcpyKind kind, bool waits, cudaStream_t stream) {
  Side side{};
  const cudaError_t error = find(call, from, box, side);
  return error ? error : copy(call, to, side, box, kind, waits, stream);
}

/// So many bytes in the order of the rows; the copy itself checks where the array ends.
cudaError_t copy_flat(const Call& call, const InArray& part, const void* other, std::size_t count,
                      cudaMemcpyKind kind, bool to_array, bool waits, cudaStream_t stream) {
  Side side{};
  if (const cudaError_t error = find(call, part, {1}, side)) return error;
  return to_array ? copy(call, side, side_of(other), {count}, kind, waits, stream)
                  : copy(call, side_of(other), side, {count}, kind, waits, stream);
}

}  // namespace
}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                            std::size_t width, std::size_t height, unsigned flags) {
  return make({"cudaMallocArray", TD_CUDA_CALLER}, array, channels, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels,
                              cudaExtent extent, unsigned flags) {
  return make({"cudaMalloc3DArray", TD_CUDA_CALLER}, array, channels, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  const Call own{"cudaFreeArray", TD_CUDA_CALLER};
  return run_call(own, [&](State& all, Lock& lock) -> cudaError_t {
    if (!array) return cudaSuccess;
    if (!all.arrays.count(array)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = free_block(all, own, array->data, false, lock)) return error;
    if (all.arrays.erase(array)) delete array;
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return run_call({"cudaArrayGetInfo", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    if (!all.arrays.count(array)) return cudaErrorInvalidResourceHandle;
    if (channels) *channels = array->channels;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  return cudaArrayGetInfo(channels, nullptr, nullptr, const_cast<cudaArray_t>(array));
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t count, cudaMemcpyKind kind) {
  return copy_flat({"cudaMemcpyToArray", TD_CUDA_CALLER}, {to, x, y}, from, count, kind, true, true,
                   nullptr);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                   std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_flat({"cudaMemcpyToArrayAsync", TD_CUDA_CALLER}, {to, x, y}, from, count, kind, true,
                   false, stream);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t count, cudaMemcpyKind kind) {
  return copy_flat({"cudaMemcpyFromArray", TD_CUDA_CALLER}, {from, x, y}, to, count, kind, false,
                   true, nullptr);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_flat({"cudaMemcpyFromArrayAsync", TD_CUDA_CALLER}, {from, x, y}, to, count, kind,
                   false, false, stream);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return copy_to({"cudaMemcpy2DToArray", TD_CUDA_CALLER}, {to, x, y}, side_of(from, pitch),
                 {width, height}, kind, true, nullptr);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to({"cudaMemcpy2DToArrayAsync", TD_CUDA_CALLER}, {to, x, y}, side_of(from, pitch),
                 {width, height}, kind, false, stream);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  return copy_from({"cudaMemcpy2DFromArray", TD_CUDA_CALLER}, side_of(to, pitch), {from, x, y},
                   {width, height}, kind, true, nullptr);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_from({"cudaMemcpy2DFromArrayAsync", TD_CUDA_CALLER}, side_of(to, pitch), {from, x, y},
                   {width, height}, kind, false, stream);
}

}  // extern "C"
