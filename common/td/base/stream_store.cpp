// Stores past the caches, 16 bytes at a time: the processor joins four of them to a cache line.
#include "td/base/stream_store.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace td {

void stream_store(void* to, const void* from, std::size_t bytes) noexcept {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  std::size_t done = 0;
#ifdef __SSE2__
  // Up to the first aligned address the ordinary way; stores past the caches must be aligned.
  done = std::min(-reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i), bytes);
  std::memcpy(target, source, done);
  for (; done + sizeof(__m128i) <= bytes; done += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + done),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + done)));
#endif
  std::memcpy(target + done, source + done, bytes - done);
}

void finish_stream_stores() noexcept {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace td
