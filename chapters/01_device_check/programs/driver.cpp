// Whether driver and toolkit fit. NVIDIA's own programs report the versions; where one is missing,
// its answer is empty. driver_fits is an exercise; with --mine it is yours.
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/app.h"
#include "exercises.h"

namespace {

/// Returns what `command` prints on stdout; empty if it fails or is not installed.
std::string output_of(const std::string& command) {
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<FILE, Close> pipe(popen((command + " 2>/dev/null").c_str(), "r"));
  std::string text;
  char part[256];
  while (pipe && std::fgets(part, sizeof part, pipe.get())) text += part;
  return text;
}

/// Returns the text after `mark`, up to one of `ends`; empty if `mark` does not occur.
std::string after(const std::string& text, const std::string& mark, const char* ends) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t from = at + mark.size();
  return text.substr(from, text.find_first_of(ends, from) - from);
}

/// Returns "13.0", as in "Cuda compilation tools, release 13.0, V13.0.88".
std::string toolkit_version() { return after(output_of("nvcc --version"), "release ", ", \n"); }

/// Returns "580.65.06"; all GPUs of a machine have the same driver.
std::string driver_version() {
  const std::string lines =
      output_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader");
  return lines.substr(0, lines.find('\n'));
}

/// Returns the toolkits and their drivers for Linux, from NVIDIA's release notes.
std::vector<ToolkitRow> releases() {
  return {{"11.x", "450.80.02"}, {"12.x", "525.60.13"}, {"13.x", "580.65.06"},
          {"11.4", "470.42.01"}, {"11.8", "520.61.05"}, {"12.0", "525.60.13"},
          {"12.1", "530.30.02"}, {"12.2", "535.54.03"}, {"12.3", "545.23.06"},
          {"12.4", "550.54.14"}, {"12.5", "555.42.02"}, {"12.6", "560.28.03"},
          {"12.8", "570.26"},    {"12.9", "575.51.03"}, {"13.0", "580.65.06"}};
}

void show_fit() {
  const std::string toolkit = toolkit_version(), driver = driver_version();
  std::cout << "  nvcc --version    " << (toolkit.empty() ? "not installed" : toolkit)
            << "\n  driver            " << (driver.empty() ? "none" : driver) << '\n';
  for (const std::string& version : {std::string("470.82.01"), std::string("550.54.14"), driver})
    for (const std::string built_with : {"11.8", "12.6", "13.0"}) {
      if (version.empty()) continue;
      const Fit fit = driver_fits(version, built_with, releases());
      std::cout << "  driver " << version << ", program of CUDA " << built_with
                << (fit == Fit::kFull           ? ": runs\n"
                    : fit == Fit::kMinorVersion ? ": runs, but not PTX of its own version\n"
                                                : ": finds no GPU\n");
    }
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch01-driver", "Shows which programs a driver runs.");
  return command.run(argc, argv, [&](const app::Options& options) {
    app::choose_device(options);
    show_fit();
  });
}
