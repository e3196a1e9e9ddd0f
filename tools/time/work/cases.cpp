// The list of cases.def, narrowed to what this machine has, and the meaning of a case's name.
#include "cases.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "td/base/parallel.h"
#include "td/device/backend.h"

namespace timing {
namespace {

using td::DeviceType;

constexpr int kMostDevices = 8;  // more show nothing new about the method

#define CASES(...)
#define WORKLOAD(...) {__VA_ARGS__},
const std::vector<Workload> kListed = {
#include "cases.def"
};
#undef CASES
#undef WORKLOAD

struct Family {
  const char* workload;
  std::vector<std::string> configurations;
};
#define CASES(workload, ...) {workload, {__VA_ARGS__}},
#define WORKLOAD(...)
const std::vector<Family> kFamilies = {
#include "cases.def"
};
#undef CASES
#undef WORKLOAD

/// With TD_TIME_SIZE=tiny every step takes only microseconds.
std::vector<Workload> sized(std::vector<Workload> all) {
  constexpr std::int64_t kTinyBatch = 8, kTinySize = 64;
  const char* size = std::getenv("TD_TIME_SIZE");
  if (!size || std::string(size) != "tiny") return all;
  for (Workload& w : all) {
    w.title += " (tiny)";
    w.batch = std::min(w.batch, kTinyBatch);
    if (w.name == "copy" || w.name == "matmul" || w.name == "mlp") w.size = kTinySize;
    w.core_seconds = 0.001;
  }
  return all;
}

/// How many devices a case may have here. On the cpu, processes count as devices.
int available(DeviceType type) {
  return type == td::kCPU ? std::max(2, td::core_count()) : td::device_count(type);
}

/// Reads "sim:2" into the case.
void read_device(const std::string& text, Case& c) {
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string count = colon == text.npos ? "1" : text.substr(colon + 1);
  bool known = false;
  for (const DeviceType type : {td::kCPU, td::kSIM, td::kCUDA})
    if (kind == td::device_type_name(type)) {
      c.device = type;
      known = true;
    }
  c.devices = count.size() == 1 ? count[0] - '0' : 0;
  TD_CHECK(td::Error, known && c.devices >= 1 && c.devices <= kMostDevices, c.name, ": \"", text,
           "\" is no device; expected cpu, sim or cuda, with 1 to ", kMostDevices,
           " devices as in sim:2");
}

/// Reads what follows the device: "ddp", "amp:bfloat16".
void read_setting(const std::string& text, Case& c) {
  if (text == "data_parallel") {
    c.method = Method::kDataParallel;
  } else if (text == "ddp") {
    c.method = Method::kDdp;
  } else if (text == "1thread") {
    c.one_thread = true;
  } else if (text == "amp:bfloat16") {
    c.amp = td::kBFloat16;
  } else if (text == "amp:float16") {
    c.amp = td::kHalf;
  } else if (text == "pinned") {
    c.pinned = true;
  } else if (text == "graph") {
    c.graph = true;
  } else {
    td::fail<td::Error>(c.name, ": there is no setting \"", text,
                        "\"; expected data_parallel, ddp, 1thread, amp:bfloat16, amp:float16, "
                        "pinned or graph");
  }
}

/// The configurations that one of cases.def stands for here: none, itself, or one per number N.
std::vector<std::string> expand(const std::string& configuration) {
  const auto place = configuration.find(":N");
  const std::string kind = configuration.substr(0, configuration.find_first_of(":/"));
  const int most = available(td::Device(kind).type());
  if (place == configuration.npos) {
    // On a machine of one core both cases would be the same.
    const bool same = configuration == "cpu/1thread" && td::core_count() == 1;
    return most == 0 || same ? std::vector<std::string>{} : std::vector{configuration};
  }
  std::vector<std::string> all;
  for (int n = 2; n <= std::min(most, kMostDevices); n *= 2)
    all.push_back(std::string(configuration).replace(place + 1, 1, std::to_string(n)));
  return all;
}

}  // namespace

double Workload::per_step() const {
  const auto n = static_cast<double>(size);
  if (unit == "bytes") return 2 * n * sizeof(float);  // there and back
  if (unit == "flops") return 2 * n * n * n;          // a multiplication and an addition each
  return static_cast<double>(batch);
}

const Workload& workload(const std::string& name) {
  static const std::vector<Workload> all = sized(kListed);
  for (const Workload& w : all)
    if (name == w.name) return w;
  td::fail<td::Error>("there is no workload \"", name,
                      "\"; expected copy, matmul, simple, lenet, cifar or mlp");
}

Case parse_case(const std::string& name) {
  Case c;
  c.name = name;
  std::istringstream parts(name);
  std::string part;
  std::getline(parts, part, '/');
  c.work = &workload(part);
  if (!std::getline(parts, part, '/')) part.clear();
  read_device(part, c);
  while (std::getline(parts, part, '/')) read_setting(part, c);
  TD_CHECK(td::Error, (c.devices > 1) == (c.method != Method::kSingle), name,
           ": several devices need data_parallel or ddp, and one device takes neither");
  return c;
}

std::vector<Case> cases_here() {
  std::vector<Case> all;
  for (const Family& family : kFamilies)
    for (const std::string& configuration : family.configurations)
      for (const std::string& one : expand(configuration))
        all.push_back(parse_case(std::string(family.workload) + '/' + one));
  return all;
}

namespace {

/// Why there is no device of this kind, without the advice to use sim:0: here that is no value of
/// an option, and sim is timed in any case.
std::string why_there_is_no(DeviceType type) {
  const std::string reason = td::backend(type).unavailable_reason();
  return reason.substr(0, std::min(reason.find("; use sim:0"), reason.find(" Or use sim:0")));
}

}  // namespace

std::vector<Missing> missing_here() {
  std::vector<Missing> all;
  for (const DeviceType type : {td::kSIM, td::kCUDA}) {
    const std::string name = td::device_type_name(type);
    const int count = td::device_count(type);
    if (count == 0)
      all.push_back({name, why_there_is_no(type)});
    else if (count == 1)
      all.push_back({name + ":2", "this machine has one " + name + " device"});
  }
  return all;
}

int threads_of(const Case& c) {
  const int cores = td::core_count();
  if (c.one_thread) return 1;
  if (c.device != td::kSIM) return cores;
  return std::min(cores, c.devices * std::max(1, cores / std::max(1, td::device_count(td::kSIM))));
}

double estimate(const Case& c, double seconds) {
  constexpr int kTimed = 4, kWarmUp = 4;  // steps of a run at least: see measure.cpp
  constexpr int kChecked = 5;             // ranks are new in each run, and repeat the first steps
  const bool ranks = c.method == Method::kDdp;
  const int cores = c.device == td::kCUDA ? 1 : threads_of(c);
  const double step = c.work->core_seconds / cores;
  return (ranks ? 0.5 : 0) + std::max(seconds, kTimed * step) +
         (ranks ? kWarmUp + kChecked : kWarmUp) * step;
}

}  // namespace timing
