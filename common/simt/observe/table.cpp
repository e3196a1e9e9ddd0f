// The table of a profile. Invariant: no line is longer than 80 columns while a name with its line
// has at most 11 characters, and a count at most 8.
#include <algorithm>
#include <iomanip>
#include <sstream>

#include "simt/observe/report.h"

namespace td::simt {
namespace {

/// "65,536"
std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string fixed(double value, int digits = 1) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

/// "(32,32)": what is 1 at the end is left out.
std::string extents(dim3 v) {
  std::string text = '(' + std::to_string(v.x);
  if (v.y > 1 || v.z > 1) text += ',' + std::to_string(v.y);
  if (v.z > 1) text += ',' + std::to_string(v.z);
  return text + ')';
}

std::string lanes_on_one_word(const SiteProfile& place) {
  return std::to_string(place.same_word) + " lanes on one word";
}

std::string global_verdict(const SiteProfile& place) {
  if (place.kind == kAtomic && place.same_word > 1) return lanes_on_one_word(place);
  if (place.excess() > 0) {
    const bool each = place.transfers == place.lanes && place.lanes > place.requests;
    return fixed(place.excess_percent(), 0) + " % excess" + (each ? ", 1 per lane" : "");
  }
  const bool uniform = place.lanes > place.requests && place.transfers == place.requests &&
                       place.bytes * place.lanes < place.requests * place.lanes * 32 &&
                       place.bytes == place.requests * place.worst.bytes;
  return uniform ? "one address for all" : "coalesced";
}

/// The bank of which the worst request needs the most words.
int worst_bank(const WarpRequest& request) {
  std::array<int, 32> words{};
  for (int lane = 0; lane < 32; ++lane)
    if (request.mask >> lane & 1) ++words[static_cast<std::size_t>(request.offset[lane] >> 2 & 31)];
  return static_cast<int>(std::max_element(words.begin(), words.end()) - words.begin());
}

std::string shared_verdict(const SiteProfile& place) {
  if (place.excess() > 0)
    return std::to_string(place.worst_ways) + " words of bank " +
           std::to_string(worst_bank(place.worst));
  if (place.kind == kAtomic && place.same_word > 1) return lanes_on_one_word(place);
  return "no conflict";
}

class Table {
 public:
  explicit Table(const Profile& profile) : profile_(profile) {}

  std::string text() {
    head();
    section(Space::kGlobal, "global", "sectors", "per request");
    section(Space::kShared, "shared", "passes", "worst");
    missing();
    lanes();
    memory();
    time();
    occupancy();
    return out_.str();
  }

 private:
  void head() {
    out_ << profile_.kernel << ": grid " << extents(profile_.grid) << ", block "
         << extents(profile_.block) << ", " << grouped(profile_.threads) << " threads in "
         << grouped(profile_.warps) << (profile_.warps == 1 ? " warp\n" : " warps\n");
  }

  void section(Space space, const char* title, const char* unit, const char* last) {
    std::vector<const SiteProfile*> places;
    for (const SiteProfile& place : profile_.sites)
      if (place.space == space) places.push_back(&place);
    if (places.empty()) return;
    std::stable_sort(places.begin(), places.end(), [](const SiteProfile* a, const SiteProfile* b) {
      return a->excess() > b->excess();
    });
    out_ << std::left << std::setw(20) << title << std::right << std::setw(9) << "requests"
         << std::setw(9) << unit << std::setw(9) << "ideal"
         << "  " << last << '\n';
    for (const SiteProfile* place : places) row(*place);
  }

  void row(const SiteProfile& place) {
    const std::string where = place.variable + ':' + std::to_string(place.site->line);
    const bool shared = place.space == Space::kShared;
    const std::string figure =
        shared ? std::to_string(place.worst_ways) + "-way" : fixed(place.per_request());
    out_ << "  " << std::left << std::setw(6) << name_of(place.kind) << ' ' << std::setw(11)
         << where << std::right << std::setw(9) << grouped(place.requests) << std::setw(9)
         << grouped(place.transfers) << std::setw(9) << grouped(place.ideal) << std::setw(8)
         << figure << "  " << (shared ? shared_verdict(place) : global_verdict(place)) << '\n';
  }

  void missing() {
    for (const NeverWritten& missing : profile_.never_written)
      out_ << "never written: " << grouped(missing.elements) << " elements of " << missing.argument
           << ", the first is " << missing.argument << '[' << missing.first << "]\n";
  }

  void lanes() {
    Counts all = profile_.global();
    all += profile_.shared();
    const std::size_t room = all.requests * 32;
    if (all.lanes < room)
      out_ << "active lanes per request: " << fixed(all.active_lanes()) << " of 32\n";
    if (profile_.branch_efficiency > 0)
      out_ << "branch efficiency: " << fixed(profile_.branch_efficiency) << " %\n";
    if (profile_.barriers > 0)
      out_ << profile_.barriers << (profile_.barriers == 1 ? " barrier" : " barriers")
           << " per thread\n";
    if (profile_.async_bytes > 0)
      out_ << "asynchronous copies: " << grouped(profile_.async_bytes) << " bytes, "
           << grouped(profile_.overlapped_async_bytes) << " of them during other work\n";
  }

  void memory() {
    const std::size_t asked = profile_.global().transfers + profile_.global(kAtomic).transfers;
    if (profile_.distinct_sectors == 0) return;
    out_ << "must move " << grouped(profile_.distinct_sectors) << " sectors";
    const double times =
        static_cast<double>(asked) / static_cast<double>(profile_.distinct_sectors);
    if (asked == profile_.distinct_sectors)
      out_ << ", each once\n";
    else
      out_ << "; asked for " << grouped(asked) << ": each " << fixed(times)
           << " times on average\n";
  }

  void time() {
    if (profile_.bound.seconds() <= 0) return;
    out_ << "time on " << profile_.gpu.name << " at least "
         << fixed(profile_.bound.seconds() * 1e6, 3) << " us, limited by "
         << (profile_.bound.memory_bound() ? "memory" : "arithmetic");
    if (profile_.intensity() > 0)
      out_ << "; " << fixed(profile_.intensity(), 2) << " FLOP per byte";
    out_ << '\n';
  }

  void occupancy() {
    const Occupancy& fit = profile_.occupancy;
    const std::size_t shared = profile_.static_shared + profile_.dynamic_shared;
    if (shared > 0) out_ << grouped(shared) << " bytes of shared memory per block\n";
    out_ << "occupancy at most " << fixed(100 * fit.fraction, 0) << " % on " << profile_.gpu.name
         << ": " << fit.blocks << (fit.blocks == 1 ? " block" : " blocks") << ", limited by "
         << fit.limit << '\n'
         << "registers limit it above " << fit.registers_limit_above << " per thread\n";
  }

  const Profile& profile_;
  std::ostringstream out_;
};

}  // namespace

std::string table(const Profile& profile) { return Table(profile).text(); }

std::string text(const std::vector<Finding>& findings) {
  std::string all;
  for (const bool notes : {false, true})
    for (const Finding& finding : findings)
      if (finding.is_note == notes) all += (notes ? "note: " : "") + finding.text + '\n';
  return all;
}

}  // namespace td::simt
