// Functions for the tests of exercises: Catch2 plus messages that help a learner. Included
// by every tests/chapters/*/*_test.cpp. Each test case carries its exercise's name as a tag:
// [scatter]. Use these from the main thread only: Catch2 2 counts assertions without a lock.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <typeinfo>
#include <vector>

#include "catch.h"
#include "compare.h"
#include "td/exercise.h"
#include "verdict.h"

namespace check {

/// Thrown by skip(); ends the test case.
struct Skip {
  std::string why;
};

/// Ends the test case as skipped: this machine cannot check it. Never counts as a pass.
[[noreturn]] inline void skip(const std::string& why) {
  verdict().skips.push_back(why);
  verdict().skipping = true;
  throw Skip{why};
}

/// Fails with `message` unless `good`. The message says the expected and the actual value.
inline void expect(bool good, const std::string& message) {
  if (good)
    SUCCEED();
  else
    FAIL(message);
}

/// Fails unless all elements agree within `tolerance`; NaN never agrees.
/// @param what names the value in the message: "row 3 of the second chunk".
template <class Actual, class Expected>
void expect_close(const std::vector<Actual>& actual, const std::vector<Expected>& expected,
                  double tolerance, const std::string& what) {
  const std::string problem =
      difference(std::vector<double>(actual.begin(), actual.end()),
                 std::vector<double>(expected.begin(), expected.end()), tolerance);
  expect(problem.empty(), what + ": " + problem);
}

/// The same for one number.
inline void expect_close(double actual, double expected, double tolerance,
                         const std::string& what) {
  expect_close(std::vector<double>{actual}, std::vector<double>{expected}, tolerance, what);
}

/// The name of a type as source code has it: "std::invalid_argument".
inline std::string type_name(const std::type_info& type) {
  char* text = abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr);
  const std::string name = text ? text : type.name();
  std::free(text);
  return name;
}

/// Fails unless `work` throws an `Error` whose text holds every one of `parts`.
/// A stub's NotDoneYet passes through.
template <class Error, class Work>
void expect_throws(Work&& work, const std::vector<std::string>& parts, const std::string& what) {
  std::string text;
  try {
    work();
    FAIL(what << ": an error was expected, none was thrown");
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const Error& error) {
    text = error.what();
  } catch (const std::exception& error) {
    FAIL(what << ": an error of another type was thrown: expected " << type_name(typeid(Error))
              << ", got " << type_name(typeid(error)) << ": " << error.what());
  }
  for (const auto& part : parts)
    expect(text.find(part) != std::string::npos,
           what + ": the error should say \"" + part + "\"; it says: " + text);
}

}  // namespace check
