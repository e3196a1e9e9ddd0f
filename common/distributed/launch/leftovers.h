// Nothing that a launch started outlives it. Every rank carries a mark in its environment, which
// all that it starts inherits; the supervisor ends what still carries it, and where the supervisor
// itself was killed a small guardian does. Invariant: only processes with this launch's own mark
// are ended.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace td::distributed {

/// The name of the variable that holds the mark.
inline constexpr const char* kMarkVariable = "TD_LAUNCHER";

/// A mark that no other launch has, on this host and at any time.
std::string new_mark();

/// The processes of this user that carry the mark and have not ended.
std::vector<pid_t> processes_with(const std::string& mark);

/// Ends with SIGKILL all processes that carry the mark, and what they start meanwhile.
void end_processes_with(const std::string& mark);

/// A process that waits for this one to vanish and then ends what carries the mark and removes the
/// folder. Its destructor sends it home.
class Guardian {
 public:
  /// @throws Error when it cannot be started.
  Guardian(const std::string& mark, const std::string& folder);
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

 private:
  pid_t pid_ = -1;
  int alive_ = -1;  // the system closes it when this process ends, in whatever way
};

}  // namespace td::distributed
