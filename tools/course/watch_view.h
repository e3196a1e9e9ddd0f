// What the screen of `./course watch` shows, as rows of text: the page of the current exercise and
// the list of all. Used by watch_screen.cpp; tests check it without a terminal. Invariant: a page
// has at most the rows and columns that it was given.
#pragma once

#include <string>
#include <vector>

#include "course.h"
#include "judge.h"
#include "progress.h"
#include "screen.h"

namespace course {

/// The space that is available for a page.
struct Space {
  int rows = 24;
  int columns = 80;
  bool utf8 = true;
};

/// The page of one exercise.
struct ExercisePage {
  const Exercise* exercise = nullptr;
  std::string state;  ///< "pass", "checking ... 3 s"
  Style state_style = Style::plain;
  std::string text;          ///< Hints and the checker's output; lines of any length.
  bool old = false;          ///< The text is from the previous check.
  std::size_t scrolled = 0;  ///< Rows of the text above the first one shown.
  std::string note;          ///< The last action's message, or a question.
};

/// The style of the word for a result.
Style style_of(Result result);

/// Rows of a page, and how far it scrolls.
struct Page {
  std::vector<Row> rows;
  std::size_t visible = 0;  ///< Rows of the text that it shows.
  std::size_t last = 0;     ///< The largest `scrolled` that shows something new.
};

Page exercise_page(const Course& course, const Progress& progress, const ExercisePage& what,
                   const Space& space);

/// The list of all exercises. @param chosen the index of the chosen one in Course::select("").
std::vector<Row> list_page(const Course& course, const Progress& progress, const Exercise& current,
                           std::size_t chosen, const Space& space);

/// The page that explains the keys.
std::vector<Row> keys_page(const Space& space);

/// Moves `place` between 0 and `last` when the key is one that scrolls. @param page the rows that
/// are visible at a time. @return whether it was such a key.
bool scroll(int key, std::size_t& place, std::size_t last, std::size_t page);

}  // namespace course
