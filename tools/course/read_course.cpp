// Reads chapters/course.toml. The only file that knows toml++, which is slow to compile.
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "course.h"

namespace course {
namespace {

/// `table[key]`, or an error that names file, line and key.
template <class T>
T need(const toml::table& table, const char* key, const fs::path& file) {
  if (const auto value = table[key].value<T>()) return *value;
  throw std::runtime_error(file.string() + ", line " + std::to_string(table.source().begin.line) +
                           ": \"" + key + "\" is missing or of the wrong type");
}

Exercise read_exercise(const toml::table& table, const Chapter& chapter, const fs::path& file) {
  Exercise e;
  e.chapter = chapter.number;
  e.folder = chapter.folder;
  e.name = need<std::string>(table, "name", file);
  e.title = need<std::string>(table, "title", file);
  e.minutes = need<int>(table, "minutes", file);
  if (const auto* hints = table["hints"].as_array())
    for (const auto& hint : *hints) e.hints.push_back(hint.value_or(std::string()));
  return e;
}

Chapter read_chapter(const toml::table& table, const fs::path& file) {
  Chapter c;
  c.number = need<int>(table, "number", file);
  c.folder = need<std::string>(table, "folder", file);
  c.title = need<std::string>(table, "title", file);
  c.minutes = need<int>(table, "minutes", file);
  c.needs = table["needs"].value_or(std::string());
  if (const auto* exercises = table["exercise"].as_array())
    for (const auto& node : *exercises)
      if (const auto* entry = node.as_table())
        c.exercises.push_back(read_exercise(*entry, c, file));
  return c;
}

}  // namespace

Course load_course(const fs::path& root, const fs::path& build) {
  Course course;
  course.root = root;
  course.build = build;
  const fs::path file = root / "chapters" / "course.toml";
  try {
    const toml::table table = toml::parse(read_file(file), file.string());
    if (const auto* chapters = table["chapter"].as_array())
      for (const auto& node : *chapters)
        if (const auto* entry = node.as_table())
          course.chapters.push_back(read_chapter(*entry, file));
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(file.string() + ", line " + std::to_string(error.source().begin.line) +
                             ": " + std::string(error.description()));
  }
  if (course.chapters.empty()) throw std::runtime_error(file.string() + ": no [[chapter]] in it");
  return course;
}

}  // namespace course
