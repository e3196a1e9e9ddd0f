// The options, and which of them exclude each other.
#include "options.h"

#include <algorithm>
#include <utility>

#include "app/option_parser.h"

namespace report {
namespace {

constexpr int kRounds = 7, kQuickRounds = 3;
constexpr double kSeconds = 0.3, kQuickSeconds = 0.05;

/// Options that are typed in another form than they are stored.
struct Typed {
  bool merge = false;
  std::int64_t rounds = 0;
};

/// `quick` stands for other defaults of --rounds and --seconds.
void declare(app::OptionParser& parser, Settings& s, Typed& typed, bool quick) {
  typed.rounds = quick ? kQuickRounds : kRounds;
  s.seconds = quick ? kQuickSeconds : kSeconds;
  parser.words("WORKLOAD", s.choice.workloads,
               "copy, matmul, lenet ...; --list shows all. Before them cpu-against-device or "
               "one-against-several shows only the cases of this question");
  parser.texts("--devices", s.choice.devices, "cpu, sim, cuda; several with commas", "KIND,...",
               {"cpu", "sim", "cuda"});
  parser.option("--against", s.against, "pytorch: time the same cases there, interleaved", "WHAT");
  parser.option("--python", s.python, "the Python that has PyTorch", "PATH");
  parser.option("--compare", s.compare, "an older report: what is faster, what is slower", "FILE");
  parser.flag("--merge", typed.merge, "the words are reports to show as one; measure nothing");
  parser.option("--rounds", typed.rounds, "samples of each case", 1, 1000);
  parser.option("--seconds", s.seconds, "length of a sample", 0.001, 60);
  parser.flag("--quick", s.quick, "3 rounds of 0.05 s: a first impression");
  parser.option("--out", s.out, "folder of the page, the pictures and time.json", "FOLDER");
  parser.option("--json", s.json, "write the JSON file here, too", "FILE");
  parser.option("--limit", s.limit, "seconds that one answer of a worker may take", 0.1, 3600);
  parser.flag("--list", s.list, "show the cases and measure nothing");
  parser.option("--worker-program", s.worker, "").hide("--worker-program");
  parser.example("./course time one-against-several lenet");
}

/// The first word may name an exercise instead of a workload.
void read_exercise(Choice& choice) {
  if (choice.workloads.empty()) return;
  const std::string& first = choice.workloads.front();
  if (first == "cpu-against-device") choice.exercise = Exercise::cpu_against_device;
  if (first == "one-against-several") choice.exercise = Exercise::one_against_several;
  if (choice.exercise != Exercise::everything) choice.workloads.erase(choice.workloads.begin());
}

/// Before anything is built, so the names come from the list that the worker is compiled with.
void check_workloads(const Choice& choice) {
  static const std::vector<std::string> kThere = {
#define WORKLOAD(name, ...) name,
#define CASES(...)
#include "../work/cases.def"
#undef WORKLOAD
#undef CASES
  };
  for (const std::string& wanted : choice.workloads) {
    if (std::find(kThere.begin(), kThere.end(), wanted) != kThere.end()) continue;
    std::string text = "There is no workload \"" + wanted + "\". There are:";
    for (const std::string& name : kThere) text += " " + name;
    throw app::OptionError(text + ".\n./course time --list shows their cases.");
  }
}

void check_combinations(const Settings& s, bool merge) {
  std::string wrong;
  if (merge && (s.list || !s.against.empty()))
    wrong = "--merge shows reports and measures nothing, so it takes no --list or --against";
  else if (merge && s.merge.empty())
    wrong = "Which reports? ./course time --merge laptop.json h100.json";
  else if (!s.python.empty() && s.against.empty())
    wrong = "--python belongs to --against pytorch";
  else if (!s.against.empty() && s.against != "pytorch")
    wrong = "--against is \"" + s.against + "\"; expected pytorch";
  if (!wrong.empty()) throw app::OptionError(wrong + ".\n./course time --help shows the options.");
}

}  // namespace

bool read_options(int argc, char** argv, Settings& settings) {
  app::OptionParser parser(
      "./course time",
      "Times the cpu, one device and several devices, and says why they are not faster.");
  Typed typed;
  declare(parser, settings, typed,
          std::find(argv, argv + argc, std::string("--quick")) != argv + argc);
  settings.command = "./course time";
  for (int i = 1; i < argc; ++i) settings.command += std::string(" ") + argv[i];
  if (!parser.parse(argc, argv)) return false;
  settings.rounds = static_cast<int>(typed.rounds);
  if (typed.merge)
    settings.merge = std::exchange(settings.choice.workloads, {});
  else
    read_exercise(settings.choice);
  check_combinations(settings, typed.merge);
  check_workloads(settings.choice);
  return true;
}

}  // namespace report
