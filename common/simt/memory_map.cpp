// Shared variables are thread_local in the kernel's library, so the loader knows where they are for
// the calling OS thread, and the debug information has the offset of each.
#include "simt/memory_map.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <unordered_map>

#include "simt/debug_info.h"
#include "simt/thread_variables.h"

namespace td::simt {
namespace {

/// What the loader knows about the library that contains an address.
struct Library {
  std::uintptr_t address = 0;
  std::uintptr_t thread_local_begin = 0, thread_local_bytes = 0;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> constants;  // begin and bytes
};

int look_at(dl_phdr_info* info, std::size_t, void* result) {
  Library& library = *static_cast<Library*>(result);
  bool is_it = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    is_it |= segment.p_type == PT_LOAD &&
             library.address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  }
  if (!is_it) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && !(segment.p_flags & PF_W))
      library.constants.emplace_back(info->dlpi_addr + segment.p_vaddr, segment.p_memsz);
    if (segment.p_type == PT_TLS) {
      library.thread_local_begin = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
      library.thread_local_bytes = info->dlpi_tls_data ? segment.p_memsz : 0;
    }
  }
  return 1;
}

Library library_of(const void* kernel) {
  Library library;
  library.address = reinterpret_cast<std::uintptr_t>(kernel);
  dl_iterate_phdr(look_at, &library);
  return library;
}

bool is_constant(const Library& library, std::uintptr_t address) {
  return std::any_of(library.constants.begin(), library.constants.end(),
                     [&](const auto& c) { return address - c.first < c.second; });
}

/// Where the dynamic shared memory of the kernel's library begins for the calling OS thread, or 0
/// where no kernel of it has any. cmake/link_kernels.sh defines the symbol.
std::uintptr_t dynamic_shared_begin(const void* kernel) {
  Dl_info info{};
  if (!dladdr(kernel, &info)) return 0;
  void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(dlsym(library, "td_dynamic_shared"));
  dlclose(library);
  return begin;
}

PointerArgument device_variable(const LibraryVariable& v) {
  PointerArgument argument{v.name, v.place, v.bytes, v.element_size, v.type, {}, false};
  argument.sizes = {static_cast<std::int64_t>(v.bytes / std::max<std::size_t>(1, v.element_size))};
  return argument;
}

/// The variables that a kernel finds in its library.
struct KernelVariables {
  std::vector<SharedVariable> shared;  ///< By address; at last the dynamic shared memory.
  std::vector<PointerArgument> global;
};

KernelVariables variables_of(const void* kernel) {
  KernelVariables all;
  const auto address = reinterpret_cast<std::uintptr_t>(kernel);
  const Library library = library_of(kernel);
  SharedVariable dynamic{"dynamic shared memory", "", 1, dynamic_shared_begin(kernel), 0, true};
  for (const LibraryVariable& v : variables_of_library(address)) {
    if (v.is_thread_local)
      all.shared.push_back(
          {v.name, v.type, v.element_size, library.thread_local_begin + v.place, v.bytes, false});
    else if (v.is_extern && v.bytes == 0 && (v.place == address || v.place == 0))
      dynamic.name = v.name, dynamic.type = v.type, dynamic.element_size = v.element_size;
    else if (!v.is_extern && v.bytes > 0 && !is_constant(library, v.place))
      all.global.push_back(device_variable(v));
  }
  std::sort(all.shared.begin(), all.shared.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  all.shared.push_back(std::move(dynamic));
  return all;
}

}  // namespace

void MemoryMap::add_variables(LaunchInfo& info, const void* kernel) {
  // The places of shared variables belong to the OS thread.
  thread_local std::unordered_map<const void*, KernelVariables> known;
  const auto [place, is_new] = known.try_emplace(kernel);
  KernelVariables& variables = place->second;
  if (is_new) variables = variables_of(kernel);
  variables.shared.back().bytes = info.dynamic_shared;
  info.shared = variables.shared;
  info.arguments.insert(info.arguments.end(), variables.global.begin(), variables.global.end());
}

void MemoryMap::use(const LaunchInfo& info, const void* kernel) {
  const Library library = library_of(kernel);
  shared_ = &info.shared;
  last_ = 0;
  thread_local_ = {library.thread_local_begin, library.thread_local_bytes};
  constexpr std::uintptr_t kMostDynamic = 227 << 10;
  dynamic_ = {info.shared.back().begin, info.shared.back().begin ? kMostDynamic : 0};
  constants_.clear();
  for (const auto& [begin, bytes] : library.constants) constants_.push_back({begin, bytes});
  for (const uint3* index : {&threadIdx, &blockIdx, &blockDim, &gridDim})
    constants_.push_back({reinterpret_cast<std::uintptr_t>(index), sizeof *index});
}

std::size_t MemoryMap::variable_at(std::uintptr_t address) const {
  const auto& variables = *shared_;
  if (address - variables[last_].begin < variables[last_].bytes) return last_;
  std::size_t found = 0;  // the last that begins before the address
  for (std::size_t i = 0; i + 1 < variables.size() && variables[i].begin <= address; ++i) found = i;
  return last_ = found;
}

bool MemoryMap::classify(Access& access) const {
  if (dynamic_.contains(access.address)) {
    access.space = Space::kShared;
    access.variable = static_cast<std::uint16_t>(shared_->size() - 1);
  } else if (thread_local_.contains(access.address) && shared_->size() > 1) {
    access.space = Space::kShared;
    access.variable = static_cast<std::uint16_t>(variable_at(access.address));
  } else {
    for (const Range& constants : constants_)
      if (constants.contains(access.address)) return access.kind != AccessKind::kRead;
  }
  return true;
}

}  // namespace td::simt
