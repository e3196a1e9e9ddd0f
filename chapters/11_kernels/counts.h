// What sim counts in the chapter's kernels: observing them, the table, pictures and JSON. Included
// by main.cpp.
#pragma once

#include <fstream>
#include <iomanip>
#include <iostream>

#include "demos.h"
#include "simt/observe.h"
#include "simt/observe/report.h"

namespace counts {

namespace simt = td::simt;

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw td::IoError(path + " cannot be written; does its folder exist?");
}

// anchor: observe
// What is counted follows from the addresses, so that sim counts what a GPU would.
inline std::vector<simt::KernelReport> observe_all(const simt::GpuLimits& gpu) {
  const std::vector<Demo> all = demos("sim:0", {65536, 128});
  return simt::observe({.gpu = &gpu}, [&] {
    for (const Demo& demo : all) demo.kernel();
  });
}
// anchor end

/// A line per kernel; with `profile` also the table of each.
inline void print(const std::vector<simt::KernelReport>& reports, const std::string& gpu,
                  bool profile) {
  std::cout << "counted on sim: 65,536 elements, or matrices of 128 x 128\n"
            << "               sectors per request   passes in shared memory   barriers   least "
               "time on "
            << gpu << "\n";
  for (const simt::KernelReport& report : reports) {
    const simt::Counts global = report.profile.global(), shared = report.profile.shared();
    std::cout << std::setw(14) << report.kernel << std::fixed << std::setprecision(1)
              << std::setw(9) << global.per_request() << " (least " << std::setw(4)
              << global.ideal_per_request() << ")" << std::setw(11) << shared.transfers
              << " (least " << std::setw(6) << shared.ideal << ")" << std::setw(9)
              << report.profile.barriers << std::setw(14) << std::setprecision(2)
              << 1e6 * report.profile.bound.seconds() << " us\n";
    if (const simt::Finding* fault = report.first_fault()) std::cout << fault->text << '\n';
  }
  std::cout << '\n';
  if (profile)
    for (const simt::KernelReport& report : reports)
      std::cout << simt::table(report.profile) << '\n';
}

/// Draws the worst access of each kernel to global and to shared memory.
inline void draw_requests(const std::vector<simt::KernelReport>& reports,
                          const std::string& folder) {
  for (const simt::KernelReport& report : reports)
    for (const simt::Space space : {simt::Space::kGlobal, simt::Space::kShared})
      if (const simt::SiteProfile* site = report.profile.worst(space)) {
        const char* const where = space == simt::Space::kGlobal ? "_global.svg" : "_shared.svg";
        write_file(folder + "/" + report.kernel + where, simt::svg(*site));
      }
}

}  // namespace counts
