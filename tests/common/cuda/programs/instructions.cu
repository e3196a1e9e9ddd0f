// Statements with one instruction of PTX. The expected results are from loops over bits and bytes.
// prints: all instructions are right
#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr unsigned kCount = 64;

__global__ void bits(const unsigned* x, unsigned* out) {
  const unsigned i = threadIdx.x, a = x[i], b = x[(i + 1) % kCount], c = x[(i + 2) % kCount];
  unsigned* const o = out + 8 * i;
  asm("bfe.u32 %0, %1, %2, 7;" : "=r"(o[0]) : "r"(a), "r"(i % 32));
  asm("bfi.b32 %0, %1, %2, 4, %3;" : "=r"(o[1]) : "r"(a), "r"(b), "r"(i % 40));
  asm("prmt.b32 %0, %1, %2, 0x1530;" : "=r"(o[2]) : "r"(a), "r"(b));
  asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(o[3]) : "r"(a), "r"(b), "r"(c));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(o[4]) : "r"(a), "r"(b), "r"(c));
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(o[5]) : "l"(x + i));
  asm volatile("st.global.u32 [%0], %1;" ::"l"(o + 6), "r"(a ^ b) : "memory");
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(o[7]) : "r"(a), "r"(b));
}

// Of powers of two and four, whose results are exact, but for tanh.
__global__ void numbers(unsigned* counts, float* out) {
  const unsigned i = threadIdx.x;
  const float x = float(1u << (2 * i));
  asm("popc.b32 %0, %1;" : "=r"(counts[2 * i]) : "r"(3u << i));
  asm("brev.b32 %0, %1;" : "=r"(counts[2 * i + 1]) : "r"(5u << i));
  float* const o = out + 6 * i;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(o[0]) : "f"(x), "f"(0.5f), "f"(3.0f));
  asm("ex2.approx.f32 %0, %1;" : "=f"(o[1]) : "f"(float(i)));
  asm("lg2.approx.f32 %0, %1;" : "=f"(o[2]) : "f"(x));
  asm("rcp.approx.f32 %0, %1;" : "=f"(o[3]) : "f"(x));
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(o[4]) : "f"(x));
  asm("tanh.approx.f32 %0, %1;" : "=f"(o[5]) : "f"(0.25f * i));
  asm volatile("membar.gl;" ::: "memory");
}

// Block 1 waits for the value that block 0 releases.
__global__ void pass_on(unsigned* flag, unsigned* value) {
  if (blockIdx.x == 0) {
    *value = 42;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(1u) : "memory");
    return;
  }
  unsigned seen = 0;
  while (!seen)
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  *value += 1;
}

unsigned byte_of(unsigned x, unsigned k) { return x >> (8 * k) & 255; }

int main() {
  unsigned *x, *out, *flag;
  cudaMallocManaged(&x, kCount * sizeof(unsigned));
  cudaMallocManaged(&out, 8 * kCount * sizeof(unsigned));
  cudaMallocManaged(&flag, 2 * sizeof(unsigned));
  for (unsigned i = 0; i < kCount; ++i) x[i] = 2654435761u * (i + 1);
  flag[0] = flag[1] = 0;
  bits<<<1, kCount>>>(x, out);
  pass_on<<<2, 1>>>(flag, flag + 1);
  unsigned* counts;
  float* values;
  cudaMallocManaged(&counts, 2 * 8 * sizeof(unsigned));
  cudaMallocManaged(&values, 6 * 8 * sizeof(float));
  numbers<<<1, 8>>>(counts, values);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;

  int wrong = flag[1] != 43;
  for (unsigned i = 0; i < 8; ++i) {
    const float x = float(1u << (2 * i)), *const v = values + 6 * i;
    wrong += counts[2 * i] != 2 || counts[2 * i + 1] != (1u << (31 - i)) + (1u << (29 - i));
    wrong += v[0] != 0.5f * x + 3 || v[1] != float(1u << i) || v[2] != 2.0f * i || v[3] != 1 / x ||
             v[4] != 1.0f / float(1u << i) || std::fabs(v[5] - std::tanh(0.25 * i)) > 1e-6;
  }
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned a = x[i], b = x[(i + 1) % kCount], c = x[(i + 2) % kCount];
    unsigned field = 0, put = b, chosen = 0, sad = c;
    for (unsigned k = 0; k < 7; ++k)
      if (i % 32 + k < 32) field |= (a >> (i % 32 + k) & 1) << k;
    for (unsigned k = 0; k < i % 40 && k + 4 < 32; ++k)
      put = (put & ~(1u << (k + 4))) | (a >> k & 1) << (k + 4);
    for (unsigned k = 0; k < 32; ++k)
      chosen |= (0x6au >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1) << k;
    for (unsigned k = 0; k < 4; ++k) sad += std::abs(int(byte_of(a, k)) - int(byte_of(b, k)));
    const unsigned moved =
        byte_of(a, 0) | byte_of(a, 3) << 8 | byte_of(b, 1) << 16 | byte_of(a, 1) << 24;
    const unsigned expected[8] = {field, put, moved, chosen,
                                  sad,   a,   a ^ b, unsigned((unsigned long long)a * b >> 32)};
    for (unsigned k = 0; k < 8; ++k)
      if (out[8 * i + k] != expected[k]) {
        ++wrong;
        std::printf("element %u, instruction %u: %#x instead of %#x\n", i, k, out[8 * i + k],
                    expected[k]);
      }
  }
  for (void* memory : {x, out, flag, counts}) cudaFree(memory);
  cudaFree(values);
  std::printf(wrong ? "wrong\n" : "all instructions are right\n");
  return wrong != 0;
}
