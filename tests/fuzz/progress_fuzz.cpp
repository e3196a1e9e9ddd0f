// The learner's progress file: whatever is in it is read, and what was understood survives a save.
#include "fuzz.h"
#include "progress.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  std::filesystem::create_directories(folder / ".course");
  const std::string file = folder.put(".course/progress.txt", fuzz::Input(data, size).rest());
  course::Progress(folder.path()).save();
  const std::string once = course::read_file(file);
  course::Progress(folder.path()).save();
  fuzz::expect(course::read_file(file) == once, "what was understood survives a save");
  return 0;
}
