// Looks for the function that Kernel::call calls, and that has the kernel's name in the debug
// information. Invariant: reads code of the program only.
#include "cuda/kernel_address.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "simt/debug_info.h"
#include "simt/library.h"

namespace td::cudart {
namespace {

/// The targets of the calls in the code from `begin` on.
std::vector<std::uintptr_t> calls_in(std::uintptr_t begin, const simt::Library& library) {
  constexpr std::uintptr_t kMostBytes = 2048;
  std::vector<std::uintptr_t> targets;
  const std::uintptr_t end =
      std::min(begin + kMostBytes, library.code.begin + library.code.bytes - 8);
  const auto add = [&](std::uintptr_t target) {
    if (library.code.contains(target) && !library.hooks.contains(target)) targets.push_back(target);
  };
#if defined(__x86_64__)
  for (std::uintptr_t at = begin; at < end; ++at) {
    const auto* const code = reinterpret_cast<const unsigned char*>(at);
    std::int32_t distance;
    std::memcpy(&distance, code + 1, sizeof distance);
    if (*code == 0xe8) add(at + 5 + static_cast<std::uintptr_t>(std::intptr_t{distance}));
  }
#elif defined(__aarch64__)
  for (std::uintptr_t at = begin; at < end; at += 4) {
    std::uint32_t code;
    std::memcpy(&code, reinterpret_cast<const void*>(at), sizeof code);
    const std::int32_t distance = static_cast<std::int32_t>(code << 6) >> 4;
    if (code >> 26 == 0x25) add(at + static_cast<std::uintptr_t>(std::intptr_t{distance}));
  }
#endif
  return targets;
}

/// Whether a kernel of the name begins there.
bool is_kernel(std::uintptr_t address, const std::string& name) {
  const simt::Site* const site = simt::describe_kernel(address).site;
  return site && site->function == name;
}

}  // namespace

const void* address_of(const Kernel& kernel, const std::string& name) {
  if (kernel.address) return kernel.address;
  static auto& known = *new std::map<void (*)(const void*), const void*>;  // of the worker
  const auto [place, is_new] =
      known.try_emplace(kernel.call, reinterpret_cast<const void*>(kernel.call));
  if (!is_new) return place->second;
  const simt::Library& library = simt::library_of(place->second);
  const auto caller = reinterpret_cast<std::uintptr_t>(kernel.call);
  for (const std::uintptr_t first : calls_in(caller, library)) {
    if (is_kernel(first, name)) return place->second = reinterpret_cast<const void*>(first);
    for (const std::uintptr_t second : calls_in(first, library))
      if (is_kernel(second, name)) return place->second = reinterpret_cast<const void*>(second);
  }
  return place->second;
}

}  // namespace td::cudart
