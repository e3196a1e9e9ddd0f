// The functions that -fsanitize=thread makes a compiler call before every access to memory. Each
// kernel library has its own copy, hidden, so that they win over a sanitizer of the whole program.
// They report to the machine; where nothing is observed, they return immediately. The others of
// this file replace functions of the C library, and tell the machine about the library.
//
// Invariant: compiled without -fsanitize, so that no hook calls itself. The return address of a
// hook lies in the kernel.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "simt/device_calls.h"
#include "simt/library.h"

// A section of its own, so that the machine can tell a hook from a kernel.
#define HOOKED(T) extern "C" __attribute__((visibility("hidden"), section("td_hooks"))) T
#define HOOK HOOKED(void)
#define KERNEL __builtin_return_address(0)

using td::simt::AccessForm;
using td::simt::is_observed;
using td::simt::is_reported;
using td::simt::tell_atomic;
using td::simt::tell_read;
using td::simt::tell_volatile_read;
using td::simt::tell_volatile_write;
using td::simt::tell_write;

#define ACCESS(name, tell, bytes, form)         \
  HOOK __tsan_##name(const void* p) {           \
    if (is_reported(p)) [[unlikely]]            \
      tell(p, bytes, AccessForm::form, KERNEL); \
  }
#define ACCESSES(bytes)                                                                       \
  ACCESS(read##bytes, tell_read, bytes, kPlain)                                               \
  ACCESS(write##bytes, tell_write, bytes, kPlain)                                             \
  HOOK __tsan_volatile_read##bytes(const void* p) { tell_volatile_read(p, bytes, KERNEL); }   \
  HOOK __tsan_volatile_write##bytes(const void* p) { tell_volatile_write(p, bytes, KERNEL); } \
  ACCESS(unaligned_read##bytes, tell_read, bytes, kCopy)                                      \
  ACCESS(unaligned_write##bytes, tell_write, bytes, kCopy)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

HOOK __tsan_read_range(const void* p, std::size_t bytes) {
  if (bytes && is_reported(p)) tell_read(p, bytes, AccessForm::kCopy, KERNEL);
}
HOOK __tsan_write_range(const void* p, std::size_t bytes) {
  if (bytes && is_reported(p)) tell_write(p, bytes, AccessForm::kCopy, KERNEL);
}

HOOK __tsan_init() {}
HOOK __tsan_func_entry(const void*) {}
HOOK __tsan_func_exit() {}
HOOK __tsan_vptr_update(void**, void*) {}
HOOK __tsan_vptr_read(void**) {}

// A hook of an atomic operation does the operation. A GPU's are relaxed; the order is the strongest
// here, because it costs little and the compiler's order is not a constant in a hook.
#define FETCH(bits, T, name)                                                  \
  HOOKED(T) __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int) { \
    tell_atomic(const_cast<T*>(p), sizeof(T), KERNEL);                        \
    return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);                 \
  }
#define ATOMICS(bits, T)                                                                         \
  HOOKED(T) __tsan_atomic##bits##_load(const volatile T* p, int) {                               \
    tell_atomic(const_cast<const T*>(p), sizeof(T), KERNEL);                                     \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                              \
  HOOKED(void) __tsan_atomic##bits##_store(volatile T* p, T value, int) {                        \
    tell_atomic(const_cast<T*>(p), sizeof(T), KERNEL, AccessForm::kStore);                       \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                \
  }                                                                                              \
  HOOKED(T) __tsan_atomic##bits##_exchange(volatile T* p, T value, int) {                        \
    tell_atomic(const_cast<T*>(p), sizeof(T), KERNEL);                                           \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                      \
  }                                                                                              \
  HOOKED(int)                                                                                    \
  __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T value, int, int) { \
    tell_atomic(const_cast<T*>(p), sizeof(T), KERNEL, AccessForm::kCompare);                     \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,              \
                                       __ATOMIC_SEQ_CST);                                        \
  }                                                                                              \
  HOOKED(int)                                                                                    \
  __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T value, int, int) {   \
    tell_atomic(const_cast<T*>(p), sizeof(T), KERNEL, AccessForm::kCompare);                     \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,              \
                                       __ATOMIC_SEQ_CST);                                        \
  }                                                                                              \
  HOOKED(T)                                                                                      \
  __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int, int) {     \
    tell_atomic(const_cast<T*>(p), sizeof(T), KERNEL, AccessForm::kCompare);                     \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                             \
  }                                                                                              \
  FETCH(bits, T, add)                                                                            \
  FETCH(bits, T, sub)                                                                            \
  FETCH(bits, T, and)                                                                            \
  FETCH(bits, T, or)                                                                             \
  FETCH(bits, T, xor)
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)

HOOK __tsan_atomic_thread_fence(int) { td::simt::fence(); }
HOOK __tsan_atomic_signal_fence(int) {}

// What the C library's assert calls.
extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void __assert_fail(
    const char* text, const char* file, unsigned line, const char* function) {
  if (td::simt::in_kernel()) td::simt::assertion_failed(text, KERNEL);
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, text);
  std::abort();
}

/// With -fsanitize-coverage=trace-pc, at the beginning of each basic block.
HOOK __sanitizer_cov_trace_pc() {
  if (is_observed) [[unlikely]]
    td::simt::tell_basic_block(KERNEL);
}

// The linker redirects the calls of memcpy, memset and memmove to these functions (--wrap).
extern "C" {
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __real_memset(void* to, int value, std::size_t bytes);
}
static void tell_copy(void* to, const void* from, std::size_t bytes, const void* pc) {
  if (bytes == 0) return;
  if (is_reported(from)) tell_read(from, bytes, AccessForm::kCopy, pc);
  if (is_reported(to)) tell_write(to, bytes, AccessForm::kCopy, pc);
}
// clang, from version 15 on, calls __tsan_memcpy and its kin where it makes such a call itself.
#define COPY_HOOKS(prefix)                                                          \
  HOOKED(void*) prefix##memcpy(void* to, const void* from, std::size_t bytes) {     \
    tell_copy(to, from, bytes, KERNEL);                                             \
    return __real_memcpy(to, from, bytes);                                          \
  }                                                                                 \
  HOOKED(void*) prefix##memmove(void* to, const void* from, std::size_t bytes) {    \
    tell_copy(to, from, bytes, KERNEL);                                             \
    return __real_memmove(to, from, bytes);                                         \
  }                                                                                 \
  HOOKED(void*) prefix##memset(void* to, int value, std::size_t bytes) {            \
    if (bytes && is_reported(to)) tell_write(to, bytes, AccessForm::kCopy, KERNEL); \
    return __real_memset(to, value, bytes);                                         \
  }
COPY_HOOKS(__wrap_)
COPY_HOOKS(__tsan_)

// So are those of malloc, free, new and delete. In a kernel they mean the heap of the device.
#define WRAP_NEW(name)                                                                    \
  extern "C" void* __real_##name(std::size_t bytes);                                      \
  HOOKED(void*) __wrap_##name(std::size_t bytes) {                                        \
    return td::simt::in_kernel() ? td::simt::device_malloc(bytes) : __real_##name(bytes); \
  }
#define WRAP_DELETE(name, ...)                                                   \
  extern "C" void __real_##name(void* p __VA_OPT__(, ) __VA_ARGS__);             \
  HOOKED(void) __wrap_##name(void* p __VA_OPT__(, ) __VA_ARGS__) {               \
    if (!td::simt::device_free(p, KERNEL)) __real_##name(p __VA_OPT__(, bytes)); \
  }
WRAP_NEW(malloc)
WRAP_NEW(_Znwm)
WRAP_NEW(_Znam)
WRAP_DELETE(free)
WRAP_DELETE(_ZdlPv)
WRAP_DELETE(_ZdaPv)
WRAP_DELETE(_ZdlPvm, std::size_t bytes)
WRAP_DELETE(_ZdaPvm, std::size_t bytes)

// clock() of a kernel is the GPU's.
extern "C" clock_t __real_clock();
HOOKED(clock_t) __wrap_clock() {
  return td::simt::in_kernel() ? td::simt::clock_ticks() : __real_clock();
}

// What the library tells about itself.
namespace {

#if defined(__x86_64__)
using Instruction = std::uint8_t;
constexpr Instruction kNop = 0x90;
#elif defined(__aarch64__)
using Instruction = std::uint32_t;
constexpr Instruction kNop = 0xd503201f;
#endif

}  // namespace

extern "C" {  // defined by the linker
extern const char __start_td_hooks[] __attribute__((visibility("hidden")));
extern const char __stop_td_hooks[] __attribute__((visibility("hidden")));
// Missing in a library without `__constant__` variables.
extern const char __start_td_constant[] __attribute__((visibility("hidden"), weak));
extern const char __stop_td_constant[] __attribute__((visibility("hidden"), weak));
}

/// Counts the instructions of `__launch_bounds__`. Fewer than 32 are the linker's, which align
/// code.
static unsigned launch_bounds(const void* kernel) {
  constexpr unsigned kMost = 32 * 1024 + 31;
  const auto* const entry = static_cast<const Instruction*>(kernel);
  unsigned count = 0;
  while (count < kMost && entry[-1 - static_cast<int>(count)] == kNop) ++count;
  return count / 32;
}

extern "C" const td::simt::KernelLibrary td_kernel_library
    __attribute__((visibility("default"))) = {__start_td_hooks, __stop_td_hooks, launch_bounds,
                                              __start_td_constant, __stop_td_constant};
