// The Catch2 reporter "course": prints what a learner needs and none of Catch2's own details.
// Used by checker_main.cpp. It also counts cases for the verdict, because a skip and a stub are no
// failures here and Catch2 2 knows neither.
#include <cstdlib>
#include <sstream>

#include "catch_reporters.h"
#include "check.h"
#include "verdict.h"

namespace check {
namespace {

constexpr int kFailuresShown = 3;

using Kind = Catch::ResultWas::OfType;

/// The text indented by four, line by line.
std::string indented(const std::string& text) {
  std::istringstream in(text);
  std::string line, out;
  while (std::getline(in, line)) out += "    " + line + "\n";
  return out;
}

/// From a path of the build to one that a learner can open from the course's folder.
std::string short_path(const std::string& file) {
  const auto start = file.rfind("tests/chapters/");
  return start == std::string::npos ? file : file.substr(start);
}

std::string describe(const Catch::AssertionStats& stats) {
  const auto& result = stats.assertionResult;
  std::string text;
  for (const auto& message : stats.infoMessages)
    if (message.type == Catch::ResultWas::Info) text += message.message + "\n";
  switch (result.getResultType()) {
    case Kind::ExplicitFailure:
      return text + std::string(result.getMessage());
    case Kind::ThrewException:
      return text + "an error was thrown: " + std::string(result.getMessage());
    case Kind::DidntThrowException:
      return text + "an error was expected, none was thrown: " + result.getExpression();
    default:
      break;
  }
  text += "expected: " + result.getExpression() + "\n";
  if (result.hasExpandedExpression()) text += "found:    " + result.getExpandedExpression();
  return text;
}

}  // namespace

class CourseReporter : public ReporterBase<CourseReporter> {
 public:
  using ReporterBase::ReporterBase;

  static std::string getDescription() { return "what a learner of the course needs"; }

  void examine(const Catch::AssertionStats& stats) override {
    const auto& result = stats.assertionResult;
    if (result.isOk()) return;
    if (result.getResultType() == Kind::ThrewException && is_no_failure(result)) return;
    if (++failures_ <= kFailuresShown) show(stats);
  }

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    ReporterBase::testCaseStarting(info);
    failures_ = 0;
    unfinished_ = false;
    mark(info.name);
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ReporterBase::testCaseEnded(stats);
    if (failures_ > kFailuresShown)
      out() << "    ... and " << failures_ - kFailuresShown << " more of this test\n";
    if (failures_)
      ++verdict().failed_cases;
    else if (!unfinished_)
      ++verdict().passed_cases;
    out() << std::flush;
    if (verdict().stopping && (failures_ || td::detail::stubs_reached > 0)) {
      mark("");
      std::_Exit(failures_ ? kFail : kNotDoneYet);
    }
  }

 private:
  /// A skip and a stub arrive as exceptions; both are remembered elsewhere and are not shown.
  bool is_no_failure(const Catch::AssertionResult& result) {
    const std::string message(result.getMessage());
    const bool stub = message.compare(0, 14, "not done yet: ") == 0;
    if (!stub && !verdict().skipping) return false;
    verdict().skipping = false;
    unfinished_ = true;
    return true;
  }

  /// The test case's line, not the assertion's: that one is mostly in a helper.
  void show(const Catch::AssertionStats& stats) {
    const auto& line = currentTestCaseInfo->lineInfo;
    if (failures_ == 1)
      out() << "  " << currentTestCaseInfo->name << "  (" << short_path(line.file) << ":"
            << line.line << ")\n";
    out() << indented(describe(stats));
  }

  int failures_ = 0;
  bool unfinished_ = false;
};

CATCH_REGISTER_REPORTER("course", CourseReporter)

}  // namespace check
