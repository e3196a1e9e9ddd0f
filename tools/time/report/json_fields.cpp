// Field by field; what a worker may leave out has the default of the structure.
#include "json_fields.h"

namespace report {

Json case_to_json(const Case& what) {
  return {{"name", what.name},       {"workload", what.workload}, {"title", what.title},
          {"device", what.device},   {"devices", what.devices},   {"method", what.method},
          {"threads", what.threads}, {"amp", what.amp},           {"pinned", what.pinned},
          {"graph", what.graph},     {"unit", what.unit},         {"per_step", what.per_step},
          {"batch", what.batch},     {"estimate", what.estimate}};
}

Case case_from_json(const Json& json) {
  Case what;
  json.at("name").get_to(what.name);
  json.at("workload").get_to(what.workload);
  json.at("device").get_to(what.device);
  what.title = json.value("title", what.workload);
  what.devices = json.value("devices", what.devices);
  what.method = json.value("method", what.method);
  what.threads = json.value("threads", what.threads);
  what.amp = json.value("amp", what.amp);
  what.pinned = json.value("pinned", what.pinned);
  what.graph = json.value("graph", what.graph);
  what.unit = json.value("unit", what.unit);
  what.per_step = json.value("per_step", what.per_step);
  what.batch = json.value("batch", what.batch);
  what.estimate = json.value("estimate", what.estimate);
  return what;
}

Json parts_to_json(const Parts& parts) {
  return {{"step", parts.step},
          {"compute", parts.compute},
          {"copy", parts.copy},
          {"wait", parts.wait},
          {"communication", parts.communication},
          {"launch", parts.launch}};
}

Parts parts_from_json(const Json& json) {
  Parts parts;
  json.at("step").get_to(parts.step);
  json.at("compute").get_to(parts.compute);
  json.at("copy").get_to(parts.copy);
  json.at("wait").get_to(parts.wait);
  json.at("communication").get_to(parts.communication);
  json.at("launch").get_to(parts.launch);
  return parts;
}

Json machine_to_json(const Machine& machine) {
  Json libraries = Json::object();
  for (const auto& library : machine.libraries) libraries[library.first] = library.second;
  return {{"processor", machine.processor},
          {"cores", machine.cores},
          {"gpus", machine.gpus},
          {"libraries", libraries}};
}

Machine machine_from_json(const Json& json) {
  Machine machine;
  machine.processor = json.value("processor", "");
  machine.cores = json.value("cores", 0);
  machine.gpus = json.value("gpus", machine.gpus);
  if (json.contains("libraries"))
    for (const auto& library : json.at("libraries").items())
      machine.libraries.emplace_back(library.key(), library.value().get<std::string>());
  return machine;
}

Json not_here_to_json(const Machine& machine) {
  Json all = Json::array();
  for (const NotHere& one : machine.not_here) all.push_back({{"what", one.what}, {"why", one.why}});
  return all;
}

std::vector<NotHere> not_here_from_json(const Json& json) {
  std::vector<NotHere> all;
  for (const Json& one : json)
    all.push_back({one.at("what").get<std::string>(), one.at("why").get<std::string>()});
  return all;
}

}  // namespace report
