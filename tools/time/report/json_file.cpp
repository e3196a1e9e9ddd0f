// Entries of Google Benchmark's layout out of results, and back.
#include "json_file.h"

#include <map>
#include <stdexcept>

#include "json_fields.h"
#include "os/file.h"
#include "statistics.h"

namespace report {
namespace {

constexpr double kNanoseconds = 1e9;

Json context(const Report& report) {
  Json machines = Json::array();
  for (const Machine& machine : report.machines) {
    Json one = machine_to_json(machine);
    one["name"] = machine.name;
    one["date"] = machine.date;
    one["command"] = machine.command;
    one["rounds"] = machine.rounds;
    one["seconds"] = machine.seconds;
    one["not_here"] = not_here_to_json(machine);
    machines.push_back(std::move(one));
  }
  const Machine first = report.machines.empty() ? Machine{} : report.machines.front();
  return {{"date", first.date},       {"executable", first.command}, {"num_cpus", first.cores},
          {"json_schema_version", 1}, {"machines", machines},        {"notes", report.notes}};
}

/// What entries of both kinds share.
Json entry(const std::string& name, const std::string& run_name, const char* kind,
           const Result& result) {
  return {{"name", name},
          {"run_name", run_name},
          {"run_type", kind},
          {"repetitions", result.samples.size()},
          {"threads", 1}};
}

Json sample_entry(const std::string& name, const Result& result, std::size_t i) {
  const Sample& sample = result.samples[i];
  Json json = entry(name, name, "iteration", result);
  json["repetition_index"] = i;
  json["iterations"] = sample.steps;
  json["real_time"] = sample.with_transfers * kNanoseconds;
  json["cpu_time"] = sample.cpu * kNanoseconds;
  json["time_unit"] = "ns";
  json["items_per_second"] = result.what.per_step / sample.with_transfers;
  json["step"] = sample.step * kNanoseconds;
  if (sample.loss) json["loss"] = *sample.loss;
  return json;
}

/// The entry that describes the case; without samples it says why there are none.
Json median_entry(const std::string& name, const Result& result) {
  const bool any = measured(result);
  Json json = entry(any ? name + "_median" : name, name, any ? "aggregate" : "iteration", result);
  const Spread time = any ? time_with_transfers(result) : Spread{};
  if (any) json["aggregate_name"] = "median";
  json["iterations"] = result.samples.size();
  json["real_time"] = time.median * kNanoseconds;
  json["cpu_time"] = any ? cpu_time(result) * kNanoseconds : 0.0;
  json["time_unit"] = "ns";
  if (any) {
    json["items_per_second"] = result.what.per_step / time.median;
    json["p10"] = time.p10 * kNanoseconds;
    json["p90"] = time.p90 * kNanoseconds;
    json["step"] = step_time(result).median * kNanoseconds;
  }
  if (!result.error.empty()) {
    json["error_occurred"] = true;
    json["error_message"] = result.error;
  }
  json["machine"] = result.machine;
  json["framework"] = result.framework;
  json["case"] = case_to_json(result.what);
  if (result.parts) json["parts"] = parts_to_json(*result.parts);
  return json;
}

Result described(const Json& json) {
  Result result;
  result.machine = json.at("machine").get<std::string>();
  result.framework = json.at("framework").get<std::string>();
  result.what = case_from_json(json.at("case"));
  result.error = json.value("error_message", "");
  if (json.contains("parts")) result.parts = parts_from_json(json.at("parts"));
  return result;
}

Sample sample_of(const Json& json) {
  Sample sample;
  sample.steps = json.at("iterations").get<int>();
  sample.with_transfers = json.at("real_time").get<double>() / kNanoseconds;
  sample.step = json.at("step").get<double>() / kNanoseconds;
  sample.cpu = json.at("cpu_time").get<double>() / kNanoseconds;
  // A loss that was not a number has become null.
  if (json.contains("loss") && json.at("loss").is_number())
    sample.loss = json.at("loss").get<double>();
  return sample;
}

std::vector<Machine> machines_of(const Json& context) {
  std::vector<Machine> machines;
  for (const Json& one : context.at("machines")) {
    Machine machine = machine_from_json(one);
    machine.name = one.at("name").get<std::string>();
    machine.date = one.value("date", "");
    machine.command = one.value("command", "");
    machine.rounds = one.value("rounds", 0);
    machine.seconds = one.value("seconds", 0.0);
    machine.not_here = not_here_from_json(one.at("not_here"));
    machines.push_back(std::move(machine));
  }
  return machines;
}

Report report_of(const Json& json) {
  Report report;
  report.machines = machines_of(json.at("context"));
  report.notes = json.at("context").value("notes", report.notes);
  std::map<std::string, std::size_t> places;
  for (const Json& one : json.at("benchmarks")) {
    if (!one.contains("case")) continue;
    places[one.at("run_name").get<std::string>()] = report.results.size();
    report.results.push_back(described(one));
  }
  for (const Json& one : json.at("benchmarks"))
    if (!one.contains("case"))
      report.results.at(places.at(one.at("run_name").get<std::string>()))
          .samples.push_back(sample_of(one));
  return report;
}

}  // namespace

std::string run_name(const Report& report, const Result& result) {
  std::string name = result.what.name;
  if (!result.ours()) name = result.framework + "/" + name;
  return report.machines.size() > 1 ? result.machine + "/" + name : name;
}

std::string to_json(const Report& report) {
  Json entries = Json::array();
  for (const Result& result : report.results) {
    // Not reached before Ctrl-C: an entry of zero seconds would mislead other readers of the file.
    if (!measured(result) && result.error.empty()) continue;
    const std::string name = run_name(report, result);
    for (std::size_t i = 0; i < result.samples.size(); ++i)
      entries.push_back(sample_entry(name, result, i));
    entries.push_back(median_entry(name, result));
  }
  return Json{{"context", context(report)}, {"benchmarks", entries}}.dump(1) + "\n";
}

Report from_json(const std::string& text, const std::string& name) {
  const auto refuse = [&](const char* why) {
    throw std::runtime_error(name + " is not a report of ./course time: " + why +
                             ".\n./course time --json FILE writes one.");
  };
  try {
    return report_of(Json::parse(text));
  } catch (const std::out_of_range& error) {
    refuse("an entry belongs to no case");
  } catch (const Json::exception& error) {
    refuse(error.what());
  }
  return {};
}

Report read_report(const std::string& path) {
  const td::Bytes bytes = td::read_file(path, "./course time --json FILE writes a report");
  return from_json({bytes.begin(), bytes.end()}, path);
}

}  // namespace report
