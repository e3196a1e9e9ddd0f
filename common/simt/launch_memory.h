// A copy of the memory that a launch may write, so that it can be run again from the same start,
// and its results compared. Used by run.cpp for observed launches.
#pragma once

#include <vector>

#include "simt/observer.h"

namespace td::simt {

class LaunchMemory {
 public:
  /// Copies the memory of the arguments that are not const, and the library's variables.
  explicit LaunchMemory(const LaunchInfo& launch);
  /// Whether there is a copy: none is made of more than 1 GiB.
  bool is_complete() const { return is_complete_; }
  void restore() const;
  bool is_unchanged() const;

 private:
  struct Piece {
    std::uintptr_t begin;
    std::vector<unsigned char> bytes;
  };
  bool is_complete_ = false;
  std::vector<Piece> pieces_;
};

}  // namespace td::simt
