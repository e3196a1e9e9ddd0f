// Integer functions of CUDA: bits, products, and several small numbers in one word. Included by
// simt/kernel.h.
#pragma once

#include <cstdint>

#include "simt/device_calls.h"
#include "simt/vector_types.h"

TD_SIMT_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
TD_SIMT_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
TD_SIMT_INLINE int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
TD_SIMT_INLINE int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
TD_SIMT_INLINE int __ffs(int x) { return __builtin_ffs(x); }
TD_SIMT_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
TD_SIMT_INLINE unsigned __brev(unsigned x) {
  x = __builtin_bswap32(x);
  x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
  x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
  return (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
}
TD_SIMT_INLINE unsigned long long __brevll(unsigned long long x) {
  return std::uint64_t{__brev(static_cast<unsigned>(x))} << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
/// The position of the n-th set bit, counted from `base` upwards, or downwards for a negative n.
TD_SIMT_INLINE unsigned __fns(unsigned mask, unsigned base, int n) {
  const int step = n < 0 ? -1 : 1;
  if (n == 0) return mask >> (base & 31) & 1 ? base : ~0u;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && (n -= step) == 0) return static_cast<unsigned>(at);
  return ~0u;
}

TD_SIMT_INLINE int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
TD_SIMT_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
TD_SIMT_INLINE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
TD_SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
namespace td::simt {
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;
}  // namespace td::simt
TD_SIMT_INLINE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<td::simt::Int128>(a) * b >> 64);
}
TD_SIMT_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<td::simt::UInt128>(a) * b >> 64);
}
/// c + |a - b|
///@{
TD_SIMT_INLINE unsigned __sad(int a, int b, unsigned c) {
  return c + (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b));
}
TD_SIMT_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}
///@}
/// The average without overflow, rounded down, and up.
///@{
TD_SIMT_INLINE int __hadd(int a, int b) { return static_cast<int>((0LL + a + b) >> 1); }
TD_SIMT_INLINE int __rhadd(int a, int b) { return static_cast<int>((1LL + a + b) >> 1); }
TD_SIMT_INLINE unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((0ULL + a + b) >> 1);
}
TD_SIMT_INLINE unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((1ULL + a + b) >> 1);
}
///@}
#define TD_SIMT_MIN_MAX(T, prefix)                                 \
  TD_SIMT_INLINE T prefix##min(T a, T b) { return b < a ? b : a; } \
  TD_SIMT_INLINE T prefix##max(T a, T b) { return a < b ? b : a; }
TD_SIMT_MIN_MAX(unsigned, u)
TD_SIMT_MIN_MAX(long long, ll)
TD_SIMT_MIN_MAX(unsigned long long, ull)
#undef TD_SIMT_MIN_MAX

/// 32 bits of hi:lo, shifted; the shift counts modulo 32, or at most 32 (the c at the end).
///@{
TD_SIMT_INLINE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>(((std::uint64_t{hi} << 32 | lo) << (shift & 31)) >> 32);
}
TD_SIMT_INLINE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
TD_SIMT_INLINE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{hi} << 32 | lo) >> (shift & 31));
}
TD_SIMT_INLINE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}
///@}
/// Byte i of the result is the byte of b:a that digit i of the selector names; 8 in it copies the
/// byte's sign into all bits.
TD_SIMT_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 32; i += 8) {
    const unsigned digit = selector >> i / 2 & 15;
    unsigned byte = static_cast<unsigned>(both >> (digit & 7) * 8) & 0xff;
    if (digit & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << i;
  }
  return result;
}

namespace td::simt {

/// Number i of a word that holds several.
template <class Part>
TD_SIMT_INLINE int part_of(unsigned word, int i) {
  return static_cast<Part>(word >> i * static_cast<int>(8 * sizeof(Part)));
}
/// Applies `f` to the numbers of two words, one pair after another.
template <class Part, class F>
TD_SIMT_INLINE unsigned each_part(unsigned a, unsigned b, F f) {
  constexpr int kBits = 8 * sizeof(Part);
  constexpr unsigned kMask = (1u << kBits) - 1;
  unsigned result = 0;
  for (int i = 0; i < 32 / kBits; ++i)
    result |= (static_cast<unsigned>(f(part_of<Part>(a, i), part_of<Part>(b, i))) & kMask)
              << i * kBits;
  return result;
}
template <class Part>
TD_SIMT_INLINE int saturated(int x) {
  constexpr bool kSigned = Part(-1) < Part(0);
  constexpr int kBits = 8 * sizeof(Part);
  constexpr int kLeast = kSigned ? -(1 << (kBits - 1)) : 0;
  constexpr int kMost = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  return x < kLeast ? kLeast : x > kMost ? kMost : x;
}
/// c + the products of 4 numbers with 4 numbers, or of 2 with those from `first` on.
template <class A, class B>
TD_SIMT_INLINE unsigned dot(unsigned a, unsigned b, unsigned c, int first = 0) {
  for (int i = 0; i < static_cast<int>(4 / sizeof(A)); ++i)
    c += static_cast<unsigned>(part_of<A>(a, i) * part_of<B>(b, first + i));
  return c;
}

}  // namespace td::simt

#define TD_SIMT_DOT(name, Word, A, B, Vector4, Vector2, first)                                 \
  TD_SIMT_INLINE Word name(Word a, Word b, Word c) {                                           \
    return static_cast<Word>(td::simt::dot<A, B>(                                              \
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), first)); \
  }                                                                                            \
  TD_SIMT_INLINE Word name(Vector2 a, Vector4 b, Word c) {                                     \
    return name(td::simt::same_bits<Word>(a), td::simt::same_bits<Word>(b), c);                \
  }
TD_SIMT_DOT(__dp4a, int, signed char, signed char, char4, char4, 0)
TD_SIMT_DOT(__dp4a, unsigned, unsigned char, unsigned char, uchar4, uchar4, 0)
TD_SIMT_DOT(__dp2a_lo, int, short, signed char, char4, short2, 0)
TD_SIMT_DOT(__dp2a_lo, unsigned, unsigned short, unsigned char, uchar4, ushort2, 0)
TD_SIMT_DOT(__dp2a_hi, int, short, signed char, char4, short2, 2)
TD_SIMT_DOT(__dp2a_hi, unsigned, unsigned short, unsigned char, uchar4, ushort2, 2)
#undef TD_SIMT_DOT

// Two numbers of 16 bits, or four of 8, in one word.
#define TD_SIMT_PARTS(name, Part, count, ...)                                         \
  TD_SIMT_INLINE unsigned __v##name##count(unsigned a, unsigned b) {                  \
    return td::simt::each_part<Part>(a, b, [](int x, int y) { return __VA_ARGS__; }); \
  }
#define TD_SIMT_PARTS_OF_BOTH(name, S, U, count, ...) \
  TD_SIMT_PARTS(name##s, S, count, __VA_ARGS__)       \
  TD_SIMT_PARTS(name##u, U, count, __VA_ARGS__)
#define TD_SIMT_COMPARISON(name, S, U, count, op)                    \
  TD_SIMT_PARTS_OF_BOTH(cmp##name, S, U, count, x op y ? 0xffff : 0) \
  TD_SIMT_PARTS_OF_BOTH(set##name, S, U, count, x op y ? 1 : 0)
#define TD_SIMT_EQUALITY(name, U, count, op)              \
  TD_SIMT_PARTS(cmp##name, U, count, x op y ? 0xffff : 0) \
  TD_SIMT_PARTS(set##name, U, count, x op y ? 1 : 0)
#define TD_SIMT_PART_OF_ONE(name, Part, count, ...)                                              \
  TD_SIMT_INLINE unsigned __v##name##count(unsigned a) {                                         \
    return td::simt::each_part<Part>(a, 0,                                                       \
                                     [](int x, [[maybe_unused]] int y) { return __VA_ARGS__; }); \
  }
#define TD_SIMT_SUM_OF_DIFFERENCES(name, Part, count)                                 \
  TD_SIMT_INLINE unsigned __vsad##name##count(unsigned a, unsigned b) {               \
    unsigned sum = 0;                                                                 \
    for (int i = 0; i < count; ++i)                                                   \
      sum = __sad(td::simt::part_of<Part>(a, i), td::simt::part_of<Part>(b, i), sum); \
    return sum;                                                                       \
  }
#define TD_SIMT_ALL_PARTS(S, U, count)                                         \
  TD_SIMT_PARTS(add, U, count, x + y)                                          \
  TD_SIMT_PARTS(sub, U, count, x - y)                                          \
  TD_SIMT_PARTS(addss, S, count, td::simt::saturated<S>(x + y))                \
  TD_SIMT_PARTS(addus, U, count, td::simt::saturated<U>(x + y))                \
  TD_SIMT_PARTS(subss, S, count, td::simt::saturated<S>(x - y))                \
  TD_SIMT_PARTS(subus, U, count, td::simt::saturated<U>(x - y))                \
  TD_SIMT_PARTS_OF_BOTH(avg, S, U, count, (x + y + 1) >> 1)                    \
  TD_SIMT_PARTS(haddu, U, count, (x + y) >> 1)                                 \
  TD_SIMT_PARTS_OF_BOTH(max, S, U, count, x < y ? y : x)                       \
  TD_SIMT_PARTS_OF_BOTH(min, S, U, count, y < x ? y : x)                       \
  TD_SIMT_PARTS_OF_BOTH(absdiff, S, U, count, x < y ? y - x : x - y)           \
  TD_SIMT_EQUALITY(eq, U, count, ==)                                           \
  TD_SIMT_EQUALITY(ne, U, count, !=)                                           \
  TD_SIMT_COMPARISON(gt, S, U, count, >)                                       \
  TD_SIMT_COMPARISON(ge, S, U, count, >=)                                      \
  TD_SIMT_COMPARISON(lt, S, U, count, <)                                       \
  TD_SIMT_COMPARISON(le, S, U, count, <=)                                      \
  TD_SIMT_PART_OF_ONE(abs, S, count, x < 0 ? -x : x)                           \
  TD_SIMT_PART_OF_ONE(absss, S, count, td::simt::saturated<S>(x < 0 ? -x : x)) \
  TD_SIMT_PART_OF_ONE(neg, S, count, -x)                                       \
  TD_SIMT_PART_OF_ONE(negss, S, count, td::simt::saturated<S>(-x))             \
  TD_SIMT_SUM_OF_DIFFERENCES(s, S, count)                                      \
  TD_SIMT_SUM_OF_DIFFERENCES(u, U, count)
TD_SIMT_ALL_PARTS(signed char, unsigned char, 4)
TD_SIMT_ALL_PARTS(short, unsigned short, 2)
#undef TD_SIMT_ALL_PARTS
#undef TD_SIMT_SUM_OF_DIFFERENCES
#undef TD_SIMT_PART_OF_ONE
#undef TD_SIMT_EQUALITY
#undef TD_SIMT_COMPARISON
#undef TD_SIMT_PARTS_OF_BOTH
#undef TD_SIMT_PARTS
