// `./course time`: times the cpu, one device and several devices, with a program that links the
// core and reads its own options.
#include <algorithm>

#include "../time/report/options.h"
#include "app/option_parser.h"
#include "builder.h"
#include "command.h"

namespace course {
namespace {

class Time : public Command {
 public:
  const char* name() const override { return "time"; }
  const char* help() const override {
    return "time the cpu, one device and several, and why they are not faster";
  }
  const char* example() const override { return "./course time one-against-several lenet"; }
  void syntax(Syntax& syntax) override { syntax.rest(rest_); }
  int work(const Session& session) override {
    const auto asks = [](const std::string& word) { return word == "-h" || word == "--help"; };
    if (std::any_of(rest_.begin(), rest_.end(), asks)) return print_help();
    return become_built(session.course(), "course-time", "tools/time/course-time", rest_);
  }

 private:
  /// The program's own help, without building the program.
  static int print_help() {
    char name[] = "course-time", help[] = "--help";
    char* words[] = {name, help, nullptr};
    report::Settings unused;
    report::read_options(2, words, unused);
    return 0;
  }

  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> make_time() { return std::make_unique<Time>(); }

}  // namespace course
