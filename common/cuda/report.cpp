// Collects and prints reports; report.h describes them. With --check the runs of a program in two
// orders share a file: what it has already is not told again.
#include "cuda/report.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "cuda/state.h"
#include "simt/debug_info.h"
#include "simt/observe/report.h"
#include "simt/texts.h"

namespace td::cudart {
namespace {

std::string setting(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

struct Late {
  const void* pc;
  std::string text;
};

/// A kernel's part of the verdict.
struct Verdict {
  std::size_t launches = 0, faults = 0, notes = 0;
};

/// The launches of one shape, of which the first is shown.
struct Profiled {
  simt::KernelReport report;
  std::size_t launches = 0;
};

struct Reports {
  std::mutex mutex;
  std::uint64_t count = 0;
  std::set<std::string> told;          // keys of this run and of earlier ones
  std::map<std::uint64_t, Late> late;  // that the program should ask for
  std::map<std::string, Verdict> verdicts;
  std::size_t faults_of_host = 0;
  std::vector<Profiled> profiles;
  bool are_written = false;
};

/// The keys that an earlier run has told.
void read_told(std::set<std::string>& told) {
  std::ifstream file(settings().check);
  for (std::string line; std::getline(file, line);)
    if (line.rfind("told\t", 0) == 0) told.insert(line.substr(5));
}

Reports& reports() {
  static Reports& all = *[] {
    auto* const made = new Reports;
    if (!settings().check.empty()) read_told(made->told);
    return made;
  }();
  return all;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// @return whether it is new.
bool tell(Reports& all, const std::string& key, const std::string& text) {
  if (!all.told.insert(key).second) return false;
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", text.c_str());
  return true;
}

std::string key_of(const simt::Finding& finding) {
  return finding.kernel + ' ' + std::to_string(static_cast<int>(finding.kind)) + ' ' +
         (finding.site ? simt::text_of(*finding.site) : first_line(finding.text));
}

void add_profile(Reports& all, const simt::KernelReport& report) {
  const auto key = [](const simt::Profile& p) {
    return std::tuple(p.kernel, p.grid.x, p.grid.y, p.grid.z, p.block.x, p.block.y, p.block.z);
  };
  for (Profiled& known : all.profiles)
    if (key(known.report.profile) == key(report.profile)) return void(++known.launches);
  all.profiles.push_back({report, 1});
}

/// "vecadd-31-in.svg"
std::string picture_name(const simt::Profile& profile, const simt::SiteProfile& place) {
  std::string variable = place.variable;
  for (char& c : variable)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return profile.kernel + '-' + std::to_string(place.site->line) + '-' + variable + ".svg";
}

void write_profiles(const Reports& all) {
  std::ofstream tables(settings().profile);
  std::vector<simt::KernelReport> shown;
  for (const Profiled& one : all.profiles) {
    tables << simt::table(one.report.profile);
    if (one.launches > 1) tables << "the first of " << one.launches << " launches of this shape\n";
    tables << '\n';
    shown.push_back(one.report);
    if (settings().pictures.empty()) continue;
    for (const simt::SiteProfile& place : one.report.profile.sites)
      std::ofstream(settings().pictures + '/' + picture_name(one.report.profile, place))
          << simt::svg(place);
  }
  if (!settings().json.empty()) std::ofstream(settings().json) << simt::json(shown) << '\n';
}

void write_check(const Reports& all) {
  std::ofstream file(settings().check, std::ios::app);
  for (const auto& [kernel, verdict] : all.verdicts)
    file << "kernel\t" << kernel << '\t' << verdict.launches << '\t' << verdict.faults << '\n';
  file << "host\t" << all.faults_of_host << '\n';
  file << "overlaps\t" << state().overlaps << '\n';
  for (const std::string& key : all.told) file << "told\t" << key << '\n';
}

void report_leaks(const State& state) {
  for (const Device& device : state.devices)
    if (device.error) return;  // then no call frees anything
  constexpr std::size_t kMost = 10;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places;  // blocks and bytes
  for (const auto& [begin, block] : state.memory) {
    if (block.kind == Kind::kRegistered || !block.is_alive) continue;
    auto& [blocks, bytes] = places[place_of(block.made) + ": " + block.call];
    ++blocks;
    bytes += block.bytes;
  }
  std::size_t count = 0;
  for (const auto& [place, amount] : places) {
    if (++count > kMost) break;
    const auto has = [&text = place](const char* word) { return text.find(word) != text.npos; };
    report(nullptr, place + ": a leak of " + std::to_string(amount.second) + " bytes in " +
                        simt::count_of(amount.first, "block") + ": the program never calls " +
                        (has("Host")    ? "cudaFreeHost"
                         : has("Array") ? "cudaFreeArray"
                                        : "cudaFree") +
                        " for it");
  }
}

}  // namespace

const Settings& settings() {
  static const Settings all{setting("TD_CUDA_CHECK"), setting("TD_CUDA_PROFILE"),
                            setting("TD_CUDA_JSON"), setting("TD_CUDA_PICTURES"),
                            setting("TD_CUDA_ORDER") == "reversed"};
  return all;
}

std::string place_of(const void* pc) {
  if (!pc) return "an unknown place";
  const simt::Site* const site = simt::site_before(reinterpret_cast<std::uintptr_t>(pc));
  return site && site->line ? simt::text_of(*site) : "an unknown place";
}

std::uint64_t report(const void* pc, const std::string& text) {
  thread.has_reported = true;
  const std::string whole = pc ? place_of(pc) + ": " + text : text;
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  if (tell(all, first_line(whole), whole)) ++all.faults_of_host;
  return ++all.count;
}

std::uint64_t report_unless_asked(const void* pc, const std::string& text) {
  thread.has_reported = true;
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  all.late[++all.count] = {pc, text};
  return all.count;
}

void was_asked(std::uint64_t number) {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  all.late.erase(number);
}

void add_fault(const simt::Finding& fault) {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  tell(all, key_of(fault), fault.text);
}

void add_reports(std::vector<simt::KernelReport> found) {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  for (const simt::KernelReport& report : found) {
    Verdict& verdict = all.verdicts[report.kernel];
    ++verdict.launches;
    for (const simt::Finding& finding : report.findings)
      if (tell(all, key_of(finding), (finding.is_note ? "note: " : "") + finding.text))
        ++(finding.is_note ? verdict.notes : verdict.faults);
    if (!settings().profile.empty()) add_profile(all, report);
  }
}

void write_reports(bool has_ended) {
  Reports& all = reports();
  if (std::exchange(all.are_written, true)) return;
  std::map<std::uint64_t, Late> late;
  {
    const std::lock_guard lock(all.mutex);
    late.swap(all.late);
  }
  for (const auto& [number, one] : late) report(one.pc, one.text);
  if (!settings().check.empty()) {
    if (has_ended) report_leaks(state());
    write_check(all);
  }
  if (!all.profiles.empty()) write_profiles(all);
}

}  // namespace td::cudart
