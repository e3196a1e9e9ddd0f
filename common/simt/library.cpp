// Segments come from the loader's list, symbols from the library's own table.
#include "simt/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <unordered_map>

namespace td::simt {
namespace {

struct Search {
  std::uintptr_t address;
  Library library;
};

int look_at(dl_phdr_info* info, std::size_t, void* search) {
  const std::uintptr_t address = static_cast<Search*>(search)->address;
  Library& library = static_cast<Search*>(search)->library;
  const auto range = [&](const ElfW(Phdr) & segment) {
    return Range{info->dlpi_addr + segment.p_vaddr, segment.p_memsz};
  };
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && range(info->dlpi_phdr[i]).contains(address))
      library.code = range(info->dlpi_phdr[i]);
  if (library.code.bytes == 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    // The tables of virtual functions are written by the loader, and read-only from then on.
    if ((segment.p_type == PT_LOAD && !(segment.p_flags & PF_W)) || segment.p_type == PT_GNU_RELRO)
      library.constants.push_back(range(segment));
    if (segment.p_type == PT_TLS && info->dlpi_tls_data)
      library.thread_local_variables = {reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data),
                                        segment.p_memsz};
  }
  return 1;
}

Range range(const char* begin, const char* end) {
  return {reinterpret_cast<std::uintptr_t>(begin), static_cast<std::uintptr_t>(end - begin)};
}

void read_symbols(const void* kernel, Library& library) {
  Dl_info info{};
  if (!dladdr(kernel, &info)) return;
  void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) handle = dlopen(nullptr, RTLD_LAZY);  // the kernel is the program's own
  if (!handle) return;
  library.dynamic_shared = reinterpret_cast<std::uintptr_t>(dlsym(handle, "td_dynamic_shared"));
  library.kernels = static_cast<const KernelLibrary*>(dlsym(handle, "td_kernel_library"));
  dlclose(handle);
  if (!library.kernels) return;
  library.hooks = range(library.kernels->hooks_begin, library.kernels->hooks_end);
  library.constants.push_back(
      range(library.kernels->constants_begin, library.kernels->constants_end));
}

}  // namespace

bool Library::is_constant(std::uintptr_t address) const {
  return std::any_of(constants.begin(), constants.end(),
                     [&](const Range& range) { return range.contains(address); });
}

const Library& library_of(const void* kernel) {
  thread_local std::unordered_map<const void*, Library> known;
  const auto [place, is_new] = known.try_emplace(kernel);
  if (is_new) {
    Search search{reinterpret_cast<std::uintptr_t>(kernel), {}};
    dl_iterate_phdr(look_at, &search);
    read_symbols(kernel, search.library);
    place->second = std::move(search.library);
  }
  return place->second;
}

}  // namespace td::simt
