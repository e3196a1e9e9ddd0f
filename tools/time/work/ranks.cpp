// Starts ranks with the project's launcher, and does the work of a rank.
#include "ranks.h"

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "distributed/distributed.h"
#include "distributed/launch/environment.h"
#include "distributed/launch/supervisor.h"

namespace timing {
namespace {

using nlohmann::json;
namespace dist = td::distributed;

constexpr const char* kRequest = "TD_TIME_REQUEST";  // tells a process that it is a rank

/// Reduces one number over the ranks. NCCL takes tensors of the GPU alone.
double reduced(double x, td::Device device, dist::ReduceOp op) {
  td::Tensor t = td::full({1}, x, td::kDouble).to(device);
  dist::all_reduce(t, op);
  return t.item<double>();
}

json to_json(const Parts& parts) {
  return {{"step", parts.step}, {"compute", parts.compute}, {"copy", parts.copy},
          {"wait", parts.wait}, {"launch", parts.launch},   {"communication", parts.communication}};
}

/// The parts of the rank whose device computes longest.
Parts busiest(const Parts& mine, const Agreement& ranks) {
  const double most = ranks.largest(mine.compute);
  const auto chosen = [&](double part) { return mine.compute == most ? part : 0; };
  const double count = ranks.sum(chosen(1));  // of ranks that compute exactly as long
  const auto of_busiest = [&](double part) { return ranks.sum(chosen(part)) / count; };
  Parts all;
  all.step = of_busiest(mine.step);
  all.compute = of_busiest(mine.compute);
  all.communication = of_busiest(mine.communication);
  all.copy = of_busiest(mine.copy);
  all.launch = of_busiest(mine.launch);
  all.wait = of_busiest(mine.wait);
  return all;
}

}  // namespace

Request parse_request(const std::string& line) {
  std::istringstream words(line);
  Request r;
  std::string more;
  words >> r.verb >> r.name;
  const bool whole = r.verb == "run" ? static_cast<bool>(words >> r.seconds) : r.verb == "explain";
  TD_CHECK(td::Error, whole && !r.name.empty() && r.seconds >= 0 && !(words >> more), "\"", line,
           "\" is no request; expected list, run NAME SECONDS, explain NAME or quit");
  return r;
}

json answer(const Request& request, const Case& c, Job& job, double checked_value,
            const Agreement& ranks) {
  json answer{{"name", c.name}};
  if (request.verb == "explain") {
    answer.update(to_json(busiest(explain_job(job, td::device_type_name(c.device), ranks), ranks)));
  } else {
    const Measurement m = measure(job, request.seconds, ranks);
    answer.update({{"steps", m.steps},
                   {"seconds_per_step", m.seconds_per_step},
                   {"with_transfers", m.with_transfers},
                   {"cpu_seconds_per_step", m.cpu_seconds_per_step},
                   {"loss", checked_value}});
  }
  const double last = job.value();  // a wrong result has no valid time
  TD_CHECK(td::Error, std::isfinite(last), "the loss is ", last, " after the last step");
  return answer;
}

json ask_ranks(const Request& request, const Case& c) {
  std::ostringstream output, errors, line;
  line << request.verb << ' ' << request.name;
  if (request.verb == "run") line << ' ' << request.seconds;
  dist::LaunchConfig launch;  // ranks cannot read our standard input: the request is a variable
  launch.name = "course-time";
  // The program that runs now, even if a build has replaced its file since it started.
  launch.words = {"/proc/" + std::to_string(getpid()) + "/exe", "--worker"};
  launch.nprocs = c.devices;
  launch.environment = {{kRequest, line.str()}};
  launch.prefix = false;
  launch.output = &output;
  launch.errors = &errors;
  const dist::LaunchResult result = dist::supervise(launch);
  if (result.stopped_by != 0) std::raise(result.stopped_by);  // it was meant for the worker, too
  const std::string said = errors.str().substr(0, errors.str().find('\n'));
  TD_CHECK(td::Error, result.failure.empty(), result.failure, said.empty() ? "" : ": ", said);
  if (!errors.str().empty()) std::cerr << errors.str();
  return json::parse(output.str());
}

bool is_rank() { return std::getenv(kRequest) != nullptr; }

int be_a_rank(std::ostream& out) try {
  const Request request = parse_request(dist::variable(kRequest));
  const Case c = parse_case(request.name);
  set_threads(c);
  dist::init_process_group(c.device == td::kCUDA ? "nccl" : "gloo");
  const Rank rank{dist::get_rank(), dist::get_world_size()};
  const td::Device here =
      c.device == td::kCUDA ? td::Device(td::kCUDA, rank.rank) : td::Device(td::kCPU);
  Agreement ranks;
  ranks.largest = [=](double x) { return reduced(x, here, dist::ReduceOp::MAX); };
  ranks.sum = [=](double x) { return reduced(x, here, dist::ReduceOp::SUM); };
  {
    const auto job = make_job(c, rank);
    // Ranks have equal shares of the batch, so the mean of their losses is that of the whole.
    const double mean = ranks.sum(job->checked_value()) / rank.ranks;
    const json line = answer(request, c, *job, mean, ranks);
    if (rank.rank == 0) out << line << std::endl;
  }
  dist::destroy_process_group();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << std::endl;
  return 1;
}

}  // namespace timing
