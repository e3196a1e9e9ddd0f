// Saves and restores the learner's texts.
#include "backup.h"

#include <algorithm>
#include <ctime>

#include "cutter.h"

namespace course {
namespace {

fs::path folder_of(const Course& course) { return course.root / ".course" / "backup"; }

/// An unused file name, so that two changes within a second keep both texts.
fs::path new_name(const Course& course, const Exercise& e) {
  char stamp[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", std::localtime(&now));
  const std::string suffix = course.stub(e).extension();
  fs::path file = folder_of(course) / (e.id() + "." + stamp + suffix);
  for (int i = 2; fs::exists(file); ++i)
    file = folder_of(course) / (e.id() + "." + stamp + "-" + std::to_string(i) + suffix);
  return file;
}

Replaced replace(const Course& course, const Exercise& e, const std::string& text) {
  const fs::path file = course.stub(e);
  Replaced replaced{false, fs::relative(file, course.root), {}};
  if (fs::exists(file)) {
    const std::string before = read_file(file);
    if (before == text) return replaced;
    const fs::path backup = new_name(course, e);
    write_file(backup, before);
    replaced.backup = fs::relative(backup, course.root);
  }
  write_file(file, text);
  replaced.changed = true;
  return replaced;
}

/// The exercise whose text a file name is about: "05.scatter" of "05.scatter.20261123-221500.cpp".
const Exercise* owner(const Course& course, const fs::path& backup) {
  for (const auto* e : course.select(""))
    if (backup.filename().string().rfind(e->id() + ".", 0) == 0) return e;
  return nullptr;
}

}  // namespace

Replaced reset_to_stub(const Course& course, const Exercise& e) {
  return replace(course, e, cut(read_file(course.solution(e)), e.name));
}

bool is_stub(const Course& course, const Exercise& e) {
  return fs::exists(course.stub(e)) && fs::exists(course.solution(e)) &&
         read_file(course.stub(e)) == cut(read_file(course.solution(e)), e.name);
}

Replaced restore(const Course& course, const fs::path& backup) {
  // People copy the path from a message, which is relative to the course, or complete it in a
  // shell.
  fs::path file = fs::exists(course.root / backup) ? course.root / backup : fs::absolute(backup);
  if (!fs::is_regular_file(file)) file = folder_of(course) / backup.filename();
  const Exercise* e = owner(course, file);
  if (!e || !fs::is_regular_file(file))
    throw UsageError("There is no kept text \"" + backup.string() +
                     "\"; ./course reset --list shows which there are.");
  return replace(course, *e, read_file(file));
}

std::vector<fs::path> backups(const Course& course, const Exercise& e) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_of(course), none))
    if (owner(course, entry.path()) == &e) found.push_back(fs::relative(entry.path(), course.root));
  // "-10" of a second's tenth copy sorts before "-2", so the time of writing decides.
  std::sort(found.begin(), found.end(), [&](const fs::path& a, const fs::path& b) {
    return fs::last_write_time(course.root / a) < fs::last_write_time(course.root / b);
  });
  return found;
}

}  // namespace course
