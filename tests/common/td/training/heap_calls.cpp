// See heap_calls.h. malloc and its relatives are replaced by functions that record the call stack
// and then call glibc's own. The records are in fixed arrays, because recording must not allocate.
#include "heap_calls.h"

#ifdef TD_COUNTS_HEAP_CALLS
#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <sstream>
#include <utility>

#include "sim/sim.h"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

constexpr int kFrames = 24, kMostCalls = 4096;
struct Call {
  std::array<void*, kFrames> frames;
  int depth;
};
std::array<Call, kMostCalls> calls;
std::atomic<int> call_count{0};
std::atomic<bool> counting{false};
bool finds_races = false;          // to be switched on again
thread_local bool noting = false;  // backtrace may itself ask for memory

[[gnu::noinline]] void note_call() {
  if (!counting.load(std::memory_order_relaxed) || noting) return;
  noting = true;
  const int i = call_count.fetch_add(1);
  if (i < kMostCalls) {
    Call& call = calls[static_cast<std::size_t>(i)];
    call.depth = backtrace(call.frames.data(), kFrames);
  }
  noting = false;
}

constexpr int kOwnFrames = 2;  // note_call and the replaced function

std::string object_of(void* address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return "code made at run time";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

bool is_language(const std::string& object) {
  return object.rfind("libc.so", 0) == 0 || object.rfind("libstdc++", 0) == 0 ||
         object.rfind("libgcc", 0) == 0 || object.rfind("ld-linux", 0) == 0;
}

// The object that asked, and from which frame on its code begins.
std::pair<std::string, int> caller_of(const Call& call) {
  for (int f = kOwnFrames; f < call.depth; ++f) {
    std::string object = object_of(call.frames[static_cast<std::size_t>(f)]);
    if (!is_language(object)) return {std::move(object), f};
  }
  return {"unknown", kOwnFrames};
}

bool is_ours(const std::string& object) {
  return object.rfind("libtd", 0) == 0 || object.rfind("test_", 0) == 0;
}

template <class F>
void each_call(F f) {
  const int count = std::min(call_count.load(), kMostCalls);
  for (int i = 0; i < count; ++i) f(calls[static_cast<std::size_t>(i)]);
}

}  // namespace

HeapCalls::HeapCalls() {
  finds_races = td::sim::finding_races();
  td::sim::find_races(false);  // memory of the race finder is not part of a step
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads the unwinder, which takes memory, before anything is counted
  call_count = 0;
  counting = true;
}

void HeapCalls::stop() {
  counting = false;
  if (std::exchange(finds_races, false)) td::sim::find_races(true);
}

int HeapCalls::ours() const {
  int count = std::max(0, call_count.load() - kMostCalls);  // not looked at, so ours
  each_call([&](const Call& call) { count += is_ours(caller_of(call).first); });
  return count;
}

std::map<std::string, int> HeapCalls::by_object() const {
  std::map<std::string, int> counts;
  each_call([&](const Call& call) { ++counts[caller_of(call).first]; });
  return counts;
}

std::string HeapCalls::sites() const {
  std::ostringstream text;
  each_call([&](const Call& call) {
    const auto [object, first] = caller_of(call);
    if (!is_ours(object)) return;
    for (int f = first; f < std::min(call.depth, first + 6); ++f) {
      void* const address = call.frames[static_cast<std::size_t>(f)];
      Dl_info info{};
      dladdr(address, &info);
      const auto offset = static_cast<char*>(address) - static_cast<char*>(info.dli_fbase);
      text << (f == first ? "" : " < ") << object_of(address) << "+0x" << std::hex << offset
           << std::dec;
    }
    text << '\n';
  });
  return text.str();
}

// Calls of the whole program from here on, including its libraries.
extern "C" {
void* malloc(std::size_t bytes) noexcept {
  note_call();
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  note_call();
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) noexcept {
  note_call();
  return __libc_realloc(block, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  note_call();
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note_call();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  note_call();
  *block = __libc_memalign(alignment, bytes);
  return *block || bytes == 0 ? 0 : ENOMEM;
}
}
#endif
