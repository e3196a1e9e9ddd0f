// The requests: list, run, explain. Jobs are set up at their first request, and kept.
#include "worker.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "context.h"
#include "ranks.h"
#include "sim/sim.h"
#include "td/base/parallel.h"

namespace timing {
namespace {

using nlohmann::json;

constexpr int kMostSimDevices = 4;
constexpr double kUsualSeconds = 0.4;  // of a run, for the estimates of the list

/// A case that was set up, and what its first steps computed.
struct Ready {
  Case c;
  std::unique_ptr<Job> job;
  double checked_value;
};

json describe(const Case& c) {
  const char* method = c.method == Method::kDdp            ? "ddp"
                       : c.method == Method::kDataParallel ? "data_parallel"
                                                           : "single";
  const char* amp = !c.amp ? "off" : *c.amp == td::kHalf ? "float16" : "bfloat16";
  return {{"name", c.name},           {"workload", c.work->name},
          {"title", c.work->title},   {"device", td::device_type_name(c.device)},
          {"devices", c.devices},     {"method", method},
          {"threads", threads_of(c)}, {"amp", amp},
          {"pinned", c.pinned},       {"graph", c.graph},
          {"unit", c.work->unit},     {"per_step", c.work->per_step()},
          {"batch", c.work->batch},   {"estimate", estimate(c, kUsualSeconds)}};
}

json list() {
  json cases = json::array(), missing = json::array();
  for (const Case& c : cases_here()) cases.push_back(describe(c));
  for (const Missing& m : missing_here()) missing.push_back({{"what", m.what}, {"why", m.why}});
  return {
      {"framework", "todevice"}, {"context", context()}, {"cases", cases}, {"not_here", missing}};
}

/// Where a request has the name of its case, also one that cannot be read otherwise.
std::string second_word(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word >> word;
  return words ? word : "";
}

class Worker {
 public:
  json obey(const std::string& line) {
    if (line == "list") return list();
    try {
      const Request request = parse_request(line);
      const Case c = find(request.name);
      if (c.method == Method::kDdp) return ask_ranks(request, c);
      set_threads(c);
      const Ready& ready = set_up(c);
      return answer(request, c, *ready.job, ready.checked_value);
    } catch (const std::exception& error) {
      return {{"name", second_word(line)}, {"error", error.what()}};
    }
  }

 private:
  Case find(const std::string& name) {
    if (cases_.empty()) cases_ = cases_here();
    for (const Case& c : cases_)
      if (c.name == name) return c;
    td::fail<td::Error>("there is no case \"", name, "\" on this machine; list names them all");
  }
  /// Data and model stay for later runs: a case allocates nothing in the second one.
  const Ready& set_up(const Case& c) {
    auto place = ready_.find(c.name);
    if (place == ready_.end()) {
      Ready ready{c, make_job(c), 0};
      ready.checked_value = ready.job->checked_value();
      place = ready_.emplace(c.name, std::move(ready)).first;
    }
    return place->second;
  }

  std::vector<Case> cases_;
  std::map<std::string, Ready> ready_;
};

/// As many sim devices as can have a core each, within limits: then n devices have n times the
/// cores of one, as n GPUs have.
void choose_sim_devices() {
  if (std::getenv("TD_SIM_DEVICES")) return;  // the user has chosen
  td::sim::set_devices(std::clamp(td::core_count(), 2, kMostSimDevices));
}

}  // namespace

int work(std::istream& in, std::ostream& out) {
  choose_sim_devices();
  if (is_rank()) return be_a_rank(out);
  Worker worker;
  for (std::string line; std::getline(in, line) && line != "quit";)
    out << worker.obey(line) << std::endl;
  return 0;
}

}  // namespace timing
