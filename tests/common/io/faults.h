// Makes the system calls of a writer fail or kill: faults.cpp stands in front of the C library's
// write, fsync, close and rename, for this test program only. Invariant: calls are counted only
// while a Faults object lives, which at most one does.
#pragma once

#include <cstddef>

/// Strikes at the `at`-th of the watched calls, counted from 0.
class Faults {
 public:
  /// What happens there.
  enum class Kind {
    kKill,        ///< The process is killed before the call.
    kKillInside,  ///< The process is killed when a write has done half its work; like kKill
                  ///< elsewhere.
    kDiskFull     ///< The call fails with ENOSPC.
  };
  Faults(std::size_t at, Kind kind);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;
  /// Whether it came to the strike.
  bool struck() const;
};
