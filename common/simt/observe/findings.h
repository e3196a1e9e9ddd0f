// Collects the findings of a launch: the first of each kind and place, with how many more threads
// did the same. Called by the observers of this folder.
//
// Invariant: a place (Site) has at most one finding of a kind and a subject.
#pragma once

#include <string>
#include <vector>

#include "simt/observer.h"

namespace td::simt {

/// "sum.cu:12", or "an unknown place".
std::string place(const Site* site);
/// "thread (8,0,0) of block (0,0,0)"
std::string thread_of_block(uint3 thread, uint3 block);
/// "reads", "writes" or "updates".
const char* verb(AccessKind kind);

class Findings {
 public:
  /// What is wrong, and whose memory it is with the fix. The thread comes between the two.
  struct Text {
    std::string first, last;
  };

  void begin_launch(const LaunchInfo& launch);
  void begin_block(uint3 block);

  /// Reports what one thread did, once per kind, site and subject; later calls only count.
  /// `describe()` returns the text; it is called for the first occurrence.
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
  /// Removes the finding of this kind, site and subject.
  void remove(Finding::Kind kind, const Site* site, const void* subject);
  bool has(Finding::Kind kind) const;

  /// Returns the findings with their counts. Called at the end of the launch.
  std::vector<Finding> take();

 private:
  struct Entry {
    Finding finding;
    const void* subject = nullptr;
    Text text;                   // `first` is empty where the finding's own text is complete
    std::uint32_t thread = 0;    // linear index of the first one
    std::size_t threads = 1;     // how many did it
    std::size_t last_block = 0;  // of the last thread that was counted
    std::uint32_t last_thread = 0;
  };

  Entry* find(Finding::Kind kind, const Site* site, const void* subject);
  void append(Finding::Kind kind, const Site* site, const void* subject, const ThreadInfo& thread,
              Text text);
  void count(Entry& entry, const ThreadInfo& thread) const;

  std::string kernel_;
  uint3 block_{};
  std::size_t blocks_ = 0;  // begun so far
  std::vector<Entry> entries_;
};

}  // namespace td::simt
