// Keys and pages. Hints, resets and solutions come from the tool's own commands, so that both print
// the same.
#include "watch_screen.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <utility>

#include "backup.h"
#include "foreground.h"
#include "process.h"
#include "watch_session.h"
#include "watch_view.h"

namespace course {
namespace {

std::string seconds_text(const char* format, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, format, seconds);
  return text;
}

class WatchScreen {
 public:
  WatchScreen(const Session& session, const Course& course, const Exercise& first, bool poll,
              std::unique_ptr<Screen> screen)
      : session_(session),
        course_(course),
        screen_(std::move(screen)),
        watch_(course, first, STDIN_FILENO, poll),
        shown_(&first),
        note_(watch_.trouble()),
        keep_note_(!note_.empty()) {}

  int run();

 private:
  enum class Mode { exercise, list, keys, confirm };

  Space space() const { return {screen_->rows(), screen_->columns(), screen_->utf8()}; }
  void draw();
  ExercisePage page_of_exercise() const;
  void show_verdict();
  void on_signal(int signal);
  void on_key(int key);
  void on_command(int key);
  void on_list_key(int key);
  void show_help(std::vector<std::string> command);
  // One for each key:
  void show_hint() { show_help({"hint"}); }
  void show_solution();
  void show_list();
  void show_keys() { mode_ = Mode::keys; }
  void go_to_next();
  void run_program();
  void open_editor();
  void check_again() { watch_.check(); }
  void ask_about_reset();
  void quit() { over_ = true; }
  void confirm_reset(int key);
  std::vector<std::string> command(std::vector<std::string> words) const;
  std::string ask_tool(std::vector<std::string> words);

  const Session& session_;
  const Course& course_;
  std::unique_ptr<Screen> screen_;
  WatchSession watch_;
  const Exercise* shown_;  ///< Whose texts these are:
  std::string help_;       ///< hints or the solution,
  std::string verdict_;    ///< and the checker's output.
  std::string note_;
  bool keep_note_;  ///< The next verdict does not clear it.
  Mode mode_ = Mode::exercise;
  std::size_t scrolled_ = 0, visible_ = 1, last_ = 0, chosen_ = 0;
  bool over_ = false;
  int exit_code_ = 0;
};

int WatchScreen::run() {
  while (!over_) {
    draw();
    switch (watch_.wait()) {
      case WatchEvent::key:
        for (int key = screen_->key(); key != kNoKey && !over_; key = screen_->key()) on_key(key);
        break;
      case WatchEvent::verdict:
        show_verdict();
        break;
      case WatchEvent::signal:
        on_signal(watch_.signal());
        break;
      case WatchEvent::checking:
        break;
    }
  }
  watch_.stop_check();
  screen_->leave();
  std::cout << "./course watch " << watch_.current().id() << " continues here.\n";
  return exit_code_;
}

/// The page as it is now; a file of another exercise may have been saved.
ExercisePage WatchScreen::page_of_exercise() const {
  ExercisePage page;
  page.exercise = &watch_.current();
  const CheckState& state = watch_.state();
  page.old = !state.checked;
  page.text = help_ + verdict_;
  page.scrolled = scrolled_;
  page.note = note_;
  if (state.checked) {
    const Result result = state.checked->verdict.result;
    page.state = word(result) + seconds_text("  (%.1f s)", watch_.seconds());
    page.state_style = style_of(result);
  } else {
    page.state = "checking" + seconds_text("…  %.0f s", watch_.seconds());
    if (!state.progress.empty()) page.state += "  " + state.progress;
    page.state_style = Style::strong;
  }
  return page;
}

void WatchScreen::draw() {
  if (&watch_.current() != shown_) {
    shown_ = &watch_.current();
    help_ = verdict_ = note_ = "";
    scrolled_ = 0;
  }
  // Read each time: a check or a hint in another terminal counts too.
  const Progress progress(course_.root);
  if (mode_ == Mode::list) {
    screen_->draw(list_page(course_, progress, *shown_, chosen_, space()));
  } else if (mode_ == Mode::keys) {
    screen_->draw(keys_page(space()));
  } else {
    const Page page = exercise_page(course_, progress, page_of_exercise(), space());
    visible_ = std::max<std::size_t>(page.visible, 1);
    last_ = page.last;
    scrolled_ = std::min(scrolled_, last_);
    screen_->draw(page.rows);
  }
}

void WatchScreen::show_verdict() {
  const CheckState& state = watch_.state();
  const Verdict& verdict = state.checked->verdict;
  help_.clear();
  if (!std::exchange(keep_note_, false)) note_.clear();
  scrolled_ = 0;
  const Exercise& e = watch_.current();
  if (verdict.result != Result::pass) {
    verdict_ = verdict.text;
    if (verdict.result == Result::not_done_yet)
      verdict_ += "\nEdit the file and save it: the check starts by itself. The task is in " +
                  course_.chapter(e.chapter).page() + ".\n";
    return;
  }
  verdict_ = "n goes to the next exercise, s shows the solution.\n";
  if (const auto unchecked = unchecked_lines(e, verdict.text); !unchecked.empty())
    verdict_ += "This machine did not check:\n" + unchecked;
  if (state.checked->completes_chapter)
    verdict_ = chapter_summary(course_, course_.chapter(e.chapter));
  verdict_ += state.warning;
}

void WatchScreen::on_signal(int signal) {
  if (signal == SIGWINCH) {
    screen_->resize();
  } else if (signal == SIGTSTP) {
    screen_->leave();
    suspend_process();
    screen_->come_back();
  } else {
    exit_code_ = 128 + signal;
    over_ = true;
  }
}

void WatchScreen::on_key(int key) {
  constexpr int kControlL = 12;
  if (key == kControlL)
    screen_->forget();
  else if (mode_ == Mode::keys)
    mode_ = Mode::exercise;
  else if (mode_ == Mode::confirm)
    confirm_reset(key);
  else if (mode_ == Mode::list)
    on_list_key(key);
  else if (!scroll(key, scrolled_, last_, visible_))
    on_command(key);
}

void WatchScreen::on_command(int key) {
  static const std::map<int, void (WatchScreen::*)()> kCommands = {
      {'h', &WatchScreen::show_hint},     {'l', &WatchScreen::show_list},
      {'n', &WatchScreen::go_to_next},    {'r', &WatchScreen::run_program},
      {'e', &WatchScreen::open_editor},   {'c', &WatchScreen::check_again},
      {'s', &WatchScreen::show_solution}, {'x', &WatchScreen::ask_about_reset},
      {'?', &WatchScreen::show_keys},     {'q', &WatchScreen::quit}};
  note_.clear();
  const auto command = kCommands.find(key);
  if (command != kCommands.end())
    (this->*command->second)();
  else if (key != kOtherKey)
    note_ = "? shows the keys.";
}

void WatchScreen::show_help(std::vector<std::string> command) {
  help_ = ask_tool(std::move(command)) + "\n";
  scrolled_ = 0;
}

/// After the last hint, as hint says there.
void WatchScreen::show_solution() {
  const Exercise& e = watch_.current();
  const bool all_seen = Progress(course_.root).hints_seen(e) == static_cast<int>(e.hints.size());
  show_help(all_seen ? std::vector<std::string>{"solution", "--anyway"}
                     : std::vector<std::string>{"solution"});
}

void WatchScreen::show_list() {
  const auto all = course_.select("");
  const auto here = std::find(all.begin(), all.end(), &watch_.current());
  chosen_ = static_cast<std::size_t>(here - all.begin());
  mode_ = Mode::list;
}

void WatchScreen::ask_about_reset() {
  if (is_stub(course_, watch_.current())) {
    note_ = watch_.current().id() + " is the original file already; nothing to do.";
    return;
  }
  note_ = "Bring the original file of " + watch_.current().id() +
          " back? Your text is kept. y: yes; any other key: no.";
  mode_ = Mode::confirm;
}

void WatchScreen::on_list_key(int key) {
  const auto all = course_.select("");
  const auto page = static_cast<std::size_t>(std::max(screen_->rows() - 3, 1));
  if (scroll(key, chosen_, all.size() - 1, page)) return;
  if (key == 'q') quit();
  if (key == kEnter) watch_.move_to(*all[chosen_]);
  if (key == kEnter || key == 'l' || key == kEscape) mode_ = Mode::exercise;
}

void WatchScreen::go_to_next() {
  const Progress progress(course_.root);
  const Exercise* next = next_exercise(course_, progress, &watch_.current());
  if (!progress.passed(watch_.current()))
    note_ = "Not passed yet. l goes to any exercise, h gives a hint.";
  else if (next == nullptr)
    note_ = "All exercises are passed. l goes back to any of them.";
  else
    watch_.move_to(*next);
}

void WatchScreen::open_editor() {
  const char* visual = std::getenv("VISUAL");
  const char* editor = visual && *visual ? visual : std::getenv("EDITOR");
  if (!editor || !*editor) {
    note_ = "EDITOR names no editor. Quit, and type for example  export EDITOR=nano";
    return;
  }
  screen_->leave();
  // By a shell, because the variable may hold options, too. Saving the file starts a check.
  run_in_foreground(
      {"sh", "-c", std::string(editor) + " \"$1\"", "sh", course_.stub(watch_.current()).string()},
      [this] { return watch_.is_ending(); });
  screen_->come_back();
}

void WatchScreen::run_program() {
  // No other build may use the build directory while the program is built.
  const bool was_checking = watch_.state().running;
  watch_.stop_check();
  screen_->leave();
  const std::string number = std::to_string(watch_.current().chapter);
  std::cout << "./course run " << number << " --mine\n" << std::flush;
  const int code =
      run_in_foreground(command({"run", number, "--mine"}), [this] { return watch_.is_ending(); });
  std::cout << "\nIt ended with exit code " << code << ". Enter goes back to watch. " << std::flush;
  watch_.is_ending();  // discards Ctrl-C
  watch_.wait_for_enter();
  screen_->come_back();
  if (was_checking) watch_.check();
}

void WatchScreen::confirm_reset(int key) {
  mode_ = Mode::exercise;
  note_.clear();
  if (key != 'y' && key != 'Y') return;
  // The file has changed, so a check starts automatically.
  note_ = ask_tool({"reset"});
  keep_note_ = true;
}

std::vector<std::string> WatchScreen::command(std::vector<std::string> words) const {
  // Not by its path: the tool may have been built again since this one started.
  std::vector<std::string> all = {"/proc/self/exe", "--root", session_.root.string(), "--build",
                                  session_.build.string()};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::string WatchScreen::ask_tool(std::vector<std::string> words) {
  words.insert(words.begin() + 1, watch_.current().id());
  Program tool;
  tool.words = command(words);
  tool.environment = {{"COLUMNS", std::to_string(screen_->columns())}, {"COURSE_KEYS", "1"}};
  return course::run(tool).output;
}

}  // namespace

int watch_on_screen(const Session& session, const Course& course, const Exercise& first, bool poll,
                    std::unique_ptr<Screen> screen) {
  return WatchScreen(session, course, first, poll, std::move(screen)).run();
}

}  // namespace course
