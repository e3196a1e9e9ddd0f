// Integer, rounding and half functions, vector types and memory, for number_test.cpp.
#include "kernels.h"

__global__ void integers(const unsigned* a, const unsigned* b, unsigned* out) {
  const int i = threadIdx.x;
  const unsigned x = a[i], y = b[i];
  unsigned* const o = out + 16 * i;
  o[0] = static_cast<unsigned>(__umul24(x, y));
  o[1] = __byte_perm(x, y, 0x71c4);
  o[2] = __funnelshift_l(x, y, 7) + __funnelshift_rc(x, y, 40);
  o[3] = static_cast<unsigned>(__dp4a(static_cast<int>(x), static_cast<int>(y), 5));
  o[4] = __dp4a(x, y, 5u);
  o[5] = __vadd4(x, y);
  o[6] = __vsubss4(x, y);
  o[7] = __vcmpgtu2(x, y);
  o[8] = __vabsdiffu4(x, y);
  o[9] = __vmaxs2(x, y);
  o[10] = static_cast<unsigned>(__umul64hi(std::uint64_t{x} << 32, std::uint64_t{y} << 32));
  o[11] = static_cast<unsigned>(__rhadd(static_cast<int>(x), static_cast<int>(y)));
  o[12] = __usad(x, y, 1);
  o[13] = __fns(x, 0, 3);
  o[14] = static_cast<unsigned>(__brevll(x) >> 32);
  o[15] = __vsadu4(x, y) + __vavgu4(x, y);
}

__global__ void roundings(const float* a, const float* b, float* out, int* whole) {
  const int i = threadIdx.x;
  const float x = a[i], y = b[i];
  float* const o = out + 12 * i;
  o[0] = __fadd_rz(x, y), o[1] = __fadd_ru(x, y), o[2] = __fadd_rd(x, y);
  o[3] = __fmul_rz(x, y), o[4] = __fdiv_ru(x, y), o[5] = __fsqrt_rd(x);
  o[6] = __fmaf_ru(x, y, x), o[7] = __frcp_rd(x), o[8] = __fsub_ru(x, y);
  o[9] = __double2float_rd(1.0 / 3), o[10] = __ll2float_ru((1ll << 40) + 1);
  o[11] = static_cast<float>(__dadd_ru(1.0, 1e-20) - 1);
  whole[4 * i] = __float2int_rn(x), whole[4 * i + 1] = __float2int_ru(x);
  whole[4 * i + 2] = __float2int_rd(x), whole[4 * i + 3] = __float2int_rz(x * 1e10f);
}

__global__ void functions(const double* x, double* out) {
  const double v = x[threadIdx.x];
  double* const o = out + 8 * threadIdx.x;
  o[0] = erf(erfinv(v)), o[1] = erfc(erfcinv(v)), o[2] = normcdf(normcdfinv(v));
  o[3] = erfcx(20 * v), o[4] = sinpi(v), o[5] = cospi(v);
  o[6] = norm3d(v, 2.0, 3.0) * rnorm3df(static_cast<float>(v), 2, 3), o[7] = cyl_bessel_i0(v);
}

// Every finite half, rounded from the middle between it and the next.
__global__ void half_roundings(half* out, __nv_bfloat16* brain) {
  const unsigned short bits = static_cast<unsigned short>(blockIdx.x * blockDim.x + threadIdx.x);
  const float h = __half2float(__ushort_as_half(bits));
  const float next = __half2float(__ushort_as_half(bits + 1)), middle = (h + next) / 2;
  half* const o = out + 4 * bits;
  o[0] = __float2half_rn(middle), o[1] = __float2half_rz(middle);
  o[2] = __float2half_ru(middle), o[3] = __float2half_rd(middle);
  brain[bits] = __float2bfloat16_rz(__uint_as_float(bits << 16 | 0xffff));
}

template <class H, class H2>
__global__ void half_functions(const H* in, H* out, float* floats, int* ints) {
  const int i = threadIdx.x;
  const H a = in[2 * i], b = in[2 * i + 1];
  H2 pair = reinterpret_cast<const H2*>(in)[i];
  H* const o = out + 16 * i;
  o[0] = __hadd(a, b), o[1] = __hfma(a, b, a), o[2] = __hmax(a, b), o[3] = __habs(-a);
  o[4] = __hmul_sat(a, b), o[5] = hexp2(a), o[6] = hsqrt(__habs(b)), o[7] = hfloor(a);
  reinterpret_cast<H2*>(o)[4] = __hfma2(pair, pair, H2(b, a));
  reinterpret_cast<H2*>(o)[5] = pair * pair - pair;
  reinterpret_cast<H2*>(o)[6] = __hgt2(pair, H2(b, a));
  reinterpret_cast<H2*>(o)[7] = __shfl_xor_sync(0xffffffff, pair, 1);
  pair += H2(b, a);
  floats[i] = __low2float(pair) + __high2float(pair);
  ints[i] = __hgt(a, b) + 2 * __hbge2(pair, pair) + 4 * __hisnan(a) + 8 * __hequ(a, a);
}
template __global__ void half_functions<half, half2>(const half*, half*, float*, int*);
template __global__ void half_functions<__nv_bfloat16, __nv_bfloat162>(const __nv_bfloat16*,
                                                                       __nv_bfloat16*, float*,
                                                                       int*);

__global__ void half_atomics(half2* pairs, __nv_bfloat16* brain, unsigned short* taken) {
  atomicAdd(pairs, half2(1.0f, 2.0f));
  atomicAdd(brain, __nv_bfloat16(1.0f));
  atomicCAS(taken, static_cast<unsigned short>(0), static_cast<unsigned short>(threadIdx.x + 1));
}

union Bits {
  float4 vector;
  float elements[4];
};
__global__ void vectors(const float4* in, float4* out, Nested* nested) {
  Bits bits;
  bits.vector = in[threadIdx.x];  // mark: read_vector
  Bits copy;
  copy.vector = bits.vector;
  for (int i = 0; i < 4; ++i) bits.elements[i] += copy.elements[3 - i];
  out[threadIdx.x] = bits.vector;  // mark: write_vector
  const Nested value = {{1, 2, 3, 4}, {0.5, 0.25}};
  nested[threadIdx.x] = value;
}

__constant__ float weights[4];
__constant__ int factors[2] = {3, 4};
void* address_of_weights() { return weights; }
__global__ void read_constants(float* out) {
  out[threadIdx.x] = weights[3 - threadIdx.x] * factors[1];
}
__global__ void write_constant(float* out) {
  weights[threadIdx.x] = out[threadIdx.x];  // mark: write_constant
}

__global__ void address_spaces(int* global, int* out) {
  __shared__ int shared[4];
  int local = 3;
  shared[threadIdx.x] = 5;
  int* const o = out + 6 * threadIdx.x;
  o[0] = __isGlobal(global) + 2 * __isShared(shared) + 4 * __isLocal(&local);
  o[1] = __isShared(global) + __isGlobal(&local) + __isConstant(shared);
  o[2] = __isConstant(&factors[0]);
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&shared[threadIdx.x]));
  o[3] = *static_cast<int*>(__cvta_shared_to_generic(address));
  o[4] = __ldg(global) + __ldcs(global) + __ldcg(global);
  __stcs(&o[5], 7);
}

__global__ void removed_functions(int* out) {
  const int lane = threadIdx.x;
  int* const o = out + 4 * lane;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  o[0] = __shfl(lane, 3) + 100 * __shfl_xor(lane, 1);
  if (lane < 8) {
    o[1] = static_cast<int>(__ballot(lane % 2));
    o[2] = __shfl_down(lane, 1, 8);
  } else {
    o[1] = static_cast<int>(__ballot(1));
  }
  o[3] = __any(lane == 5) + 2 * __all(lane < 31);
#pragma GCC diagnostic pop
}

__global__ void give_up(int* out) {
  if (threadIdx.x == 3) __trap();  // mark: give_up
  __nanosleep(10);
  out[threadIdx.x] = clock() >= 0;
}
