// Runs gnuplot and adapts what it wrote.
#include "pictures.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <regex>
#include <stdexcept>

#include "gnuplot_script.h"
#include "os/file.h"
#include "os/start_process.h"

namespace report {
namespace {

std::string contents(const std::string& path) {
  const td::Bytes bytes = td::read_file(path);
  return {bytes.begin(), bytes.end()};
}

void run_gnuplot(const std::string& script) {
  td::ChildProgram child;
  child.words = {"gnuplot", script};
  const std::string log = script + ".log";
  const td::FileDescriptor errors(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  child.errors = errors.get();
  const pid_t pid = td::start_process(child);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string said = contents(log);
  std::remove(log.c_str());
  if (status != 0) throw std::runtime_error("gnuplot could not draw the picture: " + said);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return std::regex_replace(text, std::regex(what), by);
}

}  // namespace

bool has_gnuplot() { return !td::find_program("gnuplot").empty(); }

std::string adapted(const std::string& svg, const Picture& picture) {
  std::string text = svg;
  const auto begin = text.find("<defs>"), end = text.find("</defs>");
  if (begin != std::string::npos && end != std::string::npos) text.erase(begin, end + 7 - begin);
  text = replaced(
      text, " color=\"(black|white|gray)\"| id=\"[^\"]*\"| class=\"gridline\"|<use [^>]*/>", "");
  text = replaced(text, "<title>gnuplot_plot_[^<]*</title>", "");
  text = replaced(text, "rgb\\( *31, *35, *40\\)", "currentColor");
  text = replaced(text, "<title>Gnuplot</title>", "<title>" + picture.title + "</title>");
  text = replaced(text, "<desc>[^<]*</desc>",
                  "<desc>" + picture.shows +
                      "</desc>\n<style>svg { color: #1f2328 } "
                      "@media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style>");
  return replaced(text, "<\\?xml[^>]*\\?>\n?", "");
}

std::vector<Picture> draw_pictures(const Report& report, const std::string& folder) {
  using Script = std::string (*)(const Report&, const std::string&);
  const std::pair<Picture, Script> all[] = {
      {{"speed-up.svg", "Speed-up", "One bar per case: its throughput over that of its base.", ""},
       speed_up_script},
      {{"step-parts.svg", "Where the time of a step goes",
        "One bar per case on a device: the shares of computation, copies, communication, launches "
        "and waiting in one step.",
        ""},
       parts_script},
      {{"steps-per-second.svg", "Steps per second",
        "One point per case on a logarithmic axis: steps per second, with the middle 80 % of the "
        "samples.",
        ""},
       rate_script}};
  std::vector<Picture> drawn;
  if (!has_gnuplot()) return drawn;
  for (const auto& one : all) {
    Picture picture = one.first;
    const std::string file = folder + "/" + picture.name;
    const std::string script = one.second(report, file);
    if (script.empty()) continue;
    const std::string script_file = file + ".gnuplot";
    td::write_file(script_file, script.data(), script.size());
    run_gnuplot(script_file);
    std::remove(script_file.c_str());
    picture.svg = adapted(contents(file), picture);
    td::write_file(file, picture.svg.data(), picture.svg.size());
    drawn.push_back(std::move(picture));
  }
  return drawn;
}

}  // namespace report
