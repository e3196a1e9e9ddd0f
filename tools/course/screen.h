// The whole terminal: draws rows of styled text and reads keys. Only screen.cpp includes ncurses.
// Used by watch_screen.cpp. Invariant: between leave() and come_back(), and after the end of the
// object, the terminal is as it was before.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace course {

/// The kind of a piece of text; the screen decides how it looks.
enum class Style { plain, strong, dim, pass, fail, unfinished, key, chosen };

/// Text in one style, without line breaks.
struct Piece {
  std::string text;
  Style style = Style::plain;
};

/// One row of the screen, from its left edge.
using Row = std::vector<Piece>;

/// What Screen::key() returns besides the characters of the keyboard.
enum Key : int {
  kNoKey = -1,
  kUp = 0x110000,  // after the last character of Unicode
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kOtherKey,
};
constexpr int kEnter = '\n';
constexpr int kEscape = 27;

/// The terminal of this process. One object at a time.
class Screen {
 public:
  /// Takes control of the terminal. Null if that is not possible: standard input or output is not a
  /// terminal, or TERM names one that cannot move its cursor.
  static std::unique_ptr<Screen> open();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  int rows() const;
  int columns() const;
  /// Whether it shows characters beyond ASCII.
  bool utf8() const { return utf8_; }
  /// Shows the rows, the first one at the top. Text that does not fit is cut off.
  void draw(const std::vector<Row>& rows);
  /// The next key that was pressed; kNoKey when there is none. Never waits.
  int key();
  /// Adopts the present size of the window.
  void resize();
  /// Draws every character again at the next draw(), whatever another program has written there.
  void forget();
  /// Releases the terminal until come_back().
  void leave();
  void come_back();

 private:
  Screen() = default;
  bool utf8_ = false;
  bool color_ = false;
};

}  // namespace course
