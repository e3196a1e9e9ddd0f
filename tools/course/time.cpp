// `./course time`: times the cpu, one device and several devices, with a program that links the
// core and reads its own options.
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
    if (!reads_options()) return 0;
    return become_built(session.course(), "course-time", "tools/time/course-time", rest_);
  }

 private:
  /// Whether there is something to do: the program's own help and its errors need no build.
  /// @throws UsageError
  bool reads_options() {
    std::string name = "course-time";
    std::vector<char*> words = {name.data()};
    for (auto& word : rest_) words.push_back(word.data());
    report::Settings unused;
    try {
      return report::read_options(static_cast<int>(words.size()), words.data(), unused);
    } catch (const app::OptionError& error) {
      throw UsageError(error.what());
    }
  }

  std::vector<std::string> rest_;
};

}  // namespace

std::unique_ptr<Command> make_time() { return std::make_unique<Time>(); }

}  // namespace course
