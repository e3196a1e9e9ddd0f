// Runs `cmake --build` and picks out of its output what a learner needs: the first errors.
#include "builder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>
#include <thread>

#include "build_lock.h"
#include "process.h"

namespace course {
namespace {

constexpr int kLinesShown = 24;

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// A build's progress, from Ninja's lines "[12/345] Building ...".
class BuildProgress {
 public:
  /// "building [12/345], about 3 min left"; empty for other lines.
  std::string operator()(const std::string& line) const {
    int done = 0, all = 0;
    if (std::sscanf(line.c_str(), "[%d/%d]", &done, &all) != 2) return "";
    const int minutes = static_cast<int>(seconds_left(done, all) / 60 + 0.5);
    return "building [" + std::to_string(done) + "/" + std::to_string(all) + "]" +
           (minutes > 0 ? ", about " + std::to_string(minutes) + " min left" : "");
  }

 private:
  /// A step takes 1.5 seconds of one core on average, which counts as if twenty steps had taken it
  /// (as in tools/shell/build.sh).
  double seconds_left(int done, int all) const {
    const double usual = 1.5 / std::max(1u, std::thread::hardware_concurrency());
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - start_;
    return (all - done) * (so_far.count() + 20 * usual) / (done + 20);
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Shows the progress: one moving line on a terminal, occasional lines elsewhere.
class ProgressLine {
 public:
  void operator()(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    const bool terminal = isatty(STDERR_FILENO) == 1;
    // A check of one exercise ends before the first line is due, so it prints none.
    if (now - last_ < std::chrono::seconds(terminal ? 1 : 15)) return;
    last_ = now;
    std::cerr << (terminal ? "\r" : "") << text << (terminal ? "\033[K" : "\n") << std::flush;
    shown_ = terminal;
  }
  ~ProgressLine() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool shown_ = false;
};

/// From the first error on: the compiler's text without the build's own lines.
std::string first_errors(const std::string& output, const fs::path& root) {
  std::istringstream in(output);
  std::string line, shown;
  int lines = 0;
  bool found = false;
  while (std::getline(in, line) && lines < kLinesShown) {
    found = found || contains(line, "error:") || contains(line, "fatal error") ||
            contains(line, "undefined symbol") || contains(line, "undefined reference");
    if (!found || contains(line, "ninja: ") || contains(line, "FAILED: ") ||
        contains(line, "In file included from") || (!line.empty() && line[0] == '['))
      continue;
    const std::string prefix = root.string() + "/";
    for (auto at = line.find(prefix); at != std::string::npos; at = line.find(prefix))
      line.erase(at, prefix.size());
    shown += line + "\n";
    ++lines;
  }
  // No line looked like an error, so the whole output is shown.
  return shown.empty() ? output : shown;
}

bool is_later(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/// The learner's files as libraries. One that does not compile is left out: the program then uses
/// the course's own, with a message.
void build_mine(const Course& course, const Chapter& chapter) {
  for (const auto& e : chapter.exercises) {
    std::error_code ignored;
    const bool there = fs::exists(course.stub(e));
    announce_older_file(course, e);
    if (there && build(course, {mine_target(e)}).empty()) continue;
    fs::remove(course.variant("mine") / e.library(), ignored);
    std::cerr << (there ? e.id() + " does not compile (./course check " + e.id() + " shows why)"
                        : course.shown(course.stub(e)) + " is missing (./course reset " + e.id() +
                              " brings it back)")
              << "; the course's own is used in its place.\n";
  }
}

/// The name of a program of programs/, which is taken from the words; empty for the chapter's main
/// program. A chapter without programs/ gets all words.
std::string take_name(const Course& course, const Chapter& chapter, bool mine,
                      std::vector<std::string>& words) {
  const auto programs = course.programs(chapter);
  if (programs.empty() || words.empty() || words[0].rfind('-', 0) == 0)
    return mine ? chapter.mine : "";
  const std::string name = words[0];
  if (std::find(programs.begin(), programs.end(), name) == programs.end()) {
    std::string known;
    for (const auto& one : programs) known += (known.empty() ? "" : ", ") + one;
    throw UsageError("Chapter " + std::to_string(chapter.number) + " has no program \"" + name +
                     "\"; besides its main program it has: " + known + ".");
  }
  words.erase(words.begin());
  return name;
}

}  // namespace

std::string mine_target(const Exercise& e) {
  return "mine_ch" + e.id().substr(0, 2) + "_" + e.name;
}

std::string proof_target(const Exercise& e) { return "exercise_" + mine_target(e).substr(5); }

std::string debug_target(const Exercise& e) { return "debug_" + mine_target(e).substr(5); }

std::string nvcc_target(const Exercise& e) { return "nvcc_" + mine_target(e); }

void announce_older_file(const Course& course, const Exercise& e) {
  struct stat file {
  }, library{};
  const fs::path stub = course.stub(e);
  const fs::path built = course.variant("mine") / e.library();
  if (stat(stub.c_str(), &file) != 0) return;
  // Without a library (builder.cpp removes it) it is unknown from what the object file was made.
  if (stat(built.c_str(), &library) == 0 &&
      (is_later(file.st_mtim, library.st_mtim) || !is_later(file.st_ctim, library.st_mtim)))
    return;
  const fs::path includes_it = course.build / "mine" / e.folder / stub.filename();
  std::error_code ignored;  // the build reports an exercise that it does not know
  fs::last_write_time(includes_it, fs::file_time_type::clock::now(), ignored);
}

std::string build(const Course& course, const std::vector<std::string>& targets,
                  const Supervision& supervision) {
  Program cmake;
  cmake.words = {COURSE_CMAKE, "--build", course.build.string(), "--target"};
  cmake.words.insert(cmake.words.end(), targets.begin(), targets.end());
  cmake.environment = {{"CLICOLOR_FORCE", "0"}, {"GCC_COLORS", ""}};
  cmake.stop = supervision.stop;
  const BuildLock lock(course.build, supervision.stop, [&] {
    if (supervision.on_progress)
      supervision.on_progress(kWaitingForBuild);
    else
      std::cerr << kWaitingForBuild << std::endl;
  });
  if (lock.stopped()) return kWaitingForBuild;
  Outcome outcome;
  {
    const BuildProgress progress;
    ProgressLine line_of_its_own;
    cmake.on_line = [&](const std::string& line) {
      const std::string text = progress(line);
      if (text.empty()) return;
      if (supervision.on_progress)
        supervision.on_progress(text);
      else
        line_of_its_own(text);
    };
    outcome = run(cmake);
  }
  write_file(course.build / "course.log", outcome.output);
  return outcome.exit_code == 0 ? "" : first_errors(outcome.output, course.root);
}

fs::path build_program(const Course& course, const Chapter& chapter, bool mine,
                       std::vector<std::string>& words) {
  const std::string program = chapter.program(take_name(course, chapter, mine, words));
  const std::string errors = build(course, {program});
  if (!errors.empty()) {
    std::cerr << errors << program << " could not be built; the whole output is in "
              << (course.build / "course.log").string() << '\n';
    return {};
  }
  if (mine) build_mine(course, chapter);
  return course.binary(program);
}

int become_built(const Course& course, const std::string& target, const std::string& program,
                 std::vector<std::string> words) {
  const std::string errors = build(course, {target});
  if (!errors.empty()) {
    std::cerr << errors << target << " could not be built; the whole output is in "
              << (course.build / "course.log").string() << '\n';
    return 1;
  }
  words.insert(words.begin(), (course.build / program).string());
  become(words);
}

}  // namespace course
