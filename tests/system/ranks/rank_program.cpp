// A program of several ranks that can go wrong on demand: rank_program KEY=VALUE... The tests of
// launchers, hosts and faults start it. Invariant: a step's sums are checked against the exact
// integers, so a rank that says "done" has computed what it should.
//
//   url=env: steps=20 numel=65536 timeout=10 silence=10 pause=0   how the ranks meet and work
//   fault=kill rank=1 step=5                           what goes wrong, where and when
//   spawn=2                                            it starts its ranks itself
//   save=FILE                                          rank 0 writes a checkpoint after each step
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <thread>

#include "distributed/ddp/ddp.h"
#include "distributed/distributed.h"
#include "distributed/launch/environment.h"
#include "distributed/launch/spawn.h"
#include "os/file.h"
#include "td/td.h"

namespace {

using namespace td;

std::map<std::string, std::string> options = {
    {"url", "env:"},   {"steps", "20"}, {"numel", "65536"}, {"timeout", "10"},
    {"silence", "10"}, {"pause", "0"},  {"fault", ""},      {"rank", "1"},
    {"step", "5"},     {"save", ""},    {"spawn", "0"}};

int number(const std::string& name) { return std::stoi(options.at(name)); }

/// "at 1700000000.123", for a test that measures across processes.
std::string now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return "at " + std::to_string(std::chrono::duration<double>(since).count());
}

/// Faults that the process makes by itself.
void misbehave(const std::string& fault) {
  std::cout << "fault " << fault << " " << now() << std::endl;
  if (fault == "kill") std::raise(SIGKILL);
  if (fault == "stop") std::raise(SIGSTOP);
  if (fault == "exit") std::_Exit(3);
  if (fault == "throw") throw std::runtime_error("the disk is full");
  if (fault == "sleep") std::this_thread::sleep_for(std::chrono::seconds(60));
}

/// One step: the sum over all ranks of numbers that depend on rank, step and place.
void one_step(int step, int size, std::int64_t numel) {
  const int rank = distributed::get_rank();
  Tensor mine = arange(numel) + static_cast<float>(step * (rank + 1));
  distributed::all_reduce(mine);
  const Tensor expected =
      arange(numel) * static_cast<float>(size) + static_cast<float>(step * size * (size + 1) / 2);
  TD_CHECK(Error, (mine == expected).all().item<bool>(), "step ", step, ": a wrong sum");
}

/// Wraps a model that is another one on the faulty rank.
void wrap_a_model(bool other) {
  nn::Sequential model(nn::Linear(4, other ? 3 : 2));
  distributed::DistributedDataParallel ddp(model);
}

/// A checkpoint whose every byte says which step it is of.
void save(int step) {
  const std::string bytes(std::size_t{1} << 20, static_cast<char>('a' + step % 26));
  write_file(options.at("save"), bytes.data(), bytes.size());
}

void train() {
  const std::string fault = options.at("fault");
  const int me = distributed::read_environment().rank;
  const bool faulty = !fault.empty() && me == number("rank");
  if (faulty && fault == "construct") throw std::runtime_error("no such file: weights.bin");
  if (faulty && fault == "missing") return;
  distributed::InitOptions init;
  init.timeout = std::chrono::seconds(number("timeout"));
  init.heartbeat_timeout = std::chrono::seconds(number("silence"));
  if (faulty && fault == "world") {
    init.rank = me;
    init.world_size = distributed::read_environment().world_size + 1;
  }
  distributed::init_process_group("gloo", options.at("url"), init);
  const int rank = distributed::get_rank(), size = distributed::get_world_size();
  std::cout << "rank " << rank << " of " << size << " on "
            << distributed::default_group().transport() << std::endl;
  if (fault == "model") wrap_a_model(faulty);
  for (int step = 0; step < number("steps"); ++step) {
    std::int64_t numel = number("numel");
    if (faulty && step == number("step")) {
      misbehave(fault);
      if (fault == "leave") return distributed::destroy_process_group();
      if (fault == "order") distributed::barrier();
      if (fault == "size") numel /= 2;
    }
    one_step(step, size, numel);
    if (rank == 0 && !options.at("save").empty()) save(step);
    if (step == 0) std::cout << "working" << std::endl;
    std::this_thread::sleep_for(std::chrono::milliseconds(number("pause")));
  }
  distributed::destroy_process_group();
  std::cout << "done" << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    if (equals == word.npos || options.count(word.substr(0, equals)) == 0) {
      std::cerr << "unknown: " << word << std::endl;
      return 2;
    }
    options[word.substr(0, equals)] = word.substr(equals + 1);
  }
  try {
    const int ranks = number("spawn");
    ranks > 0 ? distributed::spawn([](int) { train(); }, ranks) : train();
  } catch (const std::exception& error) {
    // One line in one write: a test reads it, and other launchers than ours may mix the ranks'.
    std::string text = "failed " + now() + ": " + error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    text += '\n';
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) return 3;
    return 1;
  }
  return 0;
}
