// inotify on the chapters' folders rather than on the files: an editor that saves by rename
// replaces the watched file with a new one.
#include "watch_files.h"

#include <sys/inotify.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace course {
namespace {

/// What ends a save. A file that is open for writing is not saved yet.
constexpr std::uint32_t kEvents =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF;

/// Editors save in several steps (backup, write, rename), which take less time than this.
constexpr auto kOneSave = std::chrono::milliseconds(40);

void drain(int descriptor) {
  alignas(inotify_event) char events[4096];
  while (read(descriptor, events, sizeof events) > 0) {
  }
}

}  // namespace

std::string inotify_trouble(int error) {
  std::string advice;
  if (error == ENOSPC)
    advice = " \"sudo sysctl fs.inotify.max_user_watches=524288\" raises the limit.";
  else if (error == EMFILE)
    advice = " \"sudo sysctl fs.inotify.max_user_instances=512\" raises the limit.";
  const std::string reason =
      error == ENOSPC ? "all its watches are in use" : std::string(std::strerror(error));
  return "inotify does not work here (" + reason + "), so the files are looked at twice a second." +
         advice;
}

WatchedFiles::WatchedFiles(const Course& course, bool poll) {
  // First inotify, then the files' states: nothing that is saved in between is lost.
  if (!poll) start_inotify(course);
  for (const auto* e : course.select("")) {
    const fs::path file = course.stub(*e);
    files_.push_back({e, file, look(file)});
  }
}

void WatchedFiles::start_inotify(const Course& course) {
  inotify_ = td::FileDescriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  bool failed = !inotify_;
  for (const auto& chapter : course.chapters) {
    if (failed) break;
    const fs::path folder = course.exercises(chapter.folder);
    // If a directory is missing, the checks at each interval() notice when it exists again.
    failed = inotify_add_watch(inotify_.get(), folder.c_str(), kEvents) < 0 && errno != ENOENT;
  }
  if (!failed) return;
  trouble_ = inotify_trouble(errno);
  inotify_.close();
}

WatchedFiles::State WatchedFiles::look(const fs::path& file) {
  State state;
  std::error_code missing;
  state.saved = fs::last_write_time(file, missing);
  state.exists = !missing;
  if (state.exists) state.size = fs::file_size(file, missing);
  return state.exists ? state : State{};
}

std::vector<const Exercise*> WatchedFiles::changed() {
  if (inotify_) {
    std::this_thread::sleep_for(kOneSave);
    drain(inotify_.get());
  }
  std::vector<const Exercise*> changed;
  for (auto& watched : files_) {
    const State now = look(watched.file);
    if (now == watched.state) continue;
    watched.state = now;
    changed.push_back(watched.exercise);
  }
  return changed;
}

}  // namespace course
