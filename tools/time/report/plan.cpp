// Filters, the rotation and the estimate.
#include "plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace report {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return all.empty() || std::find(all.begin(), all.end(), one) != all.end();
}

/// The exercises compare devices, so mixed precision and graphs stay out of them.
bool plain(const Case& what) { return what.amp == "off" && !what.graph; }

bool any(const std::vector<Case>& cases, const std::string& workload, bool (*is)(const Case&)) {
  return std::any_of(cases.begin(), cases.end(),
                     [&](const Case& c) { return c.workload == workload && is(c); });
}

bool on_cpu(const Case& what) { return what.device == "cpu"; }
bool on_several(const Case& what) { return what.devices > 1; }

bool belongs(const Case& what, const Choice& choice, const std::vector<Case>& all) {
  if (!contains(choice.workloads, what.workload) || !contains(choice.devices, what.device))
    return false;
  if (choice.exercise == Exercise::cpu_against_device)
    return plain(what) && !on_several(what) && any(all, what.workload, on_cpu);
  if (choice.exercise == Exercise::one_against_several)
    return plain(what) && !on_cpu(what) && any(all, what.workload, on_several);
  return true;
}

}  // namespace

std::vector<Case> chosen(const std::vector<Case>& cases, const Choice& choice,
                         const std::vector<NotHere>& not_here) {
  std::vector<Case> kept;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(kept),
               [&](const Case& what) { return belongs(what, choice, cases); });
  if (!kept.empty()) return kept;
  std::string text = "No case is left to measure.", devices;
  for (const NotHere& one : not_here)
    text += "\n" + one.what + ": " + one.why + (one.why.ends_with('.') ? "" : ".");
  for (const Case& what : cases)
    if (devices.find(what.device) == std::string::npos)
      devices += (devices.empty() ? "" : ",") + what.device;
  throw std::invalid_argument(text + "\nThis machine has --devices " + devices +
                              "; ./course time --list shows its cases.");
}

std::vector<std::size_t> order_of_round(std::size_t count, int round, int rounds) {
  std::vector<std::size_t> order(count);
  const std::size_t shift = std::max<std::size_t>(1, count / static_cast<std::size_t>(rounds));
  for (std::size_t i = 0; i < count; ++i)
    order[i] = (i + static_cast<std::size_t>(round) * shift) % count;
  return order;
}

double expected_seconds(const Case& what, double seconds) {
  return std::max(what.estimate, seconds);
}

std::string duration_text(double seconds) {
  const long whole = std::lround(std::max(seconds, 0.0));
  if (whole < 60) return std::to_string(whole) + " s";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

}  // namespace report
