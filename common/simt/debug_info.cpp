// Reads DWARF through libdwfl: modules are found in /proc/self/maps, and read when one of their
// addresses is first looked up.
#include "simt/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "simt/library_variables.h"

namespace td::simt {
namespace {

/// The libraries of this process. A library that is loaded later is found by reading the list
/// again.
class Modules {
 public:
  Dwfl_Module* at(std::uintptr_t address) {
    if (dwfl_)
      if (Dwfl_Module* module = dwfl_addrmodule(dwfl_, address)) return module;
    read();
    return dwfl_ ? dwfl_addrmodule(dwfl_, address) : nullptr;
  }

 private:
  void read() {
    static char* no_path = nullptr;
    static const Dwfl_Callbacks callbacks{dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo,
                                          nullptr, &no_path};
    if (!dwfl_) dwfl_ = dwfl_begin(&callbacks);
    if (!dwfl_) return;
    dwfl_report_begin_add(dwfl_);
    dwfl_linux_proc_report(dwfl_, getpid());
    dwfl_report_end(dwfl_, nullptr, nullptr);
  }
  Dwfl* dwfl_ = nullptr;  // for the life of the process
};

/// The files whose lines are not places in a kernel: the language's headers (those of this folder,
/// not of folders in it), those of CUDA's runtime, and the system's.
bool is_language(std::string_view file) {
  constexpr std::string_view folder = "common/simt/";
  const std::size_t at = file.rfind(folder);
  if (at != file.npos && file.ends_with(".h") && file.find('/', at + folder.size()) == file.npos)
    return true;
  return file.ends_with("common/td/tensor/half.h") || file.starts_with("/usr/") ||
         file.find("common/cuda/") != file.npos;
}

/// Calls `work` on a stack of its own: a report may be made on a fiber, whose stack is too small
/// for libdw.
template <class F>
void on_large_stack(F work) {
  using boost::context::fiber;
  fiber(std::allocator_arg, boost::context::fixedsize_stack(1 << 20), [&](fiber&& caller) {
    work();
    return std::move(caller);
  }).resume();
}

int number(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute a;
  Dwarf_Word value = 0;
  if (!dwarf_attr_integrate(die, attribute, &a) || dwarf_formudata(&a, &value) != 0) return 0;
  return static_cast<int>(value);
}

std::string without_arguments(std::string name) { return name.substr(0, name.find('<')); }

/// The path of a file as debug information names it: libdw leaves some relative to the folder that
/// the unit was compiled in.
std::string path_of(Dwarf_Die* unit, const char* file) {
  Dwarf_Attribute a;
  if (!file) return "";
  const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &a));
  return *file == '/' || !folder ? file : std::string(folder) + '/' + file;
}

std::string file_of(Dwarf_Die* unit, int index) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0) return "";
  return path_of(unit, dwarf_filesrc(files, static_cast<std::size_t>(index), nullptr, nullptr));
}

/// The line table's answer for an address.
Site line_at(Dwarf_Die* unit, Dwarf_Addr address) {
  Site site;
  Dwarf_Line* const line = dwarf_getsrc_die(unit, address);
  if (!line) return site;
  site.file = path_of(unit, dwarf_linesrc(line, nullptr, nullptr));
  dwarf_lineno(line, &site.line);
  dwarf_linecol(line, &site.column);
  return site;
}

/// A place in a learner's file, and the calls of inlined functions from there outwards.
struct Located {
  Site site;
  std::vector<Site> calls;
};

/// The place at which the inlined function was called.
Site call_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Site site;
  site.file = file_of(unit, number(inlined, DW_AT_call_file));
  site.line = number(inlined, DW_AT_call_line);
  site.column = number(inlined, DW_AT_call_column);
  return site;
}

/// The innermost place in a learner's file, from the inlined function at the address outwards.
Located locate(Modules& modules, std::uintptr_t pc) {
  Dwarf_Addr bias = 0;
  Dwfl_Module* const module = modules.at(pc);
  Dwarf_Die* const unit = module ? dwfl_module_addrdie(module, pc, &bias) : nullptr;
  if (!unit) return {};
  Located result{line_at(unit, pc - bias), {}};
  Dwarf_Die *innermost = nullptr, *scopes = nullptr;
  if (dwarf_getscopes(unit, pc - bias, &innermost) <= 0) return result;
  const int count = dwarf_getscopes_die(innermost, &scopes);
  Site* place = &result.site;
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    place->function = without_arguments(name_of(&scopes[i]));
    if (tag == DW_TAG_subprogram) break;
    Site call = call_of(unit, &scopes[i]);
    if (is_language(place->file))
      *place = std::move(call);
    else
      place = &result.calls.emplace_back(std::move(call));
  }
  std::free(scopes);
  std::free(innermost);
  return result;
}

class DebugInfo {
 public:
  static DebugInfo& instance() {
    static DebugInfo& info = *new DebugInfo;  // reports may be made until the process ends
    return info;
  }
  Place place_at(std::uintptr_t pc) {
    std::lock_guard lock(mutex_);
    Place& known = by_address_[pc];
    if (!known.site) on_large_stack([&] { known = intern(locate(modules_, pc)); });
    return known;
  }
  const KernelDescription& describe(std::uintptr_t kernel) {
    std::lock_guard lock(mutex_);
    const auto [known, is_new] = kernels_.try_emplace(kernel);
    if (is_new) known->second = read_description(kernel);
    return known->second;
  }
  const std::vector<LibraryVariable>& variables(std::uintptr_t address) {
    std::lock_guard lock(mutex_);
    Dwfl_Module* const module = modules_.at(address);
    const auto [place, is_new] = variables_.try_emplace(module);
    if (is_new && module) place->second = read_variables(module);
    return place->second;
  }

 private:
  KernelDescription read_description(std::uintptr_t kernel) {
    KernelDescription result;
    Dwarf_Addr bias = 0;
    Dwfl_Module* const module = modules_.at(kernel);
    Dwarf_Die* const unit = module ? dwfl_module_addrdie(module, kernel, &bias) : nullptr;
    if (!unit) return result;
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(unit, kernel - bias, &scopes);
    for (int i = 0; i < count; ++i)
      if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
        result.site = intern(Site{
            file_of(unit, number(&scopes[i], DW_AT_decl_file)), number(&scopes[i], DW_AT_decl_line),
            number(&scopes[i], DW_AT_decl_column), without_arguments(name_of(&scopes[i]))});
        add_parameters(&scopes[i], result.parameters);
        break;
      }
    std::free(scopes);
    return result;
  }
  static void add_parameters(Dwarf_Die* function, std::vector<std::string>& names) {
    Dwarf_Die die;
    if (dwarf_child(function, &die) != 0) return;
    do
      if (dwarf_tag(&die) == DW_TAG_formal_parameter) names.push_back(name_of(&die));
    while (dwarf_siblingof(&die, &die) == 0);
  }
  const Site* intern(const Site& site) {
    auto& known = sites_[{site.file, site.line, site.column, site.function}];
    if (!known) known = std::make_unique<Site>(site);
    return known.get();
  }

  Place intern(const Located& located) {
    std::vector<const Site*> calls;  // from the kernel inwards
    for (auto call = located.calls.rbegin(); call != located.calls.rend(); ++call)
      calls.push_back(intern(*call));
    return {intern(located.site), calls.empty() ? nullptr : &*calls_.insert(calls).first};
  }

  std::mutex mutex_;  // guards all below
  Modules modules_;
  std::map<std::tuple<std::string, int, int, std::string>, std::unique_ptr<Site>> sites_;
  std::set<std::vector<const Site*>> calls_;
  std::unordered_map<std::uintptr_t, Place> by_address_;
  std::unordered_map<std::uintptr_t, KernelDescription> kernels_;  // by address
  std::map<Dwfl_Module*, std::vector<LibraryVariable>> variables_;
};

}  // namespace

Place place_before(std::uintptr_t return_address) {
  // A small cache, because an observed launch looks up every access.
  struct Entry {
    std::uintptr_t address = 0;
    Place place;
  };
  constexpr std::size_t kEntries = 1024;
  thread_local Entry table[kEntries];
  Entry& entry = table[return_address % kEntries];
  if (entry.address != return_address || !entry.place.site)
    entry = {return_address, DebugInfo::instance().place_at(return_address - 1)};
  return entry.place;
}

const Site* site_before(std::uintptr_t return_address) { return place_before(return_address).site; }

const KernelDescription& describe_kernel(std::uintptr_t kernel) {
  return DebugInfo::instance().describe(kernel);
}

const std::vector<LibraryVariable>& variables_of_library(std::uintptr_t address) {
  return DebugInfo::instance().variables(address);
}

}  // namespace td::simt
