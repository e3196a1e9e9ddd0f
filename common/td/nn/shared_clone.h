// A way to clone a module without its values: the copy's tensors are other tensors over the
// original's memory. Replicas start so (td/parallel/replicate.cpp), and get their own memory from
// one broadcast. Invariant: under the guard, cloning writes no value and draws no random number of
// the layers' own.
#pragma once

namespace td::nn {

/// Until the end of the scope, `clone()` in this thread shares memory with the original, whatever
/// device it is told.
class SharedCloneGuard {
 public:
  SharedCloneGuard();
  ~SharedCloneGuard();
  SharedCloneGuard(const SharedCloneGuard&) = delete;
  SharedCloneGuard& operator=(const SharedCloneGuard&) = delete;

 private:
  bool previous_;
};

/// Whether a guard is at work in this thread.
bool sharing_clones();

}  // namespace td::nn
