// The table of devices and of the communicators that occupy them.
#include "doubles/nccl_turn.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "doubles/nccl_communicator.h"

namespace cuda_stand_in {
namespace {

using Clock = std::chrono::steady_clock;

struct Turn {
  const ncclComm* comm = nullptr;
  std::string operation;
  std::map<const ncclComm*, Clock::time_point> waiting;  ///< and since when
};

struct Turns {
  std::mutex mutex;
  std::map<int, Turn> of_device;
};

Turns& turns() {
  static auto* const all = new Turns;  // streams may still run while the process ends
  return *all;
}

/// How long an operation waits; none without the setting.
std::optional<std::chrono::milliseconds> limit() {
  const std::string name = "one_at_a_time", ten_seconds = "10000";
  const char* const setting = std::getenv("TD_STAND_IN_NCCL");
  if (!setting || std::string(setting).find(name) != 0) return std::nullopt;
  const std::string rest = std::string(setting).substr(name.size());
  return std::chrono::milliseconds(std::stol(rest.empty() ? ten_seconds : rest.substr(1)));
}

}  // namespace

bool take_turn(const ncclComm& comm, const std::string& operation) {
  static const auto longest = limit();
  if (!longest) return true;
  std::unique_lock lock(turns().mutex);
  Turn& turn = turns().of_device[comm.device];
  if (!turn.comm || turn.comm == &comm) {
    turn.comm = &comm;
    turn.operation = operation;
    turn.waiting.erase(&comm);
    return true;
  }
  const auto since = turn.waiting.try_emplace(&comm, Clock::now()).first->second;
  if (Clock::now() - since < *longest) return false;
  turn.waiting[&comm] = Clock::now();
  const std::string holder = turn.operation;
  lock.unlock();
  refuse(operation, "rank " + std::to_string(comm.rank) +
                        " waits on cuda:" + std::to_string(comm.device) + " for " + holder +
                        " of another communicator, which does not end: the ranks begin the "
                        "operations of their communicators in different orders");
  return false;
}

void end_turn(const ncclComm& comm) {
  const std::lock_guard lock(turns().mutex);
  Turn& turn = turns().of_device[comm.device];
  turn.waiting.erase(&comm);
  if (turn.comm == &comm) turn.comm = nullptr;
}

}  // namespace cuda_stand_in
