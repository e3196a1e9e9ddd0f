// `./course new-exercise 5.name`, for authors: writes a small exercise that already builds and
// passes `prove`, and whose files say what to replace. The files come from templates/host and
// templates/kernel. Invariant: everything is checked, and every text made, before the first write.
#include <algorithm>
#include <iostream>

#include "author_text.h"
#include "command.h"
#include "cutter.h"
#include "process.h"

namespace course {
namespace {

constexpr const char* kSample = "./course new-exercise 5.gather_rows";

/// The requested exercise.
struct Wish {
  std::string what, title;
  std::int64_t minutes = 10;
  bool kernel = false;
};

struct Edit {
  fs::path path;
  std::string text;
};

bool is_chapter_number(const std::string& text) {
  return !text.empty() && text.size() < 7 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// "Gather rows" of gather_rows.
std::string title_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

/// The new exercise. @throws UsageError when the name or the chapter is not valid.
Exercise wished(const Course& course, const Wish& wish) {
  const auto dot = wish.what.find('.');
  if (dot == std::string::npos || !is_chapter_number(wish.what.substr(0, dot)))
    throw UsageError("Expected a chapter's number, a dot and a name: " + std::string(kSample));
  const Chapter& chapter = course.chapter(std::stoi(wish.what.substr(0, dot)));
  Exercise e;
  e.chapter = chapter.number;
  e.folder = chapter.folder;
  e.name = wish.what.substr(dot + 1);
  if (const std::string fault = fault_of_name(e.name); !fault.empty())
    throw UsageError(fault + ": " + kSample);
  e.title = wish.title.empty() ? title_of(e.name) : wish.title;
  if (e.title.find_first_of("\"\\\n|") != std::string::npos)
    throw UsageError(
        "A title has no quotes, backslashes, bars or line ends: --title \"Gather rows\"");
  e.minutes = static_cast<int>(wish.minutes);
  return e;
}

/// The header that declares the exercise. @throws UsageError when the chapter has none.
fs::path header_of(const Course& course, const Exercise& e, bool kernel) {
  const fs::path header = course.exercises(e.folder) / (kernel ? "kernels.h" : "exercises.h");
  if (!fs::exists(header))
    throw UsageError("There is no " + course.shown(header) +
                     (kernel ? ", so this chapter has no kernels; leave out --kernel"
                             : "; write it first, as docs/authoring.md tells"));
  return header;
}

/// @throws UsageError when one of the exercise's files already exists.
void check_is_new(const Course& course, const Exercise& e, const std::string& header) {
  const auto& all = course.chapter(e.chapter).exercises;
  bool taken = declares(header, e.name) ||
               std::any_of(all.begin(), all.end(),
                           [&](const Exercise& other) { return other.name == e.name; });
  const fs::path tests = fs::path("tests/chapters") / e.folder;
  for (const fs::path& folder : {course.exercises(e.folder), course.root / "solutions" / e.folder,
                                 course.root / tests / "wrong", course.root / tests / "right"})
    for (const char* suffix : {".cpp", ".cu"})
      taken = taken || fs::exists(folder / (e.name + suffix));
  if (taken)
    throw UsageError("Chapter " + std::to_string(e.chapter) + " has a \"" + e.name +
                     "\" already; choose another name");
}

/// The lines of exercises.h with the declaration at the end, and <vector> if the header lacks what
/// the host template needs.
std::string with_declaration(std::string header, const std::string& declaration, bool kernel) {
  const bool has_vector =
      header.find("<vector>") != std::string::npos || header.find("td/td.h") != std::string::npos;
  static const std::string kOnce = "#pragma once\n";
  if (const auto at = header.find(kOnce); !kernel && !has_vector && at != std::string::npos)
    header.insert(at + kOnce.size(), "\n#include <vector>\n");
  return header + declaration;
}

class Writer {
 public:
  Writer(const Course& course, const Exercise& e, bool kernel)
      : course_(course),
        e_(e),
        templates_(fs::path(COURSE_TEMPLATES) / (kernel ? "kernel" : "host")),
        suffix_(kernel ? ".cu" : ".cpp") {}

  /// All files that are written except the stub, which is cut from the solution.
  std::vector<Edit> edits(const fs::path& header, const std::string& declared) const {
    const fs::path toml = course_.root / "chapters" / "course.toml";
    const fs::path tests = course_.root / "tests" / "chapters" / e_.folder;
    std::vector<Edit> edits = {
        {solution(), text("solution" + suffix_)},
        {header, with_declaration(declared, text("declaration.h"), suffix_ == ".cu")},
        {tests / (e_.name + "_test.cpp"), text("test.cpp")},
        {tests / "right" / (e_.name + suffix_), text("right" + suffix_)},
        {tests / "wrong" / (e_.name + suffix_), text("wrong" + suffix_)},
        {toml, with_entry(read_file(toml), course_.chapter(e_.chapter), text("entry.toml"))}};
    const fs::path readme = course_.root / course_.chapter(e_.chapter).page();
    if (fs::exists(readme))
      if (const std::string page = with_row(read_file(readme), e_); !page.empty())
        edits.push_back({readme, page});
    return edits;
  }

  fs::path solution() const { return course_.root / "solutions" / e_.folder / (e_.name + suffix_); }
  fs::path stub() const { return course_.exercises(e_.folder) / (e_.name + suffix_); }

 private:
  std::string text(const std::string& name) const {
    return filled(read_file(templates_ / name), {{"EXERCISE_NAME", e_.name},
                                                 {"EXERCISE_TITLE", e_.title},
                                                 {"EXERCISE_MINUTES", std::to_string(e_.minutes)},
                                                 {"CHAPTER_NUMBER", std::to_string(e_.chapter)}});
  }

  const Course& course_;
  const Exercise& e_;
  fs::path templates_;
  std::string suffix_;
};

/// A long name moves the line breaks of a template. Without clang-format the author must fix them.
void lay_out(const std::vector<Edit>& edits) {
  std::vector<std::string> words = {"clang-format", "-i"};
  for (const auto& edit : edits)
    if (is_source(edit.path) || edit.path.extension() == ".h") words.push_back(edit.path.string());
  try {
    run({words, {}, {}, {}});
  } catch (const std::runtime_error&) {
  }
}

int write_exercise(const Course& course, const Wish& wish) {
  const Exercise e = wished(course, wish);
  const fs::path header = header_of(course, e, wish.kernel);
  const std::string declared = read_file(header);
  check_is_new(course, e, declared);
  const Writer writer(course, e, wish.kernel);
  auto edits = writer.edits(header, declared);
  for (const auto& edit : edits) write_file(edit.path, edit.text);
  lay_out(edits);
  edits.push_back({writer.stub(), cut(read_file(writer.solution()), e.name)});
  write_file(edits.back().path, edits.back().text);
  for (const auto& edit : edits) std::cout << "wrote " << course.shown(edit.path) << '\n';
  std::cout << "It is a small exercise that works. Prove it as it is:\n  ./course prove " << e.id()
            << "\nThen replace what TODO marks, and ./course cut --write makes the stub again.\n";
  return 0;
}

class NewExercise : public Command {
 public:
  const char* name() const override { return "new-exercise"; }
  const char* help() const override {
    return "for authors: write the files of a new exercise, which is proven as it is";
  }
  const char* example() const override { return kSample; }
  void syntax(Syntax& syntax) override {
    syntax.word("exercise", wish_.what, "its chapter and its name: 5.gather_rows");
    syntax.flag("--kernel", wish_.kernel, "a CUDA kernel (.cu), in a chapter that has kernels.h");
    syntax.option("--title", wish_.title, "in words; default: made from the name", "TITLE");
    syntax.integer("--minutes", wish_.minutes, "how long it takes a learner", 1, 600);
  }
  int work(const Session& session) override {
    if (wish_.what.empty()) throw UsageError("Which exercise? " + std::string(kSample));
    return write_exercise(session.course(), wish_);
  }

 private:
  Wish wish_;
};

}  // namespace

std::unique_ptr<Command> make_new_exercise() { return std::make_unique<NewExercise>(); }

}  // namespace course
