// Trains a task of chapter 10 on the replicas of a client. Included by the programs train and loop.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "tasks.h"
#include "trace/trace.h"

using td::xla::Client;
using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The name of the calling thread in the picture. Does nothing for the main thread, whose name is
// that of the process.
inline void name_thread(const std::string& name) {
  if (getpid() != gettid()) pthread_setname_np(pthread_self(), name.c_str());
}

// One training of a task on the replicas of a client.
struct Training {
  const Client& client;
  const Task& task;
  std::size_t replicas, steps;
  std::vector<std::int64_t> ends;  // of the batches of an epoch, in rows of one replica
  std::map<std::int64_t, Executable> programs = {};  // by rows per replica
  std::atomic<std::size_t> copied = 0;               // bytes of batches
  bool donated = false;
  bool record = false;  // the steps from the third one on, when the program is compiled
  int started = 0, compiled = 0;
  double compile_seconds = 0;

  // Returns the batch number n: the rows of one replica for one step.
  TensorList read(std::size_t n) {
    if (n / replicas >= steps) return {};
    name_thread("loader");
    const td::trace::Span span("read");
    const std::size_t at = n % ends.size();
    const std::int64_t begin = at ? ends[at - 1] : 0;
    const TensorList batch = {task.x.narrow(0, begin, ends[at] - begin),
                              task.y.narrow(0, begin, ends[at] - begin)};
    for (const td::Tensor& tensor : batch) copied += tensor.nbytes();
    return batch;
  }

  Executable compile(std::int64_t rows) {
    const auto start = Clock::now();
    td::xla::CompileOptions options;
    options.replicas = static_cast<int>(replicas);
    const Executable step = client.compile(step_text(task, rows, replicas), options);
    const double seconds = seconds_since(start);
    ++compiled;
    compile_seconds += seconds;
    std::cout << "compiled a step for " << rows << " rows per replica in " << std::fixed
              << std::setprecision(2) << seconds << " s\n";
    return step;
  }

  // Compiles the step if its number of rows is new, then runs it.
  td::xla::Run start(const std::vector<std::vector<Buffer>>& arguments) {
    const std::int64_t rows = arguments[0][task.weights.size()].sizes()[0];
    auto step = programs.find(rows);
    if (step == programs.end()) step = programs.emplace(rows, compile(rows)).first;
    if (++started == 3 && record) td::trace::start();
    const td::trace::Span span("step");
    td::xla::Run run = step->second.start(arguments);
    run.wait();
    donated = arguments[0][0].is_deleted();
    return run;
  }

  void print_loss(std::size_t n, const Buffer& loss) const {
    const std::size_t per_epoch = ends.size() / replicas;
    if (n % per_epoch == per_epoch - 1)
      std::cout << "Epoch " << n / per_epoch + 1 << ", Loss: " << std::defaultfloat
                << std::setprecision(4) << loss.to_host().item<float>() << std::endl;
  }

  // Prints what the training did, and compares its weights with those of td's own training.
  void report(const TensorList& ours, double seconds) const {
    const std::size_t per_epoch = ends.size() / replicas;
    std::cout << "programs compiled: " << compiled << '\n'
              << steps << " steps per replica, " << std::fixed << std::setprecision(3)
              << (seconds - compile_seconds) * 1e3 /
                     static_cast<double>(std::max<std::size_t>(1, steps))
              << " ms per step without the compilation\n"
              << "copied " << copied << " bytes of batches to the devices\n"
              << "the weights were donated: " << (donated ? "yes" : "no") << '\n';
    std::vector<std::int64_t> cpu_ends;  // a step of td takes the rows of all replicas
    for (std::size_t i = replicas; i <= ends.size(); i += replicas) cpu_ends.push_back(ends[i - 1]);
    const std::size_t epochs = per_epoch ? steps / per_epoch : 0;
    const TensorList expected = train_on_cpu(task, cpu_ends, static_cast<std::int64_t>(epochs));
    double difference = 0;
    for (int w = 0; w < 2; ++w)
      difference = std::max(difference, (ours[w] - expected[w]).abs().max().item<double>());
    std::cout << "bias " << std::setprecision(5) << ours[1].view({-1})[0].item<float>() << '\n'
              << "largest difference from td's own training on the cpu: " << std::scientific
              << std::setprecision(1) << difference << '\n';
  }
};

// Returns where the batches of one replica end. A smaller last batch is dropped or kept.
inline std::vector<std::int64_t> batch_ends(std::int64_t rows, std::size_t replicas,
                                            bool keep_last) {
  std::vector<std::int64_t> ends;
  for (std::int64_t end = rows; end <= kRows; end += rows) ends.push_back(end);
  if (keep_last && kRows % rows != 0) ends.push_back(kRows);
  ends.resize(ends.size() / replicas * replicas);  // complete groups only, as in the loader
  return ends;
}

// Returns the rows of one replica. @throws OptionError unless the replicas divide the batch.
inline std::int64_t rows_of(const app::Options& options, std::int64_t replicas) {
  TD_CHECK(app::OptionError, options.batch_size % replicas == 0, "--replicas ", replicas,
           " does not divide the batch of ", options.batch_size,
           "; every replica takes the same number of rows");
  TD_CHECK(app::OptionError, options.batch_size <= kRows, "--batch-size ", options.batch_size,
           " is more than the ", kRows, " rows there are");
  return options.batch_size / replicas;
}
