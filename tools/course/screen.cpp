// The screen with ncurses, with wide characters if the locale has them.
#include "screen.h"

// Otherwise erase and move would be macros and unusable as names.
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>

#include "terminal.h"

namespace course {
namespace {

enum Color : short { kGreen = 1, kRed, kYellow, kCyan };

/// Starts ncurses. False unless TERM names a terminal that can move its cursor.
bool start_ncurses() {
  SCREEN* terminal = newterm(nullptr, stdout, stdin);
  if (terminal == nullptr) return false;
  const char* move_cursor = tigetstr("cup");
  if (move_cursor != nullptr && move_cursor != reinterpret_cast<char*>(-1)) return true;
  endwin();
  delscreen(terminal);
  return false;
}

/// ncurses reads the encoding from the locale. Many containers name a locale that they do not have.
bool use_utf8(bool wanted) {
  if (wanted && std::setlocale(LC_CTYPE, "") != nullptr && MB_CUR_MAX > 1) return true;
  return wanted && std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;
}

attr_t attributes(Style style, bool color) {
  const auto in = [&](Color pair) {
    return color ? static_cast<attr_t>(COLOR_PAIR(pair)) : A_NORMAL;
  };
  switch (style) {
    case Style::plain:
      return A_NORMAL;
    case Style::strong:
      return A_BOLD;
    case Style::dim:
      return A_DIM;
    case Style::pass:
      return A_BOLD | in(kGreen);
    case Style::fail:
      return A_BOLD | in(kRed);
    case Style::unfinished:
      return A_BOLD | in(kYellow);
    case Style::key:
      return A_BOLD | in(kCyan);
    case Style::chosen:
      return A_REVERSE;
  }
  return A_NORMAL;
}

void start_colors() {
  start_color();
  use_default_colors();
  init_pair(kGreen, COLOR_GREEN, -1);
  init_pair(kRed, COLOR_RED, -1);
  init_pair(kYellow, COLOR_YELLOW, -1);
  init_pair(kCyan, COLOR_CYAN, -1);
}

/// Updates the terminal. ncurses ignores SIGTSTP meanwhile and would lose a Ctrl-Z; a blocked one
/// arrives afterwards.
void refresh_screen() {
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  pthread_sigmask(SIG_BLOCK, &stop, &before);
  ::refresh();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int known_key(int code) {
  switch (code) {
    case ERR:
      return kNoKey;
    case KEY_UP:
      return kUp;
    case KEY_DOWN:
      return kDown;
    case KEY_PPAGE:
      return kPageUp;
    case KEY_NPAGE:
      return kPageDown;
    case KEY_HOME:
      return kHome;
    case KEY_END:
      return kEnd;
    case KEY_ENTER:
    case '\r':
      return kEnter;
    default:
      return code < KEY_MIN ? code : kOtherKey;
  }
}

}  // namespace

std::unique_ptr<Screen> Screen::open() {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) return nullptr;
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const bool utf8 = use_utf8(terminal.utf8);
  if (!start_ncurses()) return nullptr;
  std::unique_ptr<Screen> screen(new Screen);
  screen->utf8_ = utf8;
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);  // milliseconds: a person who presses Esc does not wait for a second
  curs_set(0);
  screen->color_ = terminal.color && has_colors();
  if (screen->color_) start_colors();
  screen->resize();  // ncurses uses the variables LINES and COLUMNS
  return screen;
}

Screen::~Screen() { leave(); }

int Screen::rows() const { return getmaxy(stdscr); }
int Screen::columns() const { return getmaxx(stdscr); }

void Screen::draw(const std::vector<Row>& all) {
  ::erase();
  const int shown = std::min(static_cast<int>(all.size()), rows());
  for (int y = 0; y < shown; ++y) {
    ::move(y, 0);
    for (const auto& piece : all[static_cast<std::size_t>(y)]) {
      // A piece that reached the right edge has moved the cursor to the next row.
      if (getcury(stdscr) != y) break;
      attrset(attributes(piece.style, color_));
      addstr(piece.text.c_str());
    }
  }
  attrset(A_NORMAL);
  refresh_screen();
}

int Screen::key() {
  int code = getch();
  while (code == KEY_RESIZE) code = getch();  // from resizeterm(), not from the keyboard
  return known_key(code);
}

void Screen::resize() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
    resizeterm(size.ws_row, size.ws_col);
}

void Screen::forget() { clearok(stdscr, TRUE); }

void Screen::leave() {
  if (isendwin()) return;
  // A terminal without a second screen would keep these rows among the next program's output.
  ::erase();
  ::refresh();
  endwin();
}

void Screen::come_back() {
  resize();
  forget();
  refresh_screen();
}

}  // namespace course
