// Finds things in the course. Messages with "there is no" also list what there is.
#include "course.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "app/option_parser.h"

namespace course {
namespace {

std::string two_digits(int number) {
  char text[16];
  std::snprintf(text, sizeof text, "%02d", number);
  return text;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 7 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

/// "01.first_device" of "chapters/01_device_check/exercises/first_device.cpp", "first_device" of
/// "first_device.cpp", "01" of "chapters/01_device_check/"; a text that is not a path as it is.
std::string without_path(std::string text) {
  while (!text.empty() && text.back() == '/') text.pop_back();
  const fs::path path(text);
  const auto digits = [](const std::string& name) {
    return name.substr(0, name.find_first_not_of("0123456789"));
  };
  const std::string name = (is_source(path) ? path.stem() : path.filename()).string();
  const std::string chapter = digits(name);
  if (!chapter.empty() && name[chapter.size()] == '_') return chapter;
  if (text.find('/') == std::string::npos && !is_source(path)) return text;
  fs::path folder = path.parent_path();
  if (folder.filename() == "exercises") folder = folder.parent_path();
  const std::string number = digits(folder.filename().string());
  return number.empty() ? name : number + "." + name;
}

std::string names_of(const Chapter& chapter) {
  std::string names;
  for (const auto& e : chapter.exercises) names += (names.empty() ? "" : ", ") + e.id();
  return names;
}

}  // namespace

std::string Exercise::id() const { return two_digits(chapter) + "." + name; }
std::string Exercise::library() const { return "libch" + two_digits(chapter) + "_" + name + ".so"; }
std::string Chapter::number_text() const { return two_digits(number); }
std::string Chapter::page() const { return "chapters/" + folder + "/README.md"; }
std::string Chapter::program(const std::string& name) const {
  return name.empty() ? "ch" + folder : "ch" + number_text() + "-" + name;
}
std::string Chapter::checker() const { return "check_ch" + two_digits(number); }

fs::path Course::file(const fs::path& folder, const Exercise& e) const {
  const bool kernel = fs::exists(root / "solutions" / e.folder / (e.name + ".cu"));
  return root / folder / (e.name + (kernel ? ".cu" : ".cpp"));
}

fs::path Course::exercises(const std::string& folder) const {
  return root / "chapters" / folder / "exercises";
}
fs::path Course::stub(const Exercise& e) const {
  return file(fs::path("chapters") / e.folder / "exercises", e);
}
fs::path Course::solution(const Exercise& e) const {
  return file(fs::path("solutions") / e.folder, e);
}
fs::path Course::answers(const std::string& kind, const Exercise& e) const {
  return file(fs::path("tests/chapters") / e.folder / kind, e);
}

std::vector<std::string> Course::programs(const Chapter& chapter) const {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry :
       fs::directory_iterator(root / "chapters" / chapter.folder / "programs", none))
    if (is_source(entry.path())) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".cu";
}

const Chapter& Course::chapter(int number) const {
  std::string known;
  for (const auto& c : chapters) {
    if (c.number == number) return c;
    known += (known.empty() ? "" : ", ") + std::to_string(c.number);
  }
  throw UsageError("There is no chapter " + std::to_string(number) + "; there are " + known +
                   ". ./course list shows them.");
}

const Chapter& Course::chapter(const std::string& typed, const char* example) const {
  const std::string number = without_path(typed);
  if (!is_number(number))
    throw UsageError("\"" + typed + "\" is not the number of a chapter: " + example);
  return chapter(std::stoi(number));
}

const Exercise& Course::exercise(const std::string& typed) const {
  const std::string text = without_path(typed);
  if (is_number(text))
    throw UsageError(text + " is a chapter; name one of its exercises: " +
                     names_of(chapter(std::stoi(text))) + ".");
  const auto dot = text.find('.');
  const std::string before = text.substr(0, dot);
  const bool numbered = dot != std::string::npos && is_number(before);
  const std::string name = numbered ? text.substr(dot + 1) : text;
  const Chapter* only = numbered ? &chapter(std::stoi(before)) : nullptr;
  const Exercise* found = nullptr;
  std::vector<std::string> ids, names;
  // The search continues after a hit, because the learner must choose if two chapters have the
  // name.
  for (const auto& c : chapters) {
    if (only && only != &c) continue;
    for (std::size_t i = 0; i < c.exercises.size(); ++i) {
      const auto& e = c.exercises[i];
      ids.push_back(e.id());
      names.push_back(e.name);
      const bool by_place = numbered && is_number(name) && std::stoul(name) == i + 1;
      if (e.name != name && !by_place) continue;
      if (found)
        throw UsageError("\"" + text + "\" may mean " + found->id() + " or " + e.id() +
                         "; write one of them.");
      found = &e;
    }
  }
  if (found) return *found;
  const std::string none = "There is no exercise \"" + typed + "\"";
  if (const std::string near = app::nearest(name, names); !near.empty())
    throw UsageError(
        none + "; did you mean " +
        ids[static_cast<std::size_t>(std::find(names.begin(), names.end(), near) - names.begin())] +
        "?");
  if (only) throw UsageError(none + "; there are: " + names_of(*only) + ".");
  throw UsageError(none + ". ./course list --all shows all names.");
}

std::vector<const Exercise*> Course::select(const std::string& typed) const {
  const std::string text = without_path(typed);
  std::vector<const Exercise*> chosen;
  if (!text.empty() && !is_number(text)) return {&exercise(typed)};
  if (!text.empty()) chapter(std::stoi(text));
  for (const auto& c : chapters)
    if (text.empty() || c.number == std::stoi(text))
      for (const auto& e : c.exercises) chosen.push_back(&e);
  return chosen;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string() + ": " + std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const fs::path& path, const std::string& text) {
  // If the directory cannot be created, opening the file fails with a better message.
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  const fs::path neighbour = path.string() + ".new";
  std::ofstream out(neighbour, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    const std::string why = std::strerror(errno);
    fs::remove(neighbour, ignored);
    throw std::runtime_error("cannot write " + path.string() + ": " + why);
  }
  fs::rename(neighbour, path);
}

}  // namespace course
