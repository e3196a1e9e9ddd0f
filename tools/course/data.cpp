// `./course data`: draws the training pictures, by way of a program that links the core.
#include "builder.h"
#include "command.h"

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
    return become_built(session.course(), "course-data", "tools/course/course-data", rest_);
  }

 private:
  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> make_data() { return std::make_unique<Data>(); }

}  // namespace course
