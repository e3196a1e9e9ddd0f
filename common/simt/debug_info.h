// What the debug information of loaded libraries contains: the source place of an address, the
// parameters of a kernel, and the variables that kernels share. Read by libdw (elfutils).
// Thread-safe. Used where a report or an observed launch needs it, never for a plain launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simt/observer.h"

namespace td::simt {

/// The place of the instruction before `return_address`. If it is in a function that was inlined
/// from the machine's own or the system's headers, returns the place of the call in the learner's
/// file. Lives as long as the process, and equal places are one object. Never nullptr.
const Site* site_before(std::uintptr_t return_address);

/// The same, with the calls of inlined functions that lead there, as Access has them.
struct Place {
  const Site* site = nullptr;
  const std::vector<const Site*>* calls = nullptr;
};
Place place_before(std::uintptr_t return_address);

/// A kernel, as its library describes it.
struct KernelDescription {
  const Site* site = nullptr;           ///< Where it is defined; nullptr when that is unknown.
  std::vector<std::string> parameters;  ///< Their names; empty when they are unknown.
};
/// @param kernel the address of its code.
const KernelDescription& describe_kernel(std::uintptr_t kernel);

/// A variable of a kernel library, outside of the stack.
struct LibraryVariable {
  std::string name;
  std::string type;  ///< Of an element.
  std::size_t element_size = 1;
  std::size_t bytes = 0;
  bool is_thread_local = false;  ///< A __shared__ variable, else a __device__ one.
  bool is_extern = false;        ///< `extern __shared__`: it has no own address.
  /// An address; for a __shared__ variable its offset from the start.
  std::uintptr_t place = 0;
  std::uintptr_t function = 0;  ///< The address of the function that declares it, or 0.
};
/// All variables of the library that has the code at `address`.
const std::vector<LibraryVariable>& variables_of_library(std::uintptr_t address);

}  // namespace td::simt
