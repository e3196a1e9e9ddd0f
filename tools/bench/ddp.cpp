// One step of DistributedDataParallel on two ranks of this host, against one rank alone and against
// the same step without communication; all run interleaved in the same two processes.
//   cmake --build --preset release --target bench_ddp
//   build/release/tools/bench/bench_ddp cifar|mlp|deep [options]
//     --batch N      rows per rank (cifar: 64, mlp: 64, deep: 64)
//     --seconds S    how long to measure (10)
//     --caps A,B,C   bucket sizes in MiB, each with its own runs (cifar, mlp: 25; deep: 1,4,25)
//     --first A,B    sizes in MiB of the bucket that is sent first, each with its own runs (1)
//     --balance      each also through a simulated link that needs as long as backward
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

#include "../../chapters/04_training_loop/models.h"
#include "distributed/launch/environment.h"
#include "distributed/launch/spawn.h"
#include "simulated_link.h"

namespace {

using namespace td;
using namespace td::distributed;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::string work = "mlp";
  std::int64_t batch = 0;
  double seconds = 10;
  std::vector<double> caps, firsts = {1};
  bool balance = false, json = false;
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

// A variant of a step, and the times of its steps.
struct Variant {
  std::string name;
  bool both;  // else rank 0 alone, while the other waits
  std::function<void()> step;
  std::vector<double> wall = {}, processor = {};  // milliseconds
};

double quantile(std::vector<double>& times, double q) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
}

double milliseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Of all threads of this process.
double processor_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

Tensor loss_of(const Work& work, const Tensor& output) {
  return work.y.defined() ? nn::functional::cross_entropy(output, work.y)
                          : mse_loss(output, work.x);
}

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

// All variants of a step, and their interleaved runs.
class Bench {
 public:
  Bench(const Settings& settings, std::shared_ptr<ProcessGroup> group)
      : settings_(settings), group_(std::move(group)) {
    manual_seed(static_cast<std::uint64_t>(group_->rank()));
    if (settings.balance) balance();
    // For the image network the single rank has the whole batch, as the same work on fewer cores.
    // For the others it has one rank's batch, as the same work without the other rank.
    add_alone(settings.work == "cifar" ? settings.batch * group_->size() : settings.batch);
    for (const double cap : settings.caps)
      for (const double first : settings.firsts) {
        add_ddp(cap, first, group_, "ddp ");
        if (link_) add_ddp(cap, first, link_, "link ");
      }
  }

  void run() {
    const auto start = Clock::now();
    Tensor more = ones({1});
    while (more.item<float>() > 0) {
      for (Variant& variant : contenders_) time_round(variant);
      const std::chrono::duration<double> passed = Clock::now() - start;
      more.fill_(passed.count() < settings_.seconds ? 1.0 : 0.0);
      group_->broadcast(more)->wait();
    }
    if (group_->rank()) return;
    if (settings_.json)
      print_json();
    else
      print_table();
  }

 private:
  // A link that needs as long for all gradients as the backward pass.
  void balance() {
    Work work = make_work(settings_.work, settings_.batch);
    std::vector<double> times;
    for (int i = 0; i < 10; ++i) {
      const Tensor loss = loss_of(work, work.net->forward(work.x));
      times.push_back(milliseconds([&] { loss.backward(); }));
    }
    std::sort(times.begin(), times.end());
    Tensor median = full({1}, times[times.size() / 2]);
    group_->broadcast(median)->wait();
    backward_ = median.item<double>();
    double bytes = 0;
    for (const Tensor& p : work.net->parameters()) bytes += 4.0 * static_cast<double>(p.numel());
    link_ = std::make_shared<bench::SimulatedLink>(group_, 1e6 * backward_ / bytes);
  }

  void add_alone(std::int64_t rows) {
    const Work work = make_work(settings_.work, rows);
    const auto forward = [net = work.net](const Tensor& x) mutable { return net->forward(x); };
    contenders_.push_back({"alone", false, step_of(work, forward)});
  }

  void add_ddp(double cap, double first, const std::shared_ptr<ProcessGroup>& group,
               const char* title) {
    const Work work = make_work(settings_.work, settings_.batch);
    DistributedDataParallel ddp(
        work.net,
        DistributedDataParallelOptions().process_group(group).bucket_cap_mb(cap).first_bucket_mb(
            std::min(cap, first)));
    const auto forward = [ddp](const Tensor& x) mutable { return ddp->forward(x); };
    const auto step = step_of(work, forward);
    if (contenders_.size() == 1)
      contenders_.push_back({"no_sync", true, [ddp, step]() mutable {
                               const auto guard = ddp->no_sync();
                               step();
                             }});
    std::ostringstream name;
    name << title << cap;
    if (settings_.firsts.size() > 1) name << " first " << first;
    contenders_.push_back({name.str(), true, step});
  }

  void time_round(Variant& variant) {
    group_->barrier()->wait();
    if (variant.both || group_->rank() == 0) {
      variant.step();  // caches get warm again
      for (int i = 0; i < 8; ++i) {
        const double before = processor_milliseconds();
        variant.wall.push_back(milliseconds(variant.step));
        variant.processor.push_back(processor_milliseconds() - before);
      }
    }
    group_->barrier()->wait();
  }

  void print_json() {
    std::printf("{\"transport\": \"%s\", \"backward\": %.4f", group_->transport(), backward_);
    for (Variant& c : contenders_)
      std::printf(", \"%s\": %.4f", c.name.c_str(), quantile(c.wall, 0.5));
    std::printf("}\n");
  }

  void print_table() {
    std::printf("%s, %lld rows a rank, transport: %s\n", settings_.work.c_str(),
                static_cast<long long>(settings_.batch), group_->transport());
    if (settings_.balance) std::printf("a backward, or the link's work: %.3f ms\n", backward_);
    std::printf("%-15s %12s %11s %9s %12s\n", "", "ms a step", "+-", "speed-up", "processor ms");
    const double alone = quantile(contenders_[0].wall, 0.5);
    for (Variant& c : contenders_)
      std::printf("%-15s %12.3f %11.3f %8.2fx %12.3f\n", c.name.c_str(), quantile(c.wall, 0.5),
                  (quantile(c.wall, 0.75) - quantile(c.wall, 0.25)) / 2,
                  alone / quantile(c.wall, 0.5), quantile(c.processor, 0.5));
  }

  const Settings& settings_;
  std::shared_ptr<ProcessGroup> group_, link_;
  std::vector<Variant> contenders_;
  double backward_ = 0;  // milliseconds
};

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
    if (option == "--json" || option == "--balance") {
      (option == "--json" ? settings.json : settings.balance) = true;
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
    else if (option == "--first")
      settings.firsts = value;
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
  setenv("OMP_NUM_THREADS", "1", 1);  // of this process and of the ranks that it starts
  const Settings settings = read_settings(argc, argv);
  const auto rank = [&](int) {
    init_process_group("gloo");
    Bench(settings, default_group_ptr()).run();
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
