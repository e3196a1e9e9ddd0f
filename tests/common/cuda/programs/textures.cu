// Textures and surfaces of all kinds of memory, compared with loops of the host.
// prints: linear memory: 0 wrong
// prints: rows in pitched memory: 0 wrong
// prints: an array, filtered: 0 wrong
// prints: bytes as floats: 0 wrong
// prints: layers and a volume: 0 wrong
// prints: a surface: 0 wrong
// prints: copies of arrays: 0 wrong
#include <cmath>
#include <cstdio>
#include <cstring>

__global__ void read_elements(cudaTextureObject_t texture, int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<int>(texture, i - 1);
}
__global__ void read_points(cudaTextureObject_t texture, float* out, int width, float step) {
  out[threadIdx.y * width + threadIdx.x] =
      tex2D<float>(texture, threadIdx.x * step - 1, threadIdx.y * step - 1);
}
__global__ void read_colors(cudaTextureObject_t texture, float4* out) {
  out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_planes(cudaTextureObject_t layers, cudaTextureObject_t volume, float2* out) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * blockDim.y + y) * blockDim.x + x] = {tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, z),
                                                tex3D<float>(volume, x + 0.5f, y + 0.5f, z + 1.0f)};
}
__global__ void add_neighbors(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  int x = threadIdx.x, y = threadIdx.y;
  int left = surf2Dread<int>(from, (x - 1) * 4, y, cudaBoundaryModeZero), above;
  surf2Dread(&above, from, x * 4, y - 1, cudaBoundaryModeClamp);
  surf2Dwrite(left + above, to, x * 4, y);
  surf2Dwrite(-1, to, x * 4, y + 100, cudaBoundaryModeZero);
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, bool linear = false,
                               bool unit = false,
                               cudaTextureReadMode mode = cudaReadModeElementType,
                               cudaTextureAddressMode address = cudaAddressModeClamp) {
  cudaTextureDesc how;
  memset(&how, 0, sizeof how);
  for (auto& axis : how.addressMode) axis = address;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.normalizedCoords = unit;
  how.readMode = mode;
  cudaTextureObject_t texture = 0;
  if (cudaCreateTextureObject(&texture, &resource, &how, nullptr)) printf("no texture\n");
  return texture;
}
cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

template <class T>
struct OnDevice {
  T* data;
  int n;
  explicit OnDevice(int count) : n(count) { cudaMalloc(&data, n * sizeof(T)); }
  ~OnDevice() { cudaFree(data); }
  void to_host(T* host) { cudaMemcpy(host, data, n * sizeof(T), cudaMemcpyDeviceToHost); }
};

int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

void linear_memory() {
  int host[50], got[60], wrong = 0;
  for (int i = 0; i < 50; ++i) host[i] = i * i - 100;
  OnDevice<int> data(50), out(60);
  cudaMemcpy(data.data, host, sizeof host, cudaMemcpyHostToDevice);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data.data;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof host;
  cudaTextureObject_t texture = texture_of(resource);
  read_elements<<<1, 64>>>(texture, out.data, 60);
  out.to_host(got);
  for (int i = 0; i < 60; ++i) wrong += got[i] != (i >= 1 && i <= 50 ? host[i - 1] : 0);
  cudaDestroyTextureObject(texture);
  printf("linear memory: %d wrong\n", wrong);
}

void pitched_memory() {
  const int width = 10, height = 6;
  float host[height][width], got[8 * 14], *rows;
  for (int i = 0; i < width * height; ++i) host[i / width][i % width] = i;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, sizeof host[0], height);
  cudaMemcpy2D(rows, pitch, host, sizeof host[0], sizeof host[0], height, cudaMemcpyHostToDevice);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureObject_t texture = texture_of(resource);
  OnDevice<float> out(8 * 14);
  read_points<<<1, dim3(14, 8)>>>(texture, out.data, 14, 1);
  out.to_host(got);
  int wrong = 0;
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 14; ++x)
      wrong += got[y * 14 + x] != host[clamped(y - 1, height)][clamped(x - 1, width)];
  cudaDestroyTextureObject(texture);
  cudaFree(rows);
  printf("rows in pitched memory: %d wrong\n", wrong);
}

/// With normalized coordinates that wrap, between the texels.
void filtered_array() {
  const int n = 8, points = 24;
  float host[n][n], got[points * points];
  for (int i = 0; i < n * n; ++i) host[i / n][i % n] = (i * 29) % 64;
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaMallocArray(&array, &channels, n, n);
  cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], n, cudaMemcpyHostToDevice);
  cudaTextureObject_t texture =
      texture_of(of_array(array), true, true, cudaReadModeElementType, cudaAddressModeWrap);
  OnDevice<float> out(points * points);
  const float step = 0.109375f;  // 7/64, so that all numbers are exact
  read_points<<<1, dim3(points, points)>>>(texture, out.data, points, step);
  out.to_host(got);
  int wrong = 0;
  for (int j = 0; j < points; ++j)
    for (int i = 0; i < points; ++i) {
      const double x = (i * double(step) - 1) * n - 0.5, y = (j * double(step) - 1) * n - 0.5;
      const int left = int(floor(x)), top = int(floor(y));
      const double a = x - left, b = y - top;
      const auto at = [&](int r, int c) { return double(host[(r + 64) % n][(c + 64) % n]); };
      const double expected = (1 - a) * (1 - b) * at(top, left) + a * (1 - b) * at(top, left + 1) +
                              (1 - a) * b * at(top + 1, left) + a * b * at(top + 1, left + 1);
      wrong += fabs(got[j * points + i] - expected) > 1e-4;
    }
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
  printf("an array, filtered: %d wrong\n", wrong);
}

void bytes_as_floats() {
  uchar4 host[4] = {{0, 1, 2, 3}, {10, 20, 30, 40}, {255, 254, 253, 252}, {127, 128, 129, 130}};
  float4 got[4];
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<uchar4>();
  cudaMallocArray(&array, &channels, 4, 1);
  cudaMemcpyToArray(array, 0, 0, host, sizeof host, cudaMemcpyHostToDevice);
  cudaTextureObject_t texture =
      texture_of(of_array(array), false, false, cudaReadModeNormalizedFloat);
  OnDevice<float4> out(4);
  read_colors<<<1, 4>>>(texture, out.data);
  out.to_host(got);
  int wrong = 0;
  for (int i = 0; i < 4; ++i)
    wrong += got[i].x != host[i].x / 255.0f || got[i].y != host[i].y / 255.0f ||
             got[i].z != host[i].z / 255.0f || got[i].w != host[i].w / 255.0f;
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
  printf("bytes as floats: %d wrong\n", wrong);
}

cudaArray_t array_3d(const float* host, cudaExtent extent, unsigned flags) {
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&array, &channels, extent, flags);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr =
      make_cudaPitchedPtr((void*)host, extent.width * sizeof(float), extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return array;
}

void layers_and_volume() {
  const cudaExtent extent = make_cudaExtent(5, 4, 3);
  float host[3 * 4 * 5];
  float2 got[3 * 4 * 5];
  for (int i = 0; i < 60; ++i) host[i] = (i * 17) % 61;
  cudaArray_t layered = array_3d(host, extent, cudaArrayLayered), deep = array_3d(host, extent, 0);
  cudaTextureObject_t layers = texture_of(of_array(layered)),
                      volume = texture_of(of_array(deep), true);
  OnDevice<float2> out(60);
  read_planes<<<1, dim3(5, 4, 3)>>>(layers, volume, out.data);
  out.to_host(got);
  int wrong = 0;
  for (int i = 0; i < 60; ++i)
    wrong += got[i].x != host[i] || got[i].y != (host[i] + host[i < 40 ? i + 20 : i]) / 2;
  cudaDestroyTextureObject(layers);
  cudaDestroyTextureObject(volume);
  cudaFreeArray(layered);
  cudaFreeArray(deep);
  printf("layers and a volume: %d wrong\n", wrong);
}

void surface() {
  const int width = 12, height = 5;
  int host[height][width], got[height][width];
  for (int i = 0; i < width * height; ++i) host[i / width][i % width] = i * 3;
  cudaArray_t arrays[2];
  cudaSurfaceObject_t surfaces[2];
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  for (int i = 0; i < 2; ++i) {
    cudaMallocArray(&arrays[i], &channels, width, height, cudaArraySurfaceLoadStore);
    const cudaResourceDesc resource = of_array(arrays[i]);
    cudaCreateSurfaceObject(&surfaces[i], &resource);
  }
  cudaMemcpy2DToArray(arrays[0], 0, 0, host, sizeof host[0], sizeof host[0], height,
                      cudaMemcpyHostToDevice);
  add_neighbors<<<1, dim3(width, height)>>>(surfaces[0], surfaces[1]);
  cudaMemcpy2DFromArray(got, sizeof got[0], arrays[1], 0, 0, sizeof got[0], height,
                        cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      wrong += got[y][x] != (x ? host[y][x - 1] : 0) + host[clamped(y - 1, height)][x];
  for (int i = 0; i < 2; ++i) {
    cudaDestroySurfaceObject(surfaces[i]);
    cudaFreeArray(arrays[i]);
  }
  printf("a surface: %d wrong\n", wrong);
}

void copies() {
  float host[60], got[4] = {}, part[60];
  for (int i = 0; i < 60; ++i) host[i] = part[i] = i;
  cudaArray_t array = array_3d(host, make_cudaExtent(5, 4, 3), 0);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.srcPos = make_cudaPos(2, 1, 1);
  copy.dstPtr = make_cudaPitchedPtr(got, 2 * sizeof(float), 2, 2);
  copy.extent = make_cudaExtent(2, 2, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  int wrong = 0;
  for (int i = 0; i < 4; ++i) wrong += got[i] != 20 + (1 + i / 2) * 5 + 2 + i % 2;
  cudaExtent extent;
  unsigned flags;
  cudaChannelFormatDesc channels;
  cudaArrayGetInfo(&channels, &extent, &flags, array);
  wrong += extent.width != 5 || extent.depth != 3 || channels.x != 32 || flags != 0;
  cudaFreeArray(array);
  printf("copies of arrays: %d wrong\n", wrong);
}

int main() {
  linear_memory();
  pitched_memory();
  filtered_array();
  bytes_as_floats();
  layers_and_volume();
  surface();
  copies();
}
