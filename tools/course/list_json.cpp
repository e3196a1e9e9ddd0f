// Writes the list as JSON. By hand, because a JSON library would double the tool's compile time.
#include "list_json.h"

#include <cstdio>
#include <sstream>

namespace course {
namespace {

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
    if (c == '"' || c == '\\')
      json += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      json += escaped;
    else
      json += c;
  }
  return json + "\"";
}

const char* truth(bool value) { return value ? "true" : "false"; }

std::string of_exercise(const Course& course, const Exercise& e, const Progress& progress) {
  std::ostringstream json;
  const fs::path file = course.stub(e);
  json << "{\"id\": " << quoted(e.id()) << ", \"name\": " << quoted(e.name)
       << ", \"title\": " << quoted(e.title) << ", \"minutes\": " << e.minutes
       << ", \"optional\": " << truth(e.optional) << ", \"file\": " << quoted(course.shown(file))
       << ", \"passed\": " << truth(progress.passed(e))
       << ", \"skipped\": " << truth(progress.skipped(e))
       << ", \"missing\": " << truth(!fs::exists(file)) << ", \"hints\": " << e.hints.size()
       << ", \"hints_seen\": " << progress.hints_seen(e) << "}";
  return json.str();
}

std::string of_chapter(const Course& course, const Chapter& chapter, const Progress& progress) {
  std::ostringstream json;
  json << "    {\"number\": " << chapter.number << ", \"folder\": " << quoted(chapter.folder)
       << ", \"title\": " << quoted(chapter.title) << ", \"minutes\": " << chapter.minutes
       << ", \"needs\": " << quoted(chapter.needs) << ",\n     \"exercises\": [";
  for (std::size_t i = 0; i < chapter.exercises.size(); ++i)
    json << (i ? ",\n       " : "\n       ") << of_exercise(course, chapter.exercises[i], progress);
  json << "]}";
  return json.str();
}

}  // namespace

std::string list_as_json(const Course& course, const std::vector<const Chapter*>& chapters,
                         const Progress& progress) {
  std::size_t passed = 0, all = 0;
  std::string list;
  for (const auto* chapter : chapters) {
    for (const auto& e : chapter->exercises) passed += progress.passed(e) ? 1 : 0;
    all += chapter->exercises.size();
    list += (list.empty() ? "\n" : ",\n") + of_chapter(course, *chapter, progress);
  }
  const auto* next = next_exercise(course, progress);
  return "{\"passed\": " + std::to_string(passed) + ", \"exercises\": " + std::to_string(all) +
         ", \"next\": " + (next ? quoted(next->id()) : "null") + ",\n  \"chapters\": [" + list +
         "]}\n";
}

}  // namespace course
