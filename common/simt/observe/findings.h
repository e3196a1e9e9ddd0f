// Collects the findings of a launch: the first of each kind and place, with how many more threads
// did the same. Called by the observers of this folder.
//
// Invariant: a place (Site) has at most one finding of a kind and a subject.
#pragma once

#include <string>
#include <vector>

#include "simt/observer.h"

namespace td::simt {

/// "sum.cu:12", or the kernel's name where the place is unknown.
std::string place(const Site* site);
/// "thread (8,0,0) of block (0,0,0)"
std::string thread_of_block(uint3 thread, uint3 block);
/// The same with ", lane 8 of warp 0".
std::string who(const ThreadInfo& thread, uint3 block);
/// "(8,0,0)"
std::string triple(uint3 v);
/// "31 threads", "1 thread".
std::string count_of(std::size_t count, const std::string& noun);
/// "reads", "writes" or "updates".
const char* verb(AccessKind kind);

class Findings {
 public:
  void begin_launch(const LaunchInfo& launch);
  void begin_block(uint3 block);

  /// Reports what one thread did, once per kind, site and subject; later calls only count.
  /// `describe()` returns the first and the last lines; it is called for the first occurrence.
  /// @param subject what the finding is about, such as a Region; nullptr where there is one at
  /// most.
  template <class Describe>
  void add(Finding::Kind kind, const Site* site, const void* subject, const ThreadInfo& thread,
           Describe describe) {
    if (Entry* entry = find(kind, site, subject))
      count(*entry, thread);
    else
      append(kind, site, subject, thread, describe());
  }
  /// Adds a finding whose text is complete, such as the machine's own.
  void add(Finding finding);

  /// Takes back what was reported of this kind, site and subject.
  void remove(Finding::Kind kind, const Site* site, const void* subject);

  /// Returns the findings with their counts. Called at the end of the launch.
  std::vector<Finding> take();

 private:
  struct Lines {
    std::string first, last;
  };
  struct Entry {
    Finding finding;
    const void* subject = nullptr;
    Lines lines;  // `first` is empty where the finding's text is complete
    std::string who;
    std::size_t threads = 1;
    std::size_t last_block = 0;  // of the last thread that was counted
    std::uint32_t last_thread = 0;
  };

 public:
  using Text = Lines;

 private:
  Entry* find(Finding::Kind kind, const Site* site, const void* subject);
  void append(Finding::Kind kind, const Site* site, const void* subject, const ThreadInfo& thread,
              Lines lines);
  void count(Entry& entry, const ThreadInfo& thread) const;

  std::string kernel_;
  uint3 block_{};
  std::size_t blocks_ = 0;  // begun so far
  std::vector<Entry> entries_;
};

}  // namespace td::simt
