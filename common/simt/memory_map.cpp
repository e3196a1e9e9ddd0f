// Shared variables are thread_local in the kernel's library, so the loader knows where they are for
// the calling OS thread, and the debug information has the offset of each.
#include "simt/memory_map.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <unordered_map>

#include "simt/debug_info.h"
#include "simt/library.h"
#include "simt/thread_variables.h"

namespace td::simt {
namespace {

PointerArgument device_variable(const LibraryVariable& v) {
  PointerArgument argument{v.name, v.place, v.bytes, v.element_size, v.type, {}, false};
  argument.sizes = {static_cast<std::int64_t>(v.bytes / std::max<std::size_t>(1, v.element_size))};
  return argument;
}

/// The text of the function at the address, from the line before its name on; empty where its file
/// is not there.
std::string source_of(std::uintptr_t function) {
  constexpr int kMostLines = 1000;
  const Site* const site = describe_kernel(function).site;
  if (!site) return "";
  std::ifstream file(site->file);
  std::string text, line;
  for (int i = 1; i + 1 < site->line && std::getline(file, line);) ++i;
  std::ptrdiff_t depth = 0;
  for (int i = 0; i < kMostLines && std::getline(file, line); ++i) {
    text += line.substr(0, line.find("//")) + '\n';
    if (i == 0 && site->line > 1) continue;  // the end of another function may be there
    depth += std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}');
    if (depth <= 0 && line.find('}') != line.npos) break;
  }
  return text;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_part(text[at - 1])) && !is_part(text[at + word.size()])) return true;
  return false;
}

/// Which of the library's names for dynamic shared memory the kernel uses; nullptr where that is
/// unknown. They all mean the same memory, so only the source tells.
const LibraryVariable* name_of_dynamic(const std::vector<const LibraryVariable*>& names,
                                       std::uintptr_t kernel) {
  if (names.empty()) return nullptr;
  const auto is_first = [&](const LibraryVariable* v) {
    return v->name == names[0]->name && v->type == names[0]->type;
  };
  if (std::all_of(names.begin(), names.end(), is_first)) return names[0];
  for (const LibraryVariable* v : names)
    if (v->function == kernel) return v;
  const std::string source = source_of(kernel);
  for (const LibraryVariable* v : names)
    if (has_word(source, v->name)) return v;
  return nullptr;
}

/// Whether another kernel declares the variable.
bool is_of_other_kernel(const LibraryVariable& v, std::uintptr_t kernel) {
  return v.function != 0 && v.function != kernel && has_word(source_of(v.function), "__global__");
}

/// The variables that a kernel finds in its library.
struct KernelVariables {
  std::vector<SharedVariable> shared;  ///< By address; at last the dynamic shared memory.
  std::vector<PointerArgument> global;
};

KernelVariables variables_of(const void* kernel) {
  KernelVariables all;
  const auto address = reinterpret_cast<std::uintptr_t>(kernel);
  const Library& library = library_of(kernel);
  SharedVariable dynamic{"dynamic shared memory", "", 1, library.dynamic_shared, 0, true};
  std::vector<const LibraryVariable*> names;
  for (const LibraryVariable& v : variables_of_library(address)) {
    if (v.is_thread_local && !is_of_other_kernel(v, address))
      all.shared.push_back({v.name, v.type, v.element_size,
                            library.thread_local_variables.begin + v.place, v.bytes, false});
    else if (v.is_thread_local)
      continue;
    else if (v.is_extern && v.bytes == 0 && (v.function == address || v.function == 0))
      names.push_back(&v);
    else if (!v.is_extern && v.bytes > 0 && !library.is_constant(v.place))
      all.global.push_back(device_variable(v));
  }
  if (const LibraryVariable* v = name_of_dynamic(names, address))
    dynamic.name = v->name, dynamic.type = v->type, dynamic.element_size = v->element_size;
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
  const Library& library = library_of(kernel);
  shared_ = &info.shared;
  last_ = 0;
  thread_local_ = library.thread_local_variables;
  constexpr std::uintptr_t kMostDynamic = 227 << 10;
  dynamic_ = {info.shared.back().begin, info.shared.back().begin ? kMostDynamic : 0};
  constants_ = library.constants;
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
      if (constants.contains(access.address)) {
        access.space = Space::kConstant;
        return access.kind != AccessKind::kRead;
      }
  }
  return true;
}

}  // namespace td::simt
