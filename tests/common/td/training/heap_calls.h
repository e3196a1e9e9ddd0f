// Counts calls of malloc and its relatives, by their callers. heap_test.cpp uses it. The program
// that links heap_calls.cpp has its malloc replaced, which the sanitizers do themselves: under them
// there is no counting. Invariant: a call belongs to the innermost object that is not the
// language's own library, so `new` in the core counts for the core, and what oneDNN allocates
// counts for oneDNN.
#pragma once

#include <map>
#include <string>

#if !defined(TD_ADDRESS_SANITIZER) && !defined(TD_THREAD_SANITIZER)
#define TD_COUNTS_HEAP_CALLS 1
#endif

/// Counts the calls of all threads from here to stop().
class HeapCalls {
 public:
  HeapCalls();
  ~HeapCalls() { stop(); }
  void stop();
  /// Calls made by the core or by the test program.
  int ours() const;
  /// Where they came from, innermost function first: one line per call, for addr2line.
  std::string sites() const;
  /// Calls by the name of the object that made them.
  std::map<std::string, int> by_object() const;
};
