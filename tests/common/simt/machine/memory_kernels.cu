// Memory that is easily overlooked: of structs that calls return, between shared variables, of the
// device's heap, and tables of virtual functions.
#include "kernels.h"

namespace {

struct Range3 {
  float least, most, sum;
};

__device__ Range3 range_of(const float* values, int n) {
  Range3 range{values[0], values[0], 0};
  for (int i = 0; i < n; ++i) {
    range.least = fminf(range.least, values[i]);
    range.most = fmaxf(range.most, values[i]);
    range.sum += values[i];
  }
  return range;
}

__device__ float width(Range3 range) { return range.most - range.least; }

}  // namespace

__global__ void store_ranges(const float* in, float* out) {
  Range3* ranges = reinterpret_cast<Range3*>(out);
  ranges[threadIdx.x] = range_of(in + 2 * threadIdx.x, 2);  // mark: store ranges
}

__global__ void share_ranges(const float* in, float* out) {
  __shared__ Range3 ranges[48];
  ranges[threadIdx.x] = range_of(in + 2 * threadIdx.x, 2);
  __syncthreads();
  out[threadIdx.x] = width(ranges[47 - threadIdx.x]);
}

__global__ void take_ranges(const float* in, float* out) {
  const Range3* ranges = reinterpret_cast<const Range3*>(in);
  out[threadIdx.x] = width(ranges[threadIdx.x]);  // mark: take ranges
}

// One thread leaves its array; the next array of the kernel is close.
__global__ void two_arrays(const int* index, int* out) {
  __shared__ int left[16];
  __shared__ int right[16];
  left[threadIdx.x] = right[threadIdx.x] = 0;
  __syncthreads();
  left[index[threadIdx.x]] = 1;  // mark: two arrays
  __syncthreads();
  out[threadIdx.x] = right[threadIdx.x];
}

__global__ void use_heap(int* out) {
  int* mine = static_cast<int*>(malloc(3 * sizeof(int)));
  int** table = new int*[2];
  table[threadIdx.x % 2] = mine;
  for (int i = 0; i < 3; ++i) table[threadIdx.x % 2][i] = static_cast<int>(threadIdx.x) + i;
  out[threadIdx.x] = mine[2];
  delete[] table;
  free(mine);
}

__global__ void leave_heap(int* out) {
  int* mine = new int[4];
  mine[out[threadIdx.x]] = 1;  // mark: leave heap
  out[threadIdx.x] = mine[0];
  delete[] mine;
}

namespace {

struct Curve {
  __device__ virtual float at(float x) const = 0;
};
struct Parabola : Curve {
  __device__ float at(float x) const override { return x * x; }
};
struct Line : Curve {
  __device__ float at(float x) const override { return 3 * x; }
};

}  // namespace

__global__ void call_virtual(const int* kinds, float* out) {
  Parabola parabola;
  Line line;
  const Curve* curves[2] = {&parabola, &line};
  out[threadIdx.x] = curves[kinds[threadIdx.x]]->at(static_cast<float>(threadIdx.x));
}

constexpr int kMostThreads = 96;
__global__ void __launch_bounds__(kMostThreads) bounded(int* out) { out[threadIdx.x] = 1; }
template <int threads>
__global__ void __launch_bounds__(2 * threads, 1) bounded_template(int* out) {
  out[threadIdx.x] = 1;
}
template __global__ void bounded_template<32>(int*);

extern __shared__ float line_of_tile[];
extern __shared__ double other_name[];
__global__ void use_other_name(double* out) {
  other_name[threadIdx.x] = 1;
  out[threadIdx.x] = other_name[threadIdx.x];
}
__global__ void use_line_of_tile(const float* in, float* out) {
  line_of_tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = line_of_tile[threadIdx.x + 1];  // mark: line of tile
}

__global__ void misaligned_pairs(const double* in, double* out) {
  const double2* pairs = reinterpret_cast<const double2*>(in + 1);
  *reinterpret_cast<double2*>(out + 2 * threadIdx.x) = pairs[threadIdx.x];  // mark: misaligned
}

__global__ void leave_everything(int* out, long long step) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  for (int i = 1; i < 8; ++i) {
    s[threadIdx.x + i * 2048] = 0x5a5a5a5a;
    out[-i * step] = 0x5a5a5a5a;
  }
}
