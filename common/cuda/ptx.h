// Instructions of PTX, NVIDIA's assembler, as functions with the instruction's name and _ for its
// points. `./course cuda` writes a call where a program has an asm statement of one instruction
// (tools/course/ptx.h). An instruction that is not here is an error of the compiler.
#pragma once

#include "simt/kernel.h"

namespace td::cudart::ptx {

// The special registers that the machine has.
TD_SIMT_INLINE unsigned laneid() { return simt::lane_of_thread(); }
TD_SIMT_INLINE unsigned lanemask_eq() { return 1u << laneid(); }
TD_SIMT_INLINE unsigned lanemask_lt() { return lanemask_eq() - 1; }
TD_SIMT_INLINE unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
TD_SIMT_INLINE unsigned lanemask_gt() { return ~lanemask_le(); }
TD_SIMT_INLINE unsigned lanemask_ge() { return ~lanemask_lt(); }
TD_SIMT_INLINE unsigned clock() { return static_cast<unsigned>(simt::clock_ticks()); }
TD_SIMT_INLINE long long clock64() { return simt::clock_ticks(); }
TD_SIMT_INLINE long long globaltimer() { return simt::clock_ticks(); }
template <class T>
TD_SIMT_INLINE T mov(T value) {
  return value;
}

// Bits.
TD_SIMT_INLINE unsigned bfe_u32(unsigned x, unsigned first, unsigned count) {
  first &= 255, count &= 255;
  if (first > 31 || count == 0) return 0;
  return x >> first & (count > 31 ? ~0u : (1u << count) - 1);
}
TD_SIMT_INLINE unsigned bfi_b32(unsigned from, unsigned into, unsigned first, unsigned count) {
  first &= 255, count &= 255;
  if (first > 31) return into;
  const unsigned mask = (count > 31 ? ~0u : (1u << count) - 1) << first;
  return (into & ~mask) | (from << first & mask);
}
TD_SIMT_INLINE unsigned popc_b32(unsigned x) { return static_cast<unsigned>(__popc(x)); }
TD_SIMT_INLINE unsigned brev_b32(unsigned x) { return __brev(x); }
TD_SIMT_INLINE unsigned prmt_b32(unsigned a, unsigned b, unsigned bytes) {
  return __byte_perm(a, b, bytes);
}
/// Any function of three bits: bit 4 a + 2 b + c of `table` is its value.
TD_SIMT_INLINE unsigned lop3_b32(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

// Arithmetic. The approximations have the accurate results, as the fast functions of math.h do.
/// The sum of the four bytes' differences and of c.
TD_SIMT_INLINE unsigned vabsdiff4_u32_u32_u32_add(unsigned a, unsigned b, unsigned c) {
  return __vsadu4(a, b) + c;
}
TD_SIMT_INLINE unsigned mul_hi_u32(unsigned a, unsigned b) { return __umulhi(a, b); }
TD_SIMT_INLINE float fma_rn_f32(float a, float b, float c) { return __fmaf_rn(a, b, c); }
TD_SIMT_INLINE float ex2_approx_f32(float x) { return exp2f(x); }
TD_SIMT_INLINE float lg2_approx_f32(float x) { return log2f(x); }
TD_SIMT_INLINE float rcp_approx_f32(float x) { return 1 / x; }
TD_SIMT_INLINE float rsqrt_approx_f32(float x) { return rsqrtf(x); }
TD_SIMT_INLINE float tanh_approx_f32(float x) { return tanhf(x); }

// Memory. An address is a pointer, or the number of one.
using u8 = std::uint8_t;
using s8 = std::int8_t;
using b8 = std::uint8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using b16 = std::uint16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using b32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using b64 = std::uint64_t;
using f32 = float;
using f64 = double;
template <class T, class Address>
TD_SIMT_INLINE T ld(Address at) {
  return *(const T*)at;
}
template <class T, class Address, class Value>
TD_SIMT_INLINE void st(Address at, Value value) {
  *(T*)at = static_cast<T>(value);
}
// For values that another thread writes or waits for.
template <class T, class Address>
TD_SIMT_INLINE T ld_ordered(Address at) {
  const T value = __atomic_load_n((const T*)at, __ATOMIC_RELAXED);
  simt::fence();
  return value;
}
template <class T, class Address, class Value>
TD_SIMT_INLINE void st_ordered(Address at, Value value) {
  simt::fence();
  __atomic_store_n((T*)at, static_cast<T>(value), __ATOMIC_RELAXED);
}
TD_SIMT_INLINE void membar_gl() { __threadfence(); }
TD_SIMT_INLINE void membar_sys() { __threadfence_system(); }
TD_SIMT_INLINE void membar_cta() { __threadfence_block(); }

}  // namespace td::cudart::ptx
