// What NVIDIA's own programs report about this machine: the driver, the toolkit, and the processes
// that use a GPU. main.cpp includes it. Invariant: the answer of a program that is missing is
// empty.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "exercises.h"

namespace toolchain {

/// Returns what `command` prints on stdout; empty if it fails or is not installed.
inline std::string output_of(const std::string& command) {
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
inline std::string after(const std::string& text, const std::string& mark, const char* ends) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t from = at + mark.size();
  return text.substr(from, text.find_first_of(ends, from) - from);
}

/// Returns "13.0", as in "Cuda compilation tools, release 13.0, V13.0.88".
inline std::string toolkit() { return after(output_of("nvcc --version"), "release ", ", \n"); }

/// Returns "580.65.06"; all GPUs of a machine have the same driver.
inline std::string driver() {
  const std::string lines =
      output_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader");
  return lines.substr(0, lines.find('\n'));
}

/// Returns one line per process: its number, its program and the GPU memory that it uses.
inline std::string processes() {
  return output_of(
      "nvidia-smi --query-compute-apps=pid,process_name,used_gpu_memory "
      "--format=csv,noheader");
}

/// Returns the toolkits and their drivers for Linux, from NVIDIA's release notes.
inline std::vector<ToolkitRow> releases() {
  return {{"11.x", "450.80.02"}, {"12.x", "525.60.13"}, {"13.x", "580.65.06"},
          {"11.4", "470.42.01"}, {"11.8", "520.61.05"}, {"12.0", "525.60.13"},
          {"12.1", "530.30.02"}, {"12.2", "535.54.03"}, {"12.3", "545.23.06"},
          {"12.4", "550.54.14"}, {"12.5", "555.42.02"}, {"12.6", "560.28.03"},
          {"12.8", "570.26"},    {"12.9", "575.51.03"}, {"13.0", "580.65.06"}};
}

}  // namespace toolchain
