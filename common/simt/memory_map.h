// Where the memory is that a kernel reaches: its shared variables, its library's constants and
// __device__ variables. Used by the machine for observed launches.
//
// Invariant: addresses of shared variables are those of the OS thread that made the map.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/library.h"
#include "simt/observer.h"

namespace td::simt {

class MemoryMap {
 public:
  /// Adds the shared variables of the kernel's library, with the dynamic one last. Its __device__
  /// variables become arguments, because a kernel may reach them as well.
  static void add_variables(LaunchInfo& info, const void* kernel);
  /// Prepares for the accesses of a launch that was described.
  void use(const LaunchInfo& info, const void* kernel);
  /// Sets the space, and the variable for shared memory. An address between shared variables
  /// belongs to the one before it. @return false for constants of the library.
  bool classify(Access& access) const;

 private:
  std::size_t variable_at(std::uintptr_t address) const;

  const std::vector<SharedVariable>* shared_ = nullptr;  // of the launch; the last is dynamic
  mutable std::size_t last_ = 0;                         // the variable that was found last
  Range thread_local_, dynamic_;
  std::vector<Range> constants_;
};

}  // namespace td::simt
