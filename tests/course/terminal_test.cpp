// The terminal: its width, its colors, and lines that fit into it.
#include "terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "catch.h"

namespace {

/// Sets a variable, or unsets it with null, until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    had_ = before != nullptr;
    before_ = had_ ? before : "";
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { had_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  bool had_ = false;
  std::string before_;
};

/// The program's end of a pseudo-terminal of this width.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short width) : outer_(posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(outer_ >= 0);
    REQUIRE(grantpt(outer_) == 0);
    REQUIRE(unlockpt(outer_) == 0);
    inner_ = open(ptsname(outer_), O_RDWR | O_NOCTTY);
    REQUIRE(inner_ >= 0);
    const winsize size{24, width, 0, 0};
    REQUIRE(ioctl(inner_, TIOCSWINSZ, &size) == 0);
  }
  ~PseudoTerminal() {
    close(inner_);
    close(outer_);
  }
  int descriptor() const { return inner_; }

 private:
  int outer_, inner_ = -1;
};

}  // namespace

TEST_CASE("a pipe has the width that COLUMNS asks for, and no colors") {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const auto width = [&](const char* columns) {
    const Variable asked("COLUMNS", columns);
    return course::terminal_of(pipe_ends[1]).width;
  };
  CHECK(width(nullptr) == 80);
  CHECK(width("132") == 132);
  CHECK(width("3") == 20);
  CHECK(width("wide") == 80);
  const course::Terminal terminal = course::terminal_of(pipe_ends[1]);
  CHECK_FALSE(terminal.interactive);
  CHECK_FALSE(terminal.color);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_CASE("a terminal has its own width, and colors unless they are switched off") {
  const Variable columns("COLUMNS", "132"), no_color("NO_COLOR", nullptr), term("TERM", "xterm");
  const PseudoTerminal pseudo(57);
  const course::Terminal terminal = course::terminal_of(pseudo.descriptor());
  CHECK(terminal.interactive);
  CHECK(terminal.width == 57);
  CHECK(terminal.color);
  CHECK(course::colored("pass", course::Color::good, terminal) == "\033[32mpass\033[0m");
  {
    const Variable refused("NO_COLOR", "1");
    const course::Terminal plain = course::terminal_of(pseudo.descriptor());
    CHECK_FALSE(plain.color);
    CHECK(course::colored("pass", course::Color::good, plain) == "pass");
  }
  const Variable dumb("TERM", "dumb");
  CHECK_FALSE(course::terminal_of(pseudo.descriptor()).color);
  CHECK(course::terminal_of(PseudoTerminal(0).descriptor()).width == 132);  // it does not know
}

TEST_CASE("the first of LC_ALL, LC_CTYPE and LANG decides about UTF-8") {
  const auto utf8 = [](const char* all, const char* ctype, const char* lang) {
    const Variable a("LC_ALL", all), b("LC_CTYPE", ctype), c("LANG", lang);
    return course::terminal_of(STDOUT_FILENO).utf8;
  };
  CHECK(utf8(nullptr, nullptr, "en_US.UTF-8"));
  CHECK(utf8("", "C.utf8", "C"));
  CHECK_FALSE(utf8("C", "C.UTF-8", "C.UTF-8"));
  CHECK_FALSE(utf8(nullptr, nullptr, nullptr));
}

TEST_CASE("lines are broken only at spaces") {
  CHECK(course::wrap("one two three", 7) == "one two\nthree");
  CHECK(course::wrap("one two three", 9, 2) == "one two\n  three");
  CHECK(course::wrap("one two", 9, 2, 4) == "one\n  two");  // four columns are taken
  CHECK(course::wrap("chapters/05_data_parallel/exercises/scatter.cpp now", 10) ==
        "chapters/05_data_parallel/exercises/scatter.cpp\nnow");
  CHECK(course::wrap("", 10).empty());
  CHECK(course::wrap("··· ···", 7) == "··· ···");
  CHECK(course::columns("3 · 4") == 5);
  CHECK(course::padded("·", 3) == "·  ");
  CHECK(course::padded("long", 3) == "long");
}
