// Signals that a kernel's instructions raise: division of an integer by zero, and accesses to
// memory that is not mapped; and that of the time limit. The machine ends the thread, and the
// process continues.
#pragma once

#include <string>

#include "simt/machine.h"

namespace td::simt {

/// Installs the handlers where another library has replaced them, and gives the calling OS thread a
/// stack for them. Signals outside of kernels go to the handlers that were there before.
void install_traps();
/// What a thread did, as text after its name: " divides an integer by zero".
std::string text_of_trap(const Machine::Fault& fault);

}  // namespace td::simt
