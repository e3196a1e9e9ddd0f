#include "kernels.h"

#include "simt/exercise.h"

// answer: no_loop
// expect: 3 rows of 33 elements with blocks of 32
// Right where the block has a thread for each element of a row.
namespace no_loop {
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int row = indices[blockIdx.x];
  const int j = threadIdx.x;
  if (j < dim) out[blockIdx.x * dim + j] = row < 0 ? 0.0f : table[row * dim + j];
}
}  // namespace no_loop

// answer: no_padding
// expect: before the start of table
// Right where every index is in the table.
namespace no_padding {
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int row = indices[blockIdx.x];
  for (int j = threadIdx.x; j < dim; j += blockDim.x)
    out[blockIdx.x * dim + j] = table[row * dim + j];
}
}  // namespace no_padding

// answer: padding_left_out
// expect: this element was never written
// Writes nothing where the index is padding. Right where `out` holds zeros.
namespace padding_left_out {
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int row = indices[blockIdx.x];
  if (row < 0) return;
  for (int j = threadIdx.x; j < dim; j += blockDim.x)
    out[blockIdx.x * dim + j] = table[row * dim + j];
}
}  // namespace padding_left_out

// answer: chunks
// expect: sectors
// Every result is right, but each thread copies neighboring elements, so the lanes are apart.
namespace chunks {
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int row = indices[blockIdx.x];
  const int chunk = (dim + blockDim.x - 1) / blockDim.x;
  for (int j = threadIdx.x * chunk; j < min(dim, (static_cast<int>(threadIdx.x) + 1) * chunk); ++j)
    out[blockIdx.x * dim + j] = row < 0 ? 0.0f : table[row * dim + j];
}
}  // namespace chunks

// answer: index_of_the_thread
// expect: past the end of
// There is one index per block, not per thread.
namespace index_of_the_thread {
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int row = indices[blockIdx.x * blockDim.x + threadIdx.x];
  for (int j = threadIdx.x; j < dim; j += blockDim.x)
    out[blockIdx.x * dim + j] = row < 0 ? 0.0f : table[row * dim + j];
}
}  // namespace index_of_the_thread

// answer: only_minus_one
// expect: 5 rows of 96 elements with blocks of 64
// Right on the example: any index below 0 is padding.
namespace only_minus_one {
__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int row = indices[blockIdx.x];
  for (int j = threadIdx.x; j < dim; j += blockDim.x)
    out[blockIdx.x * dim + j] = row == -1 ? 0.0f : table[row * dim + j];
}
}  // namespace only_minus_one

// answer: times_zero
// expect: expected 0, got …, which is not a number
// Multiplies by 0 for padding. Right where row 0 of the table is finite.
namespace times_zero {

__global__ void gather_rows(const float* table, const int* indices, float* out, int dim) {
  const int index = indices[blockIdx.x];
  const float keep = index >= 0;
  const int from = max(index, 0);
  for (int j = threadIdx.x; j < dim; j += blockDim.x)
    out[blockIdx.x * dim + j] = keep * table[from * dim + j];
}

}  // namespace times_zero
