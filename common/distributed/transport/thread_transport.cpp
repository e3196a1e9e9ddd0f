// Barriers of threads: a mutex, a condition and a count.
#include "distributed/transport/thread_transport.h"

#include <cstring>

#include "distributed/collective.h"

namespace td::distributed {

ThreadExchange::ThreadExchange(int size, std::chrono::milliseconds timeout)
    : size_(size),
      timeout_(timeout),
      keys_(size),
      pointers_(size),
      here_(size, false),
      left_(size, false) {}

// Waits for `condition`, a failure or the timeout, which is a failure of the whole group.
template <class Condition>
void ThreadExchange::wait(Lock& lock, const std::string& for_what, Condition&& condition) {
  const bool in_time =
      changed_.wait_for(lock, timeout_, [&] { return !failure_.empty() || condition(); });
  if (!in_time) fail_here(for_what + " within " + in_words(timeout_));
  if (!failure_.empty()) throw DistributedError(failure_);
}

void ThreadExchange::fail_here(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  changed_.notify_all();
}

std::string ThreadExchange::who_is_missing(const CollectiveFingerprint& key) const {
  std::string missing;
  for (int r = 0; r < size_; ++r)
    if (!here_[r]) missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(r);
  return did_not_come(missing, key, timeout_);
}

void ThreadExchange::exchange_fingerprints(int rank, const CollectiveFingerprint& key, void* mine) {
  Lock lock(mutex_);
  if (!failure_.empty()) throw DistributedError(failure_);
  pointers_[rank] = mine;
  keys_[rank] = key;
  here_[rank] = true;
  for (int r = 0; r < size_; ++r)
    if (left_[r]) fail_here(left_while_waiting(r, rank, key));
  const std::uint64_t generation = generation_;
  if (++arrived_ == size_) {
    if (const std::string why = mismatch(keys_); !why.empty()) fail_here(why);
    if (!failure_.empty()) throw DistributedError(failure_);
    arrived_ = 0;
    here_.assign(size_, false);
    inside_ = size_;
    ++generation_;
    changed_.notify_all();
    return;
  }
  const auto all_came = [&] { return generation_ != generation; };
  // Who is missing is known when the waiting ends, not when it begins.
  if (!changed_.wait_for(lock, timeout_, [&] { return !failure_.empty() || all_came(); }))
    fail_here(who_is_missing(key));
  if (!all_came()) throw DistributedError(failure_);
}

// Without a limit, and also when the group fails meanwhile: the ranks inside only read and write
// memory, which must not be freed meanwhile.
void ThreadExchange::depart() {
  Lock lock(mutex_);
  if (--inside_ == 0) changed_.notify_all();
  changed_.wait(lock, [&] { return inside_ == 0; });
}

void ThreadExchange::send(int rank, const CollectiveFingerprint& key, const void* data) {
  Lock lock(mutex_);
  const Address address(rank, key.peer, key.tag);
  const std::string call = "rank " + std::to_string(key.peer) + " did not take " + describe(key);
  wait(lock, call, [&] { return !pending_sends_.count(address); });  // an earlier one with this tag
  PendingSend pending{key, data};
  pending_sends_[address] = &pending;
  changed_.notify_all();
  try {
    wait(lock, call, [&] { return pending.taken; });
  } catch (...) {
    pending_sends_.erase(address);
    throw;
  }
}

void ThreadExchange::receive(int rank, const CollectiveFingerprint& key, void* data) {
  Lock lock(mutex_);
  const Address address(key.peer, rank, key.tag);
  wait(lock, "rank " + std::to_string(key.peer) + " did not send for " + describe(key),
       [&] { return pending_sends_.count(address); });
  PendingSend& pending = *pending_sends_[address];
  if (pending.key.numel != key.numel || pending.key.dtype != key.dtype) {
    fail_here(p2p_mismatch(key.peer, pending.key, rank, key));
    throw DistributedError(failure_);
  }
  if (key.bytes()) std::memcpy(data, pending.data, key.bytes());
  pending.taken = true;
  pending_sends_.erase(address);
  changed_.notify_all();
}

void ThreadExchange::leave(int rank) {
  std::lock_guard lock(mutex_);
  left_[rank] = true;
  for (int r = 0; r < size_; ++r)
    if (here_[r]) fail_here(left_while_waiting(rank, r, keys_[r]));
}

void ThreadExchange::fail(const std::string& why) {
  std::lock_guard lock(mutex_);
  fail_here(why);
}

}  // namespace td::distributed
