// Copies what a rank prints to the launcher's own output, a whole line at a time, with the rank's
// number in front. The supervisor owns two a rank. Invariant: lines of two ranks never mix, because
// one thread writes them all.
#pragma once

#include <iosfwd>
#include <string>

namespace td::distributed {

/// One pipe from a rank: the rank writes to writing_end(), read_some() copies what has come.
class LineCopier {
 public:
  /// @param prefix goes in front of each line; may be empty. @throws Error when there is no pipe.
  LineCopier(std::ostream& to, std::string prefix);
  ~LineCopier();
  LineCopier(const LineCopier&) = delete;
  LineCopier& operator=(const LineCopier&) = delete;

  /// The launcher's end of the pipe, and the rank's.
  ///@{
  int reading_end() const { return from_; }
  int writing_end() const { return into_; }
  ///@}
  /// The rank has its own copy of the writing end now.
  void close_writing_end();
  /// Copies lines that are there; false when the last writer is gone. A rank that never stops
  /// printing does not hold it up.
  bool read_some();
  /// Copies what is left, also a last line that has no end. The writers are gone.
  void finish();

 private:
  void write_lines();

  std::ostream& to_;
  std::string prefix_, pending_;
  int from_ = -1, into_ = -1;
};

}  // namespace td::distributed
