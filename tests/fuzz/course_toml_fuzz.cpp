// chapters/course.toml, and a name by which a learner asks for an exercise: the first part is the
// name.
#include "course.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  std::filesystem::create_directories(folder / "chapters");
  fuzz::Input input(data, size);
  const std::string name = input.part();
  folder.put("chapters/course.toml", input.rest());
  course::Course course;
  const bool parsed = fuzz::parses<std::runtime_error>(
      [&] { course = course::load_course(folder.path(), folder.path()); });
  if (!parsed) return 0;
  fuzz::expect(!course.chapters.empty(), "a course has chapters");
  for (const course::Exercise* exercise : course.select(""))
    // Two exercises with one name are an error with a text.
    fuzz::parses<course::UsageError>([&] {
      fuzz::expect(course.exercise(exercise->id()).name == exercise->name, "an id leads back");
    });
  fuzz::parses<course::UsageError>([&] { course.select(name); });
  return 0;
}
