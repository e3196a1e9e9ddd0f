// Statements with one instruction of PTX. The expected results are from loops over bits and bytes.
// prints: all instructions are right
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
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;

  int wrong = flag[1] != 43;
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
  for (void* memory : {x, out, flag}) cudaFree(memory);
  std::printf(wrong ? "wrong\n" : "all instructions are right\n");
  return wrong != 0;
}
