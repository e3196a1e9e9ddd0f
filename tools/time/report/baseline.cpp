// Baselines, losses and the sentences about them.
#include "baseline.h"

#include <algorithm>

#include "statistics.h"
#include "text.h"

namespace report {
namespace {

bool comparable(const Result& a, const Result& b) {
  return measured(b) && a.machine == b.machine && a.framework == b.framework &&
         a.what.workload == b.what.workload;
}

/// Several devices against one device with the same settings. Processes on the cpu divide its
/// threads, so their base has the threads of one process.
bool one_of_them(const Case& several, const Case& one) {
  if (one.device == "cpu" && one.threads != std::max(1, several.threads / several.devices))
    return false;
  return one.device == several.device && one.devices == 1 && one.amp == several.amp &&
         one.pinned == several.pinned && one.graph == several.graph;
}

/// Of one kind of device, the case with the largest speed-up.
const Result* fastest_against_base(const Report& report, const Group& group,
                                   const std::string& device, bool several) {
  const Result* best = nullptr;
  double best_speed_up = 0;
  for (const Result* result : group.results) {
    const bool fits = result->what.device == device && (result->what.devices > 1) == several;
    const Result* base = fits ? base_of(report, *result) : nullptr;
    if (!base || speed_up(*result, *base) <= best_speed_up) continue;
    best = result;
    best_speed_up = speed_up(*result, *base);
  }
  return best;
}

std::string in_words(const std::vector<Loss>& all) {
  std::string text;
  for (const Loss& loss : all) {
    if (loss.share < 0.005) continue;
    text += (text.empty() ? "" : ", ") + loss.name + " " + time_text(loss.seconds) + " (" +
            percent_text(loss.share) + ")";
  }
  return text;
}

/// One device that is slower than the cpu even without its losses needs another explanation.
std::string main_reason(const Result& result, const Result& base, const Loss& largest,
                        const std::string& times) {
  const double base_time = time_with_transfers(base).median;
  if (result.what.devices > 1 || result.parts->compute < base_time) return largest.meaning;
  std::string text = "The computation alone takes longer than a step on " +
                     label(base.what, times) + " (" + time_text(base_time) + ").";
  if (result.what.device != "sim") return text;
  const int cores = result.what.threads;
  return text + " This sim device computes on " + std::to_string(cores) +
         (cores == 1 ? " core" : " cores") + " of the cpu.";
}

}  // namespace

const Result* base_of(const Report& report, const Result& result) {
  const Result* base = nullptr;
  for (const Result& other : report.results) {
    if (!comparable(result, other)) continue;
    if (result.what.devices > 1) {
      if (one_of_them(result.what, other.what)) return &other;
    } else if (other.what.device == "cpu" && other.what.amp == "off" && other.what.devices == 1) {
      if (!base || other.what.threads > base->what.threads) base = &other;
    }
  }
  return base;
}

std::vector<Loss> losses(const Result& result, const Result* base) {
  if (!result.parts) return {};
  const Parts& parts = *result.parts;
  std::vector<Loss> all = {
      {"copies", parts.copy, 0, "Bytes move between host and device while nothing computes."},
      {"communication", parts.communication, 0, "The devices exchange gradients or results."},
      {"launches", parts.launch, 0, "The device has finished before the host enqueues more work."},
      {"waiting", parts.wait, 0,
       "The device has nothing to do, because the host or another device works."}};
  if (base && base->parts && result.what.devices > 1 && base->what.per_step > 0) {
    const double work = result.what.per_step / base->what.per_step;
    const double fair_share = base->parts->compute * work / result.what.devices;
    all.push_back({"longer computation", std::max(0.0, parts.compute - fair_share), 0,
                   "The busiest device computes longer than its share: the devices use the same "
                   "cores or memory, or smaller batches use a device less efficiently."});
  }
  for (Loss& loss : all) loss.share = parts.step > 0 ? loss.seconds / parts.step : 0;
  std::sort(all.begin(), all.end(),
            [](const Loss& a, const Loss& b) { return a.seconds > b.seconds; });
  return all;
}

bool below_promise(const Result& result, const Result& base) {
  if (&result == &base || result.what.device == "cpu") return false;
  return result.what.devices > 1 ? efficiency(result, base) < 0.9 : speed_up(result, base) <= 1;
}

std::string why_not_faster(const Report& report, const Result& result, const std::string& times) {
  const Result* base = measured(result) ? base_of(report, result) : nullptr;
  if (!base || !result.parts || !below_promise(result, *base)) return "";
  const Parts& parts = *result.parts;
  const std::vector<Loss> all = losses(result, base);
  const std::string lost = in_words(all);
  std::string text = label(result.what, times) + ": " + time_text(parts.step) + " per step, " +
                     time_text(parts.compute) + " of it (" +
                     percent_text(parts.compute / parts.step) + ") computation.";
  if (!lost.empty()) text += " Lost to " + lost + ".";
  return text + " " + main_reason(result, *base, all.front(), times);
}

const char* const kFromTrace =
    "These times are of another run than the table's, a few steps that were recorded as a trace.";

std::vector<Headline> headlines(const Report& report) {
  std::vector<Headline> found;
  for (const Machine& machine : report.machines)
    for (Group& group : grouped(report, [](const Result& r) { return measured(r) && r.ours(); })) {
      std::erase_if(group.results, [&](const Result* r) { return r->machine != machine.name; });
      for (const bool several : {false, true})
        for (const char* device : {"sim", "cuda"})
          if (const Result* best = fastest_against_base(report, group, device, several))
            found.push_back({best, base_of(report, *best)});
    }
  return found;
}

std::string sentence(const Headline& headline, const std::string& times) {
  const Result& result = *headline.result;
  const Result& base = *headline.base;
  const bool same = within_spread(result, base);
  std::string text = result.what.title + ": " + label(result.what, times) + " is " +
                     (same ? "as" : number_text(speed_up(result, base)) + " times as") +
                     " fast as " + label(base.what, times) +
                     (same ? " within the spread (" : " (") +
                     time_text(time_with_transfers(result).median) + " against " +
                     time_text(time_with_transfers(base).median) + " per step";
  if (result.what.devices > 1 && !same)
    text += ", efficiency " + percent_text(efficiency(result, base));
  return text + ").";
}

}  // namespace report
