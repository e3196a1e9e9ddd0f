// One step of DistributedDataParallel on two ranks of this host, against one rank alone and against
// the same step without communication; all take turns in the same two processes.
//   cmake --build --preset release --target bench_ddp
//   build/release/tools/bench/bench_ddp cifar|mlp|deep [options]
//     --batch N      rows a rank (cifar: 64, mlp: 64, deep: 64)
//     --seconds S    how long to measure (10)
//     --caps A,B,C   bucket sizes in MiB, each a turn of its own (cifar, mlp: 25; deep: 1,4,25)
//     --link A,B     a simulated link instead of the ranks' own: A microseconds and B ns a byte
//     --json         one line for ddp.py instead of the table
// Started by itself it starts the ranks; under a launcher (RANK and so on) it is one of them. Each
// rank has one thread. Prints medians, and half of the spread between quartiles.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "../../chapters/04_training_loop/models.h"
#include "simulated_link.h"
#include "td/distributed/environment.h"
#include "td/distributed/spawn.h"

namespace {

using namespace td;
using namespace td::distributed;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::string work = "mlp";
  std::int64_t batch = 0;
  double seconds = 10;
  std::vector<double> caps;
  bool json = false;
  double link_latency = -1, link_per_byte = 0;  // microseconds, nanoseconds
};

// What is trained, and on what.
struct Work {
  nn::Sequential net{nullptr};
  Tensor x, y;
};

Work make_work(const std::string& name, std::int64_t rows) {
  const Tensor classes = randint(0, 10, {rows}, kLong);
  if (name == "cifar") return {cifar_net(), rand({rows, 3, 32, 32}), classes};
  if (name == "mlp")
    return {nn::Sequential(nn::Linear(784, 512), nn::ReLU(), nn::Linear(512, 512), nn::ReLU(),
                           nn::Linear(512, 10)),
            rand({rows, 784}), classes};
  TD_CHECK(Error, name == "deep", "bench_ddp: there is no work \"", name,
           "\"; expected cifar, mlp or deep");
  nn::Sequential net;
  for (int i = 0; i < 30; ++i) {
    net->push_back(nn::Linear(512, 512));
    net->push_back(nn::ReLU());
  }
  return {net, rand({rows, 512}), {}};
}

// A way to make a step, and how long its steps took.
struct Contender {
  std::string name;
  bool both;  // else rank 0 alone, while the other waits
  std::function<void()> step;
  std::vector<double> milliseconds = {};

  double quantile(double q) {
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[static_cast<std::size_t>(q * static_cast<double>(milliseconds.size() - 1))];
  }
};

// A model with its optimizer, and one step of it through `forward`.
std::function<void()> step_of(const Work& work, std::function<Tensor(const Tensor&)> forward) {
  auto sgd =
      std::make_shared<optim::SGD>(work.net->parameters(), optim::SGDOptions(1e-3).momentum(0.9));
  return [=] {
    sgd->zero_grad();
    const Tensor out = forward(work.x);
    const Tensor loss =
        work.y.defined() ? nn::functional::cross_entropy(out, work.y) : mse_loss(out, work.x);
    loss.backward();
    sgd->step();
  };
}

std::vector<Contender> make_contenders(const Settings& settings,
                                       const std::shared_ptr<ProcessGroup>& group) {
  std::vector<Contender> all;
  // The alone rank has the whole batch of the picture network, as the same work on fewer cores; of
  // the others it has one rank's batch, as the same work without the other rank.
  const std::int64_t whole =
      settings.work == "cifar" ? settings.batch * group->size() : settings.batch;
  const Work one = make_work(settings.work, whole);
  all.push_back({"alone", false, step_of(one, [net = one.net](const Tensor& x) mutable {
                   return net->forward(x);
                 })});
  for (const double cap : settings.caps) {
    const Work work = make_work(settings.work, settings.batch);
    DistributedDataParallel ddp(
        work.net,
        DistributedDataParallelOptions().process_group(group).bucket_cap_mb(cap).first_bucket_mb(
            std::min(cap, 1.0)));
    const auto forward = [ddp](const Tensor& x) mutable { return ddp->forward(x); };
    if (cap == settings.caps.front())
      all.push_back({"no_sync", true, [ddp, step = step_of(work, forward)]() mutable {
                       const auto guard = ddp->no_sync();
                       step();
                     }});
    std::ostringstream name;
    name << "ddp " << cap;
    all.push_back({name.str(), true, step_of(work, forward)});
  }
  return all;
}

void take_turn(Contender& contender, ProcessGroup& group) {
  group.barrier()->wait();
  if (contender.both || group.rank() == 0) {
    contender.step();  // caches get warm again
    for (int i = 0; i < 8; ++i) {
      const auto start = Clock::now();
      contender.step();
      contender.milliseconds.push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
  }
  group.barrier()->wait();
}

void print(std::vector<Contender>& contenders, const Settings& settings, const char* plane) {
  if (settings.json) {
    std::printf("{\"plane\": \"%s\"", plane);
    for (Contender& c : contenders) std::printf(", \"%s\": %.4f", c.name.c_str(), c.quantile(0.5));
    std::printf("}\n");
    return;
  }
  std::printf("%s, %lld rows a rank, plane: %s\n", settings.work.c_str(),
              static_cast<long long>(settings.batch), plane);
  const double alone = contenders[0].quantile(0.5);
  for (Contender& c : contenders)
    std::printf("%-10s %9.3f ms +- %6.3f  %5.2fx\n", c.name.c_str(), c.quantile(0.5),
                (c.quantile(0.75) - c.quantile(0.25)) / 2, alone / c.quantile(0.5));
}

void run(const Settings& settings) {
  auto group = default_group_ptr();
  const char* plane = group->plane();
  if (settings.link_latency >= 0)
    group = std::make_shared<bench::SimulatedLink>(group, settings.link_latency,
                                                   settings.link_per_byte);
  manual_seed(static_cast<std::uint64_t>(group->rank()));
  std::vector<Contender> contenders = make_contenders(settings, group);
  const auto start = Clock::now();
  Tensor more = ones({1});
  while (more.item<float>() > 0) {
    for (Contender& contender : contenders) take_turn(contender, *group);
    const std::chrono::duration<double> passed = Clock::now() - start;
    more.fill_(passed.count() < settings.seconds ? 1.0 : 0.0);
    group->broadcast(more)->wait();
  }
  if (group->rank() == 0) print(contenders, settings, plane);
}

Settings read_settings(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.work = argv[1];
  const auto numbers = [](const char* text) {
    std::vector<double> all;
    std::istringstream list(text);
    for (std::string one; std::getline(list, one, ',');) all.push_back(std::stod(one));
    return all;
  };
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") {
      settings.json = true;
      continue;
    }
    TD_CHECK(Error, ++i < argc, "bench_ddp: ", option, " needs a value");
    const std::vector<double> value = numbers(argv[i]);
    if (option == "--batch")
      settings.batch = static_cast<std::int64_t>(value[0]);
    else if (option == "--seconds")
      settings.seconds = value[0];
    else if (option == "--caps")
      settings.caps = value;
    else if (option == "--link")
      settings.link_latency = value[0], settings.link_per_byte = value[1];
    else
      fail<Error>("bench_ddp: there is no option ", option, "; see the top of ddp.cpp");
  }
  if (!settings.batch) settings.batch = 64;
  if (settings.caps.empty()) {
    if (settings.work == "deep")
      settings.caps = {1, 4, 25};
    else
      settings.caps = {25};
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) try {
  setenv("OMP_NUM_THREADS", "1", 1);  // ours and those of the ranks we start
  const Settings settings = read_settings(argc, argv);
  const auto rank = [&](int) {
    init_process_group("gloo");
    run(settings);
    destroy_process_group();
  };
  if (launched())
    rank(0);
  else
    spawn(rank, 2);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
