// Draws how the lanes of one warp access memory: for each kernel of the chapter, the worst access
// to global and to shared memory.
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

/// Draws the worst access of each kernel to global and to shared memory.
void draw_requests(const std::vector<simt::KernelReport>& reports, const std::string& folder) {
  for (const simt::KernelReport& report : reports)
    for (const simt::Space space : {simt::Space::kGlobal, simt::Space::kShared})
      if (const simt::SiteProfile* site = report.profile.worst(space)) {
        const char* const where = space == simt::Space::kGlobal ? "_global.svg" : "_shared.svg";
        write_file(folder + "/" + report.kernel + where, simt::svg(*site));
      }
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = ".";
  app::Command command("ch12-accesses", "Draws the accesses of a warp, as .svg files.");
  command.option("--folder", folder, "where to write them");
  command.without_device("the counts follow from the addresses, so sim counts what a GPU would");
  return command.run(argc, argv, [&](const app::Options&) {
    draw_requests(observe_all(demos, simt::gpu("H100")), folder);
  });
}
