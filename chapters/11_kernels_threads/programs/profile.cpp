// The profile of each kernel of the chapter, line by line.
#include <fstream>
#include <iostream>

#include "app/app.h"
#include "demos.h"

namespace {

namespace simt = td::simt;

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw td::IoError(path + " cannot be written; does its folder exist?");
}

}  // namespace

int main(int argc, char** argv) {
  std::string gpu = "H100", json;
  app::Command command("ch11-profile", "Profiles the chapter's kernels, line by line.");
  add_gpu_option(command, gpu);
  command.option("--json", json, "file for all counts and findings");
  command.without_device("the counts follow from the addresses, so sim counts what a GPU would");
  return command.run(argc, argv, [&](const app::Options&) {
    const std::vector<simt::KernelReport> reports = observe_all(demos, simt::gpu(gpu));
    for (const simt::KernelReport& report : reports)
      std::cout << simt::table(report.profile) << '\n';
    if (!json.empty()) write_file(json, simt::json(reports));
  });
}
