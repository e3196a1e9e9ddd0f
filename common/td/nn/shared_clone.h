// A way to clone a module without its values: the copy's tensors are other tensors over the
// original's memory. Replicas start so (td/parallel/replicate.cpp), and get their own memory from
// one broadcast. Invariant: the program's random numbers are the same with and without the clone.
#pragma once

#include "td/tensor/generator.h"

namespace td::nn {

/// Until the end of the scope, `clone()` in this thread shares memory with the original, whatever
/// device it is told. First values that a `reset()` draws come from a generator of no meaning; the
/// core's layers draw none.
class SharedCloneGuard {
 public:
  SharedCloneGuard();
  ~SharedCloneGuard();
  SharedCloneGuard(const SharedCloneGuard&) = delete;
  SharedCloneGuard& operator=(const SharedCloneGuard&) = delete;

 private:
  bool previous_;
  Generator nobodys_;
  GeneratorGuard numbers_;
};

/// Whether a guard is at work in this thread.
bool sharing_clones();

}  // namespace td::nn
