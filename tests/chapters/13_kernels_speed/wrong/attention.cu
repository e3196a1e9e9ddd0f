#include "kernels.h"

// answer: without_the_maximum
// expect: 11 queries, 13 keys, d = 16: index 0: expected … not a number
// Right for small scores. Otherwise exp is infinite, or 0 for all keys.
namespace without_the_maximum {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = 0, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float before = largest;
    largest = 0;
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum = sum * shrink + weight;
    weighted = weighted * shrink + weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace without_the_maximum

// answer: sum_not_rescaled
// expect: 3 queries, 2 keys, d = 32: index 32: expected -5, got -2.5
// Right where the first key has the largest score: only `weighted` is rescaled.
namespace sum_not_rescaled {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float before = largest;
    largest = fmaxf(before, score);
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum += weight;
    weighted = weighted * shrink + weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace sum_not_rescaled

// answer: rows_not_rescaled
// expect: 3 queries, 2 keys, d = 32: index 32: expected -5, got -3
// Right where the first key has the largest score: only `sum` is rescaled.
namespace rows_not_rescaled {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float before = largest;
    largest = fmaxf(before, score);
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum = sum * shrink + weight;
    weighted += weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace rows_not_rescaled

// answer: begins_with_maximum_0
// expect: 11 queries, 13 keys, d = 16: index 16: expected 2, got … not a number
// Right where a score is near 0 or above it. Otherwise all weights are 0.
namespace begins_with_maximum_0 {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = 0, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float before = largest;
    largest = fmaxf(before, score);
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum = sum * shrink + weight;
    weighted = weighted * shrink + weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace begins_with_maximum_0

// answer: divides_by_d
// expect: 3 queries, 2 keys, d = 32: index 64: expected 1.999983, got 1.351186
// Right for d = 1: the scores are divided by d.
namespace divides_by_d {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / d : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float before = largest;
    largest = fmaxf(before, score);
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum = sum * shrink + weight;
    weighted = weighted * shrink + weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace divides_by_d

// answer: score_in_lane_0
// expect: 3 queries, 2 keys, d = 32: index 63: expected 3, got -1
// Sums by __shfl_down_sync, after which only lane 0 has the score.
namespace score_in_lane_0 {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_down_sync(0xffffffff, score, step);
    const float before = largest;
    largest = fmaxf(before, score);
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum = sum * shrink + weight;
    weighted = weighted * shrink + weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace score_in_lane_0

// answer: lanes_after_the_head
// expect: reads q[1], past the end of q
// Right for d = 32: other lanes read elements of the next row.
namespace lanes_after_the_head {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = q[blockIdx.x * d + lane] / sqrtf(d);
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = query * k[key * d + lane];
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float before = largest;
    largest = fmaxf(before, score);
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum = sum * shrink + weight;
    weighted = weighted * shrink + weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace lanes_after_the_head

// answer: shuffles_of_some_lanes
// expect: reads from lane 16 in __shfl_xor_sync, which does not take part
// Right for d = 32: lanes that the mask names do not make the call.
namespace shuffles_of_some_lanes {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    if (has)
      for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float before = largest;
    largest = fmaxf(before, score);
    const float shrink = expf(before - largest);
    const float weight = expf(score - largest);
    sum = sum * shrink + weight;
    weighted = weighted * shrink + weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace shuffles_of_some_lanes

// answer: two_passes
// expect: 244 requests to load from global memory, at most 164 are needed
// Every result is right. But it finds the maximum first, and so loads K twice.
namespace two_passes {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int key = 0; key < keys; ++key) {
      float score = has ? query * k[key * d + lane] : 0.0f;
      for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
      if (pass == 0) {
        largest = fmaxf(largest, score);
      } else {
        sum += expf(score - largest);
        weighted += expf(score - largest) * (has ? v[key * d + lane] : 0.0f);
      }
    }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace two_passes

// answer: array_of_scores
// expect: 160 accesses to shared memory, at most 0 are needed
// Every result is right. But an array in shared memory limits the number of keys.
namespace array_of_scores {
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  __shared__ float scores[1024];
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    largest = fmaxf(largest, score);
    if (lane == 0) scores[key] = score;
  }
  __syncthreads();
  for (int key = 0; key < keys; ++key) {
    const float weight = expf(scores[key] - largest);
    sum += weight;
    weighted += weight * (has ? v[key * d + lane] : 0.0f);
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}
}  // namespace array_of_scores

// answer: starts_at_minus_1e9
// expect: 1 queries, 3 keys, d = 1: index 0: expected 4, got
// The maximum begins with -1e9. Right for scores that are larger.
namespace starts_at_minus_1e9 {

__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          int d) {
  const int lane = threadIdx.x;
  const bool has = lane < d;
  const float query = has ? q[blockIdx.x * d + lane] / sqrtf(d) : 0.0f;
  float largest = -INFINITY, sum = 0, weighted = 0;
  largest = -1e9f;
  for (int key = 0; key < keys; ++key) {
    float score = has ? query * k[key * d + lane] : 0.0f;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffff, score, step);
    const float bigger = fmaxf(largest, score), scale = expf(largest - bigger),
                w = expf(score - bigger);
    sum = sum * scale + w;
    weighted = weighted * scale + w * (has ? v[key * d + lane] : 0.0f);
    largest = bigger;
  }
  if (has) out[blockIdx.x * d + lane] = weighted / sum;
}

}  // namespace starts_at_minus_1e9
