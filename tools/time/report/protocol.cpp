// The protocol of the workers is described in tools/time/work/worker.h.
#include "protocol.h"

#include "json_fields.h"

namespace report {
namespace {

/// Parses the answer and passes it to `read`; turns every unexpected content into one sentence.
template <class Read>
auto understood(const std::string& answer, Read read) {
  try {
    const Json json = Json::parse(answer);
    if (json.contains("error")) throw CaseFailed(json.at("error").get<std::string>());
    return read(json);
  } catch (const Json::exception& error) {
    throw CaseFailed("the worker's answer was not understood (" + std::string(error.what()) +
                     "): " + answer.substr(0, 200));
  }
}

Sample read_sample(const Json& json) {
  Sample sample;
  json.at("steps").get_to(sample.steps);
  json.at("seconds_per_step").get_to(sample.step);
  json.at("with_transfers").get_to(sample.with_transfers);
  sample.cpu = json.value("cpu_seconds_per_step", 0.0);
  // A loss that is not a number arrives as null.
  if (json.contains("loss") && json.at("loss").is_number())
    sample.loss = json.at("loss").get<double>();
  if (!(sample.step > 0) || !(sample.with_transfers > 0))
    throw CaseFailed("the worker reported a time that is not positive");
  return sample;
}

Listing read_listing(const Json& json) {
  Listing listing;
  json.at("framework").get_to(listing.framework);
  if (json.contains("context")) listing.machine = machine_from_json(json.at("context"));
  if (json.contains("not_here")) listing.machine.not_here = not_here_from_json(json.at("not_here"));
  for (const Json& one : json.at("cases")) listing.cases.push_back(case_from_json(one));
  return listing;
}

}  // namespace

Listing parse_listing(const std::string& answer) { return understood(answer, read_listing); }

Sample parse_sample(const std::string& answer) { return understood(answer, read_sample); }

Parts parse_parts(const std::string& answer) { return understood(answer, parts_from_json); }

}  // namespace report
