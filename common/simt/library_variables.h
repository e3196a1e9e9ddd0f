// Reads the variables of a library from its debug information and its symbol table. Used by
// debug_info.cpp, which calls it once for each library.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>
#include <vector>

#include "simt/debug_info.h"

namespace td::simt {

/// The name of what the entry describes; empty where it has none.
std::string name_of(Dwarf_Die* die);
/// All variables that live as long as the library or an OS thread.
std::vector<LibraryVariable> read_variables(Dwfl_Module* module);

}  // namespace td::simt
