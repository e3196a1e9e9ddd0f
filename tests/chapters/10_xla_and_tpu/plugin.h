// What the tests of chapter 10 share: the plugin, and programs around a learner's lines.
#pragma once

#include <cstdlib>
#include <map>

#include "check_tensors.h"
#include "exercises.h"
#include "programs.h"

/// Returns a client of the plugin with so many devices, or skips and says what is missing. The
/// clients live as long as the process: making one takes longer than most tests.
inline const td::xla::Client& client_with(int devices) {
  const char* const named = std::getenv("PJRT_PLUGIN");
  if (!named || !*named)
    check::skip("XLA's plugin is not here; ./course check 10 fetches it where there is a network");
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", 0);  // as in main.cpp: its log says nothing about an exercise
  static const td::xla::Plugin plugin = td::xla::Plugin::load(named);
  static std::map<int, td::xla::Client>& clients = *new std::map<int, td::xla::Client>;
  return clients.try_emplace(devices, plugin, devices).first->second;
}

/// Compiles a learner's text; XLA's own message is the verdict when it rejects the text.
inline Executable compile(const td::xla::Client& client, const std::string& program,
                          int replicas = 1) {
  td::xla::CompileOptions options;
  options.replicas = replicas;
  try {
    return client.compile(program, options);
  } catch (const td::xla::XlaError& error) {
    check::expect(false, std::string("XLA rejects the text: ") + error.what());
    throw;
  }
}

/// Returns the step that adds its batch to the one weight, which is donated: a weight of two
/// elements, a batch of two elements; the results are the new weight w + x and the loss w + 2x.
/// @param devices of the client; 0: as many as replicas.
inline const Executable& add_step(int replicas, int devices = 0) {
  using Key = std::pair<int, int>;
  static std::map<Key, Executable>& steps = *new std::map<Key, Executable>;
  if (devices == 0) devices = replicas;
  const auto found = steps.find({replicas, devices});
  if (found != steps.end()) return found->second;
  const std::string text = fill(R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<2xf32>)
      -> (tensor<2xf32>, tensor<2xf32>) {
    %sum = stablehlo.add %w, %x : tensor<2xf32>
    %loss = stablehlo.add %sum, %x : tensor<2xf32>
    return %sum, %loss : tensor<2xf32>, tensor<2xf32>
  }
}
)",
                                {{"R", std::to_string(replicas)}});
  return steps.emplace(Key(replicas, devices), compile(client_with(devices), text, replicas))
      .first->second;
}

/// Returns how many threads a stub or a wrong answer left running: they have called enter() and
/// have not ended. Invariant: used by callbacks that run on threads of the answer.
class ThreadCount {
 public:
  void enter() {
    static thread_local Leaver leaver;
    if (leaver.count) return;
    ++*alive_;
    leaver.count = alive_;
  }
  int alive() const { return *alive_; }

 private:
  struct Leaver {
    std::shared_ptr<std::atomic<int>> count;
    ~Leaver() {
      if (count) --*count;
    }
  };
  std::shared_ptr<std::atomic<int>> alive_ = std::make_shared<std::atomic<int>>(0);
};
