// `./course data`: draws the training images, with a program that links the core.
#include <cstdlib>

#include "builder.h"
#include "command.h"

namespace course {
namespace {

class Data : public Command {
 public:
  const char* name() const override { return "data"; }
  const char* help() const override {
    return "draw the training images, which programs draw by themselves when they need them";
  }
  const char* example() const override { return "./course data --seed 3"; }
  void syntax(Syntax& syntax) override {
    syntax.option("--data", folder_, "where to; default: data/", "FOLDER");
    syntax.option("--seed", seed_, "of all random numbers", "N");
  }
  int work(const Session& session) override {
    std::vector<std::string> words;
    if (!folder_.empty()) words.insert(words.end(), {"--data", folder_});
    if (!seed_.empty()) words.insert(words.end(), {"--seed", seed_});
    setenv("COURSE_TYPED", "./course data", 1);
    return become_built(session.course(), "course-data", "tools/course/course-data", words);
  }

 private:
  std::string folder_, seed_;
};

}  // namespace

std::unique_ptr<Command> make_data() { return std::make_unique<Data>(); }

}  // namespace course
