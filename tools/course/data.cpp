// `./course data`: draws the training pictures, by way of a program that links the core.
#include <iostream>

#include "builder.h"
#include "command.h"
#include "process.h"

namespace course {
namespace {

class Data : public Command {
 public:
  const char* name() const override { return "data"; }
  const char* help() const override {
    return "draw the training pictures into data/ (--data DIR, --seed N)";
  }
  const char* example() const override { return "./course data --seed 3"; }
  void syntax(Syntax& syntax) override { syntax.rest(rest_); }
  int work(const Session& session) override {
    const Course course = session.course();
    const std::string errors = build(course, {"course-data"});
    if (!errors.empty()) {
      std::cerr << errors << "course-data could not be built; the whole output is in "
                << (course.build / "course.log").string() << '\n';
      return 1;
    }
    rest_.insert(rest_.begin(), (course.build / "tools" / "course" / "course-data").string());
    become(rest_);
  }

 private:
  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> make_data() { return std::make_unique<Data>(); }

}  // namespace course
