// Finds accesses of host code to the memory of a device, which a GPU's program cannot make. The
// program is compiled with the hooks of the kernels, and the machine passes on what host code
// accesses. Invariant: nothing is done for memory of the host but two comparisons.
#include <signal.h>

#include <algorithm>
#include <cstdio>

#include "cuda/report.h"
#include "cuda/state.h"
#include "simt/device_calls.h"

namespace td::cudart {
namespace {

std::uintptr_t lowest = ~std::uintptr_t{0}, highest = 0;  // of the arenas

std::string text_of(const State& all, const void* data, bool writes) {
  const Found found = find_memory(all, data, 1);
  const std::string verb = writes ? "writes" : "reads";
  if (found.freed)
    return "the host " + verb + " memory of the device that was freed in " +
           place_of(found.freed->freed);
  if (!found.block) return "the host " + verb + " memory of the device, where no block is";
  const std::string copy = writes
                               ? "copy the value there with cudaMemcpy(…, cudaMemcpyHostToDevice)"
                               : "copy it with cudaMemcpy(…, cudaMemcpyDeviceToHost)";
  return "the host " + verb + " memory of the device (" + found.block->call + " in " +
         place_of(found.block->made) + "); " + copy;
}

/// Pinned and managed memory: the host must have waited for what the device does with it.
void check_order(State& all, const void* data, std::size_t bytes, bool writes, const void* pc) {
  constexpr unsigned kNoStream = ~0u;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const Access access{nullptr, kNoStream, 0, writes, begin, begin + bytes, nullptr};
  const Access* const other = race_of(all.accesses, access, all.host);
  if (!other) return;
  const Found found = find_memory(all, data, 1);
  const bool is_managed = found.block && found.block->kind == Kind::kManaged;
  report(pc,
         std::string("the host ") + (writes ? "writes" : "reads") +
             (is_managed ? " managed" : " pinned") + " memory that " + *other->name + " in " +
             place_of(other->caller) + (other->writes ? " writes" : " reads") +
             ", and has not waited for it; call cudaDeviceSynchronize(), or wait for its stream "
             "or for an event");
}

/// The program ends as it would with a GPU.
void on_host_access(const void* data, std::size_t bytes, bool writes, const void* pc) {
  const int arena = arena_of(data);
  State& all = state();
  if (arena < 0 || (arena == kHostArena && all.is_waited_for)) return;
  Lock lock(all.mutex);
  if (arena == kHostArena) return check_order(all, data, bytes, writes, pc);
  report(pc, text_of(all, data, writes));
  finish_queue(all, lock);
  write_reports(false);
  std::fflush(nullptr);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

}  // namespace

void watch_host_accesses() {
  const auto watch = [](const std::optional<Arena>& arena) {
    if (!arena) return;
    lowest = std::min(lowest, arena->begin());
    highest = std::max(highest, arena->end());
  };
  for (const Device& device : state().devices) watch(device.arena);
  watch(state().host_arena);
  simt::host_access = on_host_access;
}

void watch_this_thread() {
  simt::observed_begin = lowest;
  simt::observed_bytes = highest > lowest ? highest - lowest : 0;
  simt::is_observed = true;
}

}  // namespace td::cudart
