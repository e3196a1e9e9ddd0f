// Trains a task of chapter 10 on the replicas of a client. Included by main.cpp.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iomanip>
#include <iostream>

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
  Programs programs = {};
  std::atomic<std::size_t> copied = 0;  // bytes of batches
  bool donated = false;
  bool record = false;  // the steps from the third one on, when the program is compiled
  int started = 0, compiled = 0;
  double compile_seconds = 0;

  // anchor: read
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
  // anchor end

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

  // anchor: start
  // What happens at mark_step: compile the step if its sizes are new, then run it.
  td::xla::Run start(const std::vector<std::vector<Buffer>>& arguments) {
    const std::int64_t rows = arguments[0][task.weights.size()].sizes()[0];
    const std::function<Executable()> make = [&] { return compile(rows); };
    const Executable& step = program_for(programs, arguments[0], make);
    if (++started == 3 && record) td::trace::start();
    const td::trace::Span span("step");
    td::xla::Run run = step.start(arguments);
    run.wait();
    donated = arguments[0][0].is_deleted();
    return run;
  }
  // anchor end

  void print_loss(std::size_t n, const Buffer& loss) const {
    const std::size_t per_epoch = ends.size() / replicas;
    if (n % per_epoch == per_epoch - 1)
      std::cout << "Epoch " << n / per_epoch + 1 << ", Loss: " << std::defaultfloat
                << std::setprecision(4) << loss.to_host().item<float>() << std::endl;
  }

  // anchor: spawn
  // One thread per replica and one that loads: torch_xla's xmp.spawn with a ParallelLoader.
  TensorList train_spawned() {
    ParallelLoader loader(
        client, replicas, [this](std::size_t n) { return read(n); }, 2);
    StepGroup group(replicas, [this](const auto& arguments) { return start(arguments); });
    const NextBatch next = [&](std::size_t replica) {
      name_thread("replica " + std::to_string(replica));
      const td::trace::Span span("next batch");
      return loader.next(replica);
    };
    return spawn(client, group, task.weights, next,
                 [this](std::size_t n, const Buffer& loss) { print_loss(n, loss); })[0];
  }
  // anchor end

  // The same on one thread.
  TensorList train_in_a_loop() {
    std::vector<std::vector<Buffer>> weights(replicas);
    for (std::size_t r = 0; r < replicas; ++r)
      for (const td::Tensor& weight : task.weights)
        weights[r].push_back(client.to_device(weight, r));
    const Upload upload = [this](std::size_t n, std::size_t r) {
      std::vector<Buffer> batch;
      for (const td::Tensor& tensor : read(n * replicas + r))
        batch.push_back(client.to_device(tensor, r));
      return batch;
    };
    const Buffer first = weights[0][0];
    const Executable step = compile(ends[0]);
    weights = train(step, weights, steps, upload,
                    [this](std::size_t n, const Buffer& loss) { print_loss(n, loss); });
    donated = first.is_deleted();
    return {weights[0][0].to_host(), weights[0][1].to_host()};
  }
};
