// A launch that was checked, and how it runs. Made by launches.cpp, run by the queue and by graphs.
//
// Invariant: it owns copies of its arguments.
#pragma once

#include <memory>

#include "cuda/state.h"

namespace td::cudart {

/// A launch that waits in the queue or is part of a graph.
struct Work {
  Kernel kernel;
  Config config;
  int device;
  const void* caller;
  /// What the machine passes to each thread.
  struct Values {
    void (*call)(const void*);
    std::size_t bytes;
    alignas(64) char data[4096 + 64];
  } values;
};

/// A launch without the values of its arguments.
std::shared_ptr<Work> make_work(const Kernel& kernel, const Config& config, int device,
                                const void* caller);
/// The value of a parameter that is a pointer.
const void* value_of(const Work& work, std::size_t parameter);
/// "add" for "math::add<float, 4>".
std::string short_name(const char* name);

/// Runs a launch and what its kernel launches. An error becomes the device's.
void run(const Work& work);
/// A kernel launches another. It runs after the kernel that launched it, which CUDA allows, because
/// kernels cannot wait for those that they launch.
void add_child(std::shared_ptr<Work> work);

}  // namespace td::cudart
