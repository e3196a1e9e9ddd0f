// Workers, measurement, files.
#include "driver.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <memory>

#include "html.h"
#include "json_file.h"
#include "measure.h"
#include "merge.h"
#include "os/file.h"
#include "pictures.h"
#include "python.h"
#include "statistics.h"
#include "terminal_report.h"

namespace report {
namespace {

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", std::localtime(&time));
  return text;
}

void write_text(const std::string& path, const std::string& text) {
  td::write_file(path, text.data(), text.size());
}

/// A worker per framework, in the order in which their cases are paired.
class Workers {
 public:
  Workers(const Settings& settings, Report& report) : settings_(settings), report_(report) {
    add("todevice", own_command(), "todevice.log");
  }

  /// Adds PyTorch. @throws std::runtime_error when no Python has it.
  void add_pytorch() { add("PyTorch", pytorch_worker(settings_.python), "pytorch.log"); }

  Worker& operator[](std::size_t i) { return *all_[i]; }

 private:
  std::vector<std::string> own_command() const {
    if (settings_.worker.empty()) return {settings_.executable, "--worker"};
    return {settings_.worker};
  }

  void add(const std::string& name, std::vector<std::string> command, const std::string& log) {
    const std::string path = settings_.out + "/" + log;
    write_text(path, "");
    all_.push_back(std::make_unique<Worker>(name, std::move(command), path, settings_.limit,
                                            [this](const std::string& note) {
                                              report_.notes.push_back(note);
                                              std::cout << note << std::endl;
                                            }));
  }

  const Settings& settings_;
  Report& report_;
  std::vector<std::unique_ptr<Worker>> all_;
};

/// Our cases, each with its counterpart in the other framework.
std::vector<Counterparts> paired(const std::vector<Case>& cases, const Listing& ours,
                                 const Listing* theirs, Workers& workers, Report& report) {
  std::vector<Counterparts> all;
  const auto job = [&](std::size_t worker, const std::string& framework, const Case& what) {
    report.results.push_back({report.machines.front().name, framework, what, {}, {}, ""});
    return Job{&workers[worker], report.results.size() - 1};
  };
  for (const Case& what : cases) {
    all.push_back({job(0, ours.framework, what)});
    if (!theirs) continue;
    const auto same = [&](const Case& other) { return other.name == what.name; };
    const auto found = std::find_if(theirs->cases.begin(), theirs->cases.end(), same);
    if (found != theirs->cases.end()) all.back().push_back(job(1, theirs->framework, *found));
  }
  return all;
}

Machine described(const Listing& ours, const Listing* theirs, const Settings& settings) {
  Machine machine = ours.machine;
  machine.name = "this machine";
  machine.date = now();
  machine.command = settings.command;
  machine.rounds = settings.rounds;
  machine.seconds = settings.seconds;
  if (theirs) {
    const auto space = theirs->framework.find(' ');
    machine.libraries.emplace_back(
        theirs->framework.substr(0, space),
        space == std::string::npos ? "" : theirs->framework.substr(space + 1));
  }
  return machine;
}

/// A report is useful without its pictures, so a failure to draw them is one line.
std::vector<Picture> pictures_or_why_not(const Report& report, const std::string& folder) {
  if (!has_gnuplot()) {
    std::cout << "There is no gnuplot, so no pictures:\ninstall the Debian package gnuplot-nox.\n";
    return {};
  }
  try {
    return draw_pictures(report, folder);
  } catch (const std::exception& error) {
    std::cout << "There are no pictures: " << error.what() << std::endl;
    return {};
  }
}

void write_files(const Settings& settings, const Report& report, const Report* before) {
  const std::string json = to_json(report);
  write_text(settings.out + "/time.json", json);
  if (!settings.json.empty()) write_text(settings.json, json);
  const std::vector<Picture> pictures = pictures_or_why_not(report, settings.out);
  write_text(settings.out + "/index.html", to_html(report, before, pictures));
}

int finish(const Settings& settings, const Report& report, const Report* before, bool complete) {
  if (std::none_of(report.results.begin(), report.results.end(), measured)) {
    std::cout << terminal_report(report, nullptr, app::terminal_of(STDOUT_FILENO));
    std::cerr << "Nothing was measured.\n";
    return complete ? 1 : 130;
  }
  std::cout << "\n"
            << terminal_report(report, before, app::terminal_of(STDOUT_FILENO)) << std::endl;
  write_files(settings, report, before);
  std::cout << "Page: " << settings.out << "/index.html\n"
            << "JSON: " << (settings.json.empty() ? settings.out + "/time.json" : settings.json)
            << " (compare with it later: ./course time --compare FILE)" << std::endl;
  return complete ? 0 : 130;
}

int measure_and_report(const Settings& settings, const Report* before) {
  Report report;
  Workers workers(settings, report);
  const Listing ours = workers[0].list();
  const std::vector<Case> cases = chosen(ours.cases, settings.choice, ours.machine.not_here);
  if (settings.list) {
    std::cout << terminal_list(ours.machine, cases, settings.seconds,
                               app::terminal_of(STDOUT_FILENO));
    return 0;
  }
  Listing pytorch;
  const Listing* theirs = nullptr;
  if (!settings.against.empty()) {
    std::cout << "Starting PyTorch ..." << std::endl;
    workers.add_pytorch();
    pytorch = workers[1].list();
    theirs = &pytorch;
  }
  report.machines.push_back(described(ours, theirs, settings));
  const bool complete = measure(settings, paired(cases, ours, theirs, workers, report), report);
  if (!complete)
    report.notes.push_back("Ctrl-C ended the measurement early; some cases have fewer samples.");
  return finish(settings, report, before, complete);
}

}  // namespace

int drive(const Settings& settings) {
  // Read before anything is written: it may be the file that this run replaces.
  const Report before = settings.compare.empty() ? Report{} : read_report(settings.compare);
  const Report* older = settings.compare.empty() ? nullptr : &before;
  std::vector<std::pair<std::string, Report>> files;
  for (const std::string& path : settings.merge) files.emplace_back(path, read_report(path));
  td::make_folder(settings.out);
  if (files.empty()) return measure_and_report(settings, older);
  return finish(settings, merged(files), older, true);
}

}  // namespace report
