// Notices that a learner saved an exercise. Used by watch_session.cpp. Invariant: inotify only says
// when to look; what changed is read from the files themselves, so that a save by rename, by
// truncation or over a network all look the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "course.h"
#include "os/file.h"

namespace course {

/// The exercises' files, and their states when they were last checked.
class WatchedFiles {
 public:
  /// @param poll checks the files twice per second, without inotify.
  WatchedFiles(const Course& course, bool poll);
  /// Readable when something happened in a chapter's folder; -1 where there is no inotify.
  int descriptor() const { return inotify_.get(); }
  /// Milliseconds after which to check even without an event: inotify does not report network
  /// directories and directories that were created again.
  int interval() const { return inotify_ ? 2000 : 500; }
  /// Why there is no inotify, and what to do; empty if there is, or if it was not requested.
  const std::string& trouble() const { return trouble_; }
  /// The exercises whose files were saved, deleted or restored since the last call.
  std::vector<const Exercise*> changed();

 private:
  struct State {
    bool exists = false;
    fs::file_time_type saved{};
    std::uintmax_t size = 0;
    bool operator==(const State&) const = default;
  };
  static State look(const fs::path& file);
  void start_inotify(const Course& course);

  struct Watched {
    const Exercise* exercise;
    fs::path file;
    State state;
  };
  std::vector<Watched> files_;
  td::FileDescriptor inotify_;
  std::string trouble_;
};

/// The message when inotify failed with this errno.
std::string inotify_trouble(int error);

}  // namespace course
