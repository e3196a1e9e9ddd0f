// Stores past the caches, by whole cache lines where the processor can.
#include "td/base/stream_store.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace td {

namespace {

#ifdef __AVX512F__
using Line = __m512i;
void store(Line* to, const void* from) { _mm512_stream_si512(to, _mm512_loadu_si512(from)); }
#elif defined(__AVX__)
using Line = __m256i;
void store(Line* to, const void* from) {
  _mm256_stream_si256(to, _mm256_loadu_si256(static_cast<const Line*>(from)));
}
#elif defined(__SSE2__)
using Line = __m128i;
void store(Line* to, const void* from) {
  _mm_stream_si128(to, _mm_loadu_si128(static_cast<const Line*>(from)));
}
#endif

}  // namespace

void stream_store(void* to, const void* from, std::size_t bytes) noexcept {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  std::size_t done = 0;
#ifdef __SSE2__
  // Ordinary stores up to the first whole line: stores past the caches must be aligned.
  done = std::min(-reinterpret_cast<std::uintptr_t>(to) % sizeof(Line), bytes);
  std::memcpy(target, source, done);
  for (; done + sizeof(Line) <= bytes; done += sizeof(Line))
    store(reinterpret_cast<Line*>(target + done), source + done);
#endif
  std::memcpy(target + done, source + done, bytes - done);
}

void finish_stream_stores() noexcept {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace td
