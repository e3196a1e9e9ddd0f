// Adds a row to a matrix of 20 x 50, with three mistakes that `./course cuda FILE --check` reports.
#include <cstdio>
#include <vector>

__global__ void add_row(float* matrix, const float* row, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows) matrix[r * cols + c] += row[c];
}

int main() {
  const int rows = 20, cols = 50;
  std::vector<float> zeros(rows * cols), ones(cols, 1);
  float *matrix, *row;
  cudaMalloc(&matrix, rows * cols * sizeof(float));
  cudaMalloc(&row, cols * sizeof(float));
  cudaMemcpy(matrix, zeros.data(), rows * cols * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(row, ones.data(), cols * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
  add_row<<<grid, block>>>(matrix, row, rows, cols);
  cudaFree(row);
  std::printf("the first element: %g\n", matrix[0]);
}
