// The course as chapters/course.toml describes it, and where its files are. Every command starts
// here. Invariant: an exercise's folder and name determine its solution, tests and library.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace course {

namespace fs = std::filesystem;

/// One exercise: a file of a chapter that the learner completes.
struct Exercise {
  int chapter = 0;
  std::string folder;  ///< "05_data_parallel"
  std::string name;    ///< "scatter"
  std::string title;
  int minutes = 0;
  std::vector<std::string> hints;  ///< From a nudge to nearly the answer.
  bool optional = false;           ///< The chapter is complete, and its minutes are, without it.

  std::string id() const;       ///< "05.scatter", as progress and messages write it.
  std::string library() const;  ///< "libch05_scatter.so"
};

/// One chapter with its exercises in reading order.
struct Chapter {
  int number = 0;
  std::string folder;
  std::string title;
  int minutes = 0;
  std::string needs;  ///< What a machine needs, in words; empty if any machine works.
  std::vector<Exercise> exercises;
  std::string mine{};  ///< The program that --mine runs; empty: its main program.
  bool ranks = false;  ///< Its program divides the work among the ranks of `./course launch`.

  std::string number_text() const;  ///< "05"
  std::string page() const;         ///< "chapters/05_data_parallel/README.md"
  /// "ch05_data_parallel", and "ch05-timeline" for a program of programs/.
  std::string program(const std::string& name = "") const;
  std::string checker() const;  ///< "check_ch05"
};

/// The whole course.
struct Course {
  fs::path root;   ///< Where chapters/, solutions/ and tests/ are.
  fs::path build;  ///< The CMake build folder.
  std::vector<Chapter> chapters;

  /// The folder of a chapter that has its exercises and their header.
  fs::path exercises(const std::string& folder) const;
  fs::path stub(const Exercise& e) const;  ///< The learner's file.
  fs::path solution(const Exercise& e) const;
  /// The file with the answers of a kind, "wrong" or "right".
  fs::path answers(const std::string& kind, const Exercise& e) const;
  /// A path as messages write it: "chapters/05_data_parallel/exercises/scatter.cpp".
  std::string shown(const fs::path& path) const { return fs::relative(path, root).string(); }
  fs::path binary(const std::string& name) const { return build / "chapters" / name; }
  fs::path variant(const std::string& name) const { return build / "exercises" / name; }

  /// What programs/ of the chapter holds, in alphabetical order: "timeline".
  std::vector<std::string> programs(const Chapter& chapter) const;

  /// The chapter with this number. @throws UsageError listing the existing ones.
  const Chapter& chapter(int number) const;
  /// The chapter that `5`, `05` or the path of its folder names. @throws UsageError with `example`,
  /// which is how to type it.
  const Chapter& chapter(const std::string& typed, const char* example) const;
  /// Finds `5.scatter`, `05.scatter`, `5.1`, the path of its file or, if unique, `scatter`.
  /// @throws UsageError naming the nearest one, or those of the chapter.
  const Exercise& exercise(const std::string& typed) const;
  /// All exercises of `5`, or the one that `5.scatter` names; all exercises for an empty text.
  std::vector<const Exercise*> select(const std::string& text) const;

 private:
  /// The exercise's file in a folder of the course: a kernel (.cu) if its solution is one.
  fs::path file(const fs::path& folder, const Exercise& e) const;
};

/// Whether a file holds code of an exercise, by its suffix: .cpp, or .cu for a kernel.
bool is_source(const fs::path& path);

/// Something was requested that does not exist; the message names what to type. Exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads `root`/chapters/course.toml.
/// @throws std::runtime_error naming the file, the line and what was expected.
Course load_course(const fs::path& root, const fs::path& build);

/// The text of a file. @throws std::runtime_error naming it.
std::string read_file(const fs::path& path);
/// Writes a temporary file and renames it, so that a full disk leaves the old file unchanged.
/// @throws std::runtime_error naming the file and the cause.
void write_file(const fs::path& path, const std::string& text);

}  // namespace course
