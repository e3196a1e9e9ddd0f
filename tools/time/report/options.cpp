// The options by CLI11, with messages in the course's words. No other file of this folder includes
// CLI11, because it is slow to compile.
#include "options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

namespace report {
namespace {

constexpr const char* kFooter = R"(Two exercises, each shows the speed-up and the efficiency first:
  ./course time cpu-against-device    the cpu against one device
  ./course time one-against-several   one device against several of its kind

Examples:
  ./course time lenet cifar --devices cpu,sim
  ./course time one-against-several lenet
  ./course time --quick --compare build/time/time.json
  ./course time --merge laptop.json h100.json)";

/// A check with a message of our own, for CLI11.
auto number_between(double least, double most, bool integer) {
  return [=](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool number = !text.empty() && *end == '\0' && value >= least && value <= most;
    if (number && (!integer || value == static_cast<double>(static_cast<long>(value)))) return "";
    std::ostringstream message;
    message << "expected " << (integer ? "an integer" : "a number") << " from " << least << " to "
            << most << ", but got \"" << text << '"';
    return message.str();
  };
}

auto one_of(const std::vector<std::string>& allowed) {
  return [=](const std::string& text) -> std::string {
    std::string all;
    for (const std::string& one : allowed) {
      if (one == text) return "";
      all += (all.empty() ? "" : ", ") + one;
    }
    return "expected " + all + ", but got \"" + text + '"';
  };
}

void declare(CLI::App& app, Settings& s) {
  app.add_option("WORKLOAD", s.choice.workloads, "copy, matmul, lenet ...; --list shows all")
      ->type_name("");
  app.add_option("--devices", s.choice.devices, "cpu, sim, cuda; several with commas")
      ->type_name("KIND")
      ->delimiter(',')
      ->check(one_of({"cpu", "sim", "cuda"}));
  app.add_option("--against", s.against, "pytorch: time the same cases there, interleaved")
      ->type_name("WHAT")
      ->check(one_of({"pytorch"}));
  app.add_option("--python", s.python, "the Python that has PyTorch")->type_name("PATH");
  app.add_option("--compare", s.compare, "an older report (JSON): what is faster, what is slower")
      ->type_name("FILE");
  app.add_option("--merge", s.merge, "show these reports (JSON) as one; measure nothing")
      ->type_name("FILE");
  app.add_option("--rounds", s.rounds, "samples of each case (7)")
      ->type_name("N")
      ->check(number_between(1, 1000, true));
  app.add_option("--seconds", s.seconds, "length of a sample (0.3)")
      ->type_name("S")
      ->check(number_between(0.001, 60, false));
  app.add_flag("--quick", s.quick, "3 rounds of 0.05 s: a first impression");
  app.add_option("--out", s.out, "directory of the page, the pictures and time.json (build/time)")
      ->type_name("DIR");
  app.add_option("--json", s.json, "write the JSON file here, too")->type_name("FILE");
  app.add_option("--limit", s.limit, "seconds that one answer of a worker may take (120)")
      ->type_name("S")
      ->check(number_between(0.1, 3600, false));
  app.add_flag("--list", s.list, "show the cases and measure nothing");
  app.add_option("--worker-program", s.worker)->group("");
}

/// The first word may name an exercise instead of a workload.
void read_exercise(Choice& choice) {
  if (choice.workloads.empty()) return;
  const std::string& first = choice.workloads.front();
  if (first == "cpu-against-device") choice.exercise = Exercise::cpu_against_device;
  if (first == "one-against-several") choice.exercise = Exercise::one_against_several;
  if (choice.exercise != Exercise::everything) choice.workloads.erase(choice.workloads.begin());
}

void check_combinations(const Settings& s) {
  const char* wrong = nullptr;
  if (!s.merge.empty() && (!s.choice.workloads.empty() || s.list || !s.against.empty()))
    wrong =
        "--merge shows reports and measures nothing, so it takes no workload, --list or --against";
  else if (!s.python.empty() && s.against.empty())
    wrong = "--python belongs to --against pytorch";
  if (wrong) throw WrongUsage(std::string(wrong) + ".\n./course time --help shows the options.");
}

}  // namespace

bool read_options(int argc, char** argv, Settings& settings) {
  CLI::App app{"Times the cpu, one device and several devices, and says why they are not faster.",
               "./course time"};
  app.set_help_flag("-h,--help", "this text");
  app.footer(kFooter);
  declare(app, settings);
  settings.command = "./course time";
  for (int i = 1; i < argc; ++i) settings.command += std::string(" ") + argv[i];
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    app.exit(help);
    return false;
  } catch (const CLI::ParseError& error) {
    throw WrongUsage(std::string(error.what()) + ".\n./course time --help shows the options.");
  }
  if (settings.quick && app.count("--rounds") == 0) settings.rounds = 3;
  if (settings.quick && app.count("--seconds") == 0) settings.seconds = 0.05;
  read_exercise(settings.choice);
  check_combinations(settings);
  return true;
}

}  // namespace report
