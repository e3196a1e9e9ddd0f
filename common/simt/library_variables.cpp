// Names and types come from DWARF, the places of thread-local variables from the symbol table.
#include "simt/library_variables.h"

#include <dwarf.h>

#include <map>
#include <optional>
#include <set>

namespace td::simt {

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute a;
  const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &a));
  return name ? name : "";
}

namespace {

/// The variable's type: of an element, and the bytes of the whole.
void describe_type(Dwarf_Die* variable, LibraryVariable& result) {
  Dwarf_Attribute a;
  Dwarf_Die type;
  if (!dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &a), &type)) return;
  Dwarf_Word bytes = 0;
  if (dwarf_aggregate_size(&type, &bytes) == 0) result.bytes = bytes;
  for (;;) {
    const int tag = dwarf_tag(&type);
    const bool goes_through =
        tag == DW_TAG_array_type || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type;
    if (!goes_through) break;
    if (!dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &a), &type)) return;
  }
  result.type = name_of(&type);
  if (dwarf_aggregate_size(&type, &bytes) == 0) result.element_size = bytes;
}

/// Where the symbol table of a library has its thread-local variables. g++ for ARM64 writes no
/// place of such a variable into the debug information.
class ThreadLocals {
 public:
  explicit ThreadLocals(Dwfl_Module* module) {
    const int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      const char* const name =
          dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (name && GELF_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_shndx != SHN_UNDEF)
        offsets_[name] = symbol.st_value;
    }
  }
  /// @param function that declares it, or nullptr.
  std::optional<std::uintptr_t> offset_of(Dwarf_Die* variable, Dwarf_Die* function) {
    if (offsets_.empty()) return std::nullopt;
    const auto known = by_declaration_.find(declaration_of(variable));
    if (known != by_declaration_.end()) return known->second;
    const auto offset = search(variable, function);
    if (offset) by_declaration_[declaration_of(variable)] = *offset;
    return offset;
  }

 private:
  static Dwarf_Off declaration_of(Dwarf_Die* die) {
    Dwarf_Attribute a;
    Dwarf_Die origin;
    const bool has_origin = dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &a), &origin);
    return dwarf_dieoffset(has_origin ? &origin : die);
  }
  static std::string linkage_name(Dwarf_Die* die) {
    Dwarf_Attribute a;
    const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));
    return name ? name : "";
  }
  std::optional<std::uintptr_t> search(Dwarf_Die* variable, Dwarf_Die* function) {
    const std::string name = name_of(variable), own = linkage_name(variable);
    const std::string encoded = std::to_string(name.size()) + name;
    if (!own.empty()) return take(own);
    if (!function) {
      const auto offset = take(name);
      return offset ? offset : take("_ZL" + encoded);
    }
    std::string outer = linkage_name(function);
    outer = outer.empty() ? std::to_string(name_of(function).size()) + name_of(function)
                          : outer.substr(2);
    // Those of other blocks of the function have "_0" and so on at the end.
    const std::string first = "_ZZ" + outer + 'E' + encoded;
    for (auto at = offsets_.lower_bound(first);
         at != offsets_.end() && at->first.starts_with(first); ++at)
      if (at->first.find_first_not_of("_0123456789", first.size()) == std::string::npos)
        if (const auto offset = take(at->first)) return offset;
    return std::nullopt;
  }
  std::optional<std::uintptr_t> take(const std::string& symbol) {
    const auto found = offsets_.find(symbol);
    if (found == offsets_.end() || !taken_.insert(symbol).second) return std::nullopt;
    return found->second;
  }

  std::map<std::string, std::uintptr_t> offsets_;  // by symbol
  std::set<std::string> taken_;
  std::map<Dwarf_Off, std::uintptr_t> by_declaration_;
};

/// The variables of a library.
class Variables {
 public:
  explicit Variables(Dwfl_Module* module) : thread_locals_(module) {
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, &bias_))) add_below(unit, nullptr);
  }
  std::vector<LibraryVariable> all;

 private:
  void add_below(Dwarf_Die* parent, Dwarf_Die* function) {
    Dwarf_Die die;
    if (dwarf_tag(parent) == DW_TAG_subprogram) function = parent;
    if (dwarf_child(parent, &die) != 0) return;
    do {
      const int tag = dwarf_tag(&die);
      if (tag == DW_TAG_variable)
        add(&die, function);
      else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
               tag == DW_TAG_inlined_subroutine)
        add_below(&die, function);
    } while (dwarf_siblingof(&die, &die) == 0);
  }
  /// Adds a variable that has a place for the life of its library or of an OS thread.
  void add(Dwarf_Die* die, Dwarf_Die* function) {
    LibraryVariable variable;
    variable.name = name_of(die);
    Dwarf_Addr begin = 0;
    if (function && dwarf_lowpc(function, &begin) == 0) variable.function = begin + bias_;
    if (!find_place(die, function, variable)) return;
    describe_type(die, variable);
    all.push_back(std::move(variable));
  }
  bool find_place(Dwarf_Die* die, Dwarf_Die* function, LibraryVariable& variable) {
    Dwarf_Attribute a;
    Dwarf_Op* op = nullptr;
    std::size_t count = 0;
    if (dwarf_hasattr(die, DW_AT_declaration)) {
      variable.is_extern = true;
    } else if (!dwarf_hasattr_integrate(die, DW_AT_location)) {
      const auto offset = thread_locals_.offset_of(die, function);
      if (!offset) return false;
      variable.is_thread_local = true, variable.place = *offset;
    } else if (dwarf_getlocation(dwarf_attr_integrate(die, DW_AT_location, &a), &op, &count) != 0) {
      return false;
    } else if (count == 1 && op[0].atom == DW_OP_addr) {
      variable.place = op[0].number + bias_;
    } else if (count == 2 &&
               (op[1].atom == DW_OP_GNU_push_tls_address || op[1].atom == DW_OP_form_tls_address)) {
      variable.is_thread_local = true, variable.place = op[0].number;
    } else {
      return false;
    }
    return true;
  }

  ThreadLocals thread_locals_;
  Dwarf_Addr bias_ = 0;
};

}  // namespace

std::vector<LibraryVariable> read_variables(Dwfl_Module* module) {
  return std::move(Variables(module).all);
}

}  // namespace td::simt
