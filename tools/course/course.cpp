// Finds things in the course. Messages with "there is no" also list what there is.
#include "course.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

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

}  // namespace

std::string Exercise::id() const { return two_digits(chapter) + "." + name; }
std::string Exercise::library() const { return "libch" + two_digits(chapter) + "_" + name + ".so"; }
std::string Chapter::number_text() const { return two_digits(number); }
std::string Chapter::page() const { return "chapters/" + folder + "/README.md"; }
std::string Chapter::program() const { return "ch" + folder; }
std::string Chapter::checker() const { return "check_ch" + two_digits(number); }

fs::path Course::file(const char* tree, const Exercise& e) const {
  const bool kernel = fs::exists(root / "solutions" / e.folder / (e.name + ".cu"));
  return root / tree / e.folder / (e.name + (kernel ? ".cu" : ".cpp"));
}

fs::path Course::answers(const std::string& kind, const Exercise& e) const {
  return root / "tests" / "chapters" / e.folder / kind / e.name;
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

const Exercise& Course::exercise(const std::string& text) const {
  const auto dot = text.find('.');
  const std::string before = text.substr(0, dot);
  std::string name = dot == std::string::npos ? text : text.substr(dot + 1);
  const bool numbered = dot != std::string::npos && is_number(before);
  const Exercise* found = nullptr;
  // The search continues after a hit, because the learner must choose if two chapters have the
  // name.
  std::string known;
  for (const auto& c : chapters) {
    if (numbered && c.number != std::stoi(before)) continue;
    for (std::size_t i = 0; i < c.exercises.size(); ++i) {
      const auto& e = c.exercises[i];
      known += (known.empty() ? "" : ", ") + e.id();
      const bool by_place = numbered && is_number(name) && std::stoul(name) == i + 1;
      if (e.name != name && !by_place) continue;
      if (found)
        throw UsageError("\"" + text + "\" may mean " + found->id() + " or " + e.id() +
                         "; write one of them.");
      found = &e;
    }
  }
  if (numbered) chapter(std::stoi(before));
  if (found) return *found;
  throw UsageError("There is no exercise \"" + text + "\"; there are: " + known +
                   ". ./course list shows them.");
}

std::vector<const Exercise*> Course::select(const std::string& text) const {
  std::vector<const Exercise*> chosen;
  if (!text.empty() && !is_number(text)) return {&exercise(text)};
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
