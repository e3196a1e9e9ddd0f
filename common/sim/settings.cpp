// See settings.h.
#include "sim/settings.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "td/base/error.h"

namespace td::sim {
namespace {

/// Reads a number from 0 to 1e9, followed by exactly `unit`.
bool parse_amount(const std::string& text, const std::string& unit, double* amount) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *amount, std::chars_format::fixed);
  return read.ec == std::errc() && std::string(read.ptr, end) == unit && !std::signbit(*amount) &&
         *amount <= 1e9;
}

bool parse_link(const std::string& text, Settings& s) {
  const std::size_t comma = text.find(',');
  double speed = 0, latency = Link{}.latency_us;
  if (!parse_amount(text.substr(0, comma), "GB/s", &speed) || !(speed > 0)) return false;
  if (comma != text.npos && !parse_amount(text.substr(comma + 1), "us", &latency)) return false;
  s.gb_per_s = speed;
  s.latency_us = latency;
  return true;
}

/// A variable that is read, and whether its value was well-formed.
struct Variable {
  const char *name, *expected;
  bool (*parse)(const std::string& text, Settings& s);
};
const Variable kVariables[] = {
    {"TD_SIM_DEVICES", "a number from 1 to 16",
     [](const std::string& text, Settings& s) {
       double count = 0;
       if (!parse_amount(text, "", &count)) return false;
       s.devices = static_cast<int>(count);
       return count >= 1 && count <= kMaxDevices && count == s.devices;
     }},
    {"TD_SIM_MEMORY", "an amount of memory, as 512MiB or 2GiB",
     [](const std::string& text, Settings& s) {
       std::size_t bytes = 0;
       const bool good = parse_bytes(text, &bytes);
       s.capacity = bytes;
       return good;
     }},
    {"TD_SIM_LINK", "a bandwidth and a latency, as 12GB/s,10us", parse_link},
    {"TD_SIM_LAUNCH_COST", "a time in microseconds, as 5us",
     [](const std::string& text, Settings& s) {
       double cost = 0;
       const bool good = parse_amount(text, "us", &cost);
       s.launch_cost_us = cost;
       return good;
     }},
    {"TD_SIM_RACES", "1 to look for races, or 0",
     [](const std::string& text, Settings& s) {
       s.finds_races = text == "1";
       return text == "0" || text == "1";
     }},
};

}  // namespace

bool parse_bytes(const std::string& text, std::size_t* bytes) {
  // from_chars would also take "-1", ".5", "inf" and "nan".
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  double amount = 0;
  const char* const end = text.data() + text.size();
  const char* rest = std::from_chars(text.data(), end, amount).ptr;
  while (rest != end && *rest == ' ') ++rest;
  const std::string unit(rest, end);
  constexpr std::pair<const char*, double> kUnits[] = {
      {"", 1},      {"B", 1},         {"KB", 1e3},      {"MB", 1e6},      {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 0x1p40}};
  for (const auto& [name, factor] : kUnits) {
    if (unit != name) continue;
    const double value = amount * factor;
    if (!(value >= 1) || value > 0x1p50) return false;
    *bytes = static_cast<std::size_t>(value);
    return true;
  }
  return false;
}

Settings::Settings(const std::function<const char*(const char*)>& variable) {
  const auto machine = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  capacity = std::min(machine / 4, std::size_t{4} << 30);
  for (const Variable& v : kVariables) {
    const char* value = variable(v.name);
    if (!value || v.parse(value, *this)) continue;
    error = std::string(v.name) + "=" + value + " is malformed: expected " + v.expected + '.';
    devices = 0;
    return;
  }
}

Settings& settings() {
  static Settings& instance =
      *new Settings(std::getenv);  // stream threads read it until the process ends
  return instance;
}

void set_link(Link link) {
  TD_CHECK(Error, link.gb_per_s > 0 && link.latency_us >= 0,
           "set_link: a link needs a positive bandwidth and a latency of 0 or more, not ",
           link.gb_per_s, " GB/s and ", link.latency_us, " us.");
  settings().gb_per_s = link.gb_per_s;
  settings().latency_us = link.latency_us;
}

Link link() { return {settings().gb_per_s, settings().latency_us}; }

void set_launch_cost(double microseconds) {
  TD_CHECK(Error, microseconds >= 0, "set_launch_cost: a launch costs 0 us or more, not ",
           microseconds, " us.");
  settings().launch_cost_us = microseconds;
}

double launch_cost() { return settings().launch_cost_us.load(std::memory_order_relaxed); }

void spend_launch_cost() {
  const double microseconds = launch_cost();
  if (microseconds <= 0) return;
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double, std::micro>(microseconds));
  while (Clock::now() < until) {  // a launch keeps the host busy; it does not sleep
  }
}

void set_capacity(std::size_t bytes) { settings().capacity = bytes; }
std::size_t capacity() { return settings().capacity; }

void set_devices(int count) {
  TD_CHECK(DeviceError, count >= 1 && count <= kMaxDevices, "set_devices: sim has 1 to ",
           kMaxDevices, " devices, not ", count, ".");
  TD_CHECK(DeviceError, !settings().in_use || count == settings().devices,
           "set_devices: sim is in use already; call it first in main, or start with "
           "TD_SIM_DEVICES=",
           count, ".");
  settings().devices = count;
}

}  // namespace td::sim
