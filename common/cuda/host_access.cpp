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

/// The program ends as it would with a GPU.
void on_host_access(const void* data, std::size_t, bool writes, const void* pc) {
  if (arena_of(data) < 0) return;
  State& all = state();
  Lock lock(all.mutex);
  report(pc, text_of(all, data, writes));
  finish_queue(all, lock);
  write_reports(false);
  std::fflush(nullptr);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

}  // namespace

void watch_host_accesses() {
  for (const Device& device : state().devices) {
    if (!device.arena) continue;
    lowest = std::min(lowest, device.arena->begin());
    highest = std::max(highest, device.arena->end());
  }
  simt::host_access = on_host_access;
}

void watch_this_thread() {
  simt::observed_begin = lowest;
  simt::observed_bytes = highest > lowest ? highest - lowest : 0;
  simt::is_observed = true;
}

}  // namespace td::cudart
