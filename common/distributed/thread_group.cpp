// Ranks that are threads: a barrier of a mutex, a condition and a count, at which each publishes
// its pointer; and the groups on top of it.
#include "distributed/thread_group.h"

#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "distributed/distributed.h"
#include "distributed/transport/peer_memory_transport.h"
#include "distributed/transport/process_group_host.h"

namespace td::distributed {
namespace {

/// What the threads of one group share. Every wait ends by itself: when all have come, when one has
/// left or failed, or after the timeout.
class ThreadExchange {
 public:
  ThreadExchange(int size, std::chrono::milliseconds timeout)
      : size_(size), timeout_(timeout), keys_(size), pointers_(size), here_(size), left_(size) {}

  /// Blocks until all ranks have come with the same key; then pointers() holds theirs.
  void exchange_fingerprints(int rank, const CollectiveFingerprint& key, void* mine) {
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

  /// Waits until all ranks have come here again. Without a limit, and also when the group fails
  /// meanwhile: the ranks inside only read and write memory, which must not be freed meanwhile.
  void depart() {
    Lock lock(mutex_);
    if (--inside_ == 0) changed_.notify_all();
    changed_.wait(lock, [&] { return inside_ == 0; });
  }
  const std::vector<void*>& pointers() const { return pointers_; }

  /// Hands `data` from one rank to another one, which copies it.
  ///@{
  void send(int rank, const CollectiveFingerprint& key, const void* data) {
    Lock lock(mutex_);
    const Address address(rank, key.peer, key.tag);
    const std::string call = "rank " + std::to_string(key.peer) + " did not take " + describe(key);
    wait(lock, call, [&] { return !pending_sends_.count(address); });  // an earlier one
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
  void receive(int rank, const CollectiveFingerprint& key, void* data) {
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
  ///@}

  /// A rank has left. The ranks that wait for it get an error.
  void leave(int rank) {
    Lock lock(mutex_);
    left_[rank] = true;
    for (int r = 0; r < size_; ++r)
      if (here_[r]) fail_here(left_while_waiting(rank, r, keys_[r]));
  }
  /// Ends all waiting with this text; the first one stays.
  void fail(const std::string& why) {
    Lock lock(mutex_);
    fail_here(why);
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct PendingSend {
    CollectiveFingerprint key;
    const void* data;
    bool taken = false;
  };
  using Address = std::tuple<int, int, int>;  // from, to, tag

  // Waits for `condition`, a failure or the timeout, which is a failure of the whole group.
  template <class Condition>
  void wait(Lock& lock, const std::string& for_what, Condition&& condition) {
    if (!changed_.wait_for(lock, timeout_, [&] { return !failure_.empty() || condition(); }))
      fail_here(for_what + " within " + in_words(timeout_));
    if (!failure_.empty()) throw DistributedError(failure_);
  }
  void fail_here(const std::string& why) {
    if (failure_.empty()) failure_ = why;
    changed_.notify_all();
  }
  std::string who_is_missing(const CollectiveFingerprint& key) const {
    std::string missing;
    for (int r = 0; r < size_; ++r)
      if (!here_[r]) missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(r);
    return did_not_come(missing, key, timeout_);
  }

  const int size_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CollectiveFingerprint> keys_;  // what each rank came with
  std::vector<void*> pointers_;
  std::vector<bool> here_, left_;
  int arrived_ = 0;
  int inside_ = 0;                // have met and not parted
  std::uint64_t generation_ = 0;  // barriers that were completed
  std::map<Address, PendingSend*> pending_sends_;
  std::string failure_;
};

/// One thread's view of a ThreadExchange.
class ThreadTransport final : public PeerMemoryTransport {
 public:
  ThreadTransport(int rank, int size, std::shared_ptr<ThreadExchange> exchange)
      : PeerMemoryTransport(rank, size), exchange_(std::move(exchange)) {}
  ~ThreadTransport() override { exchange_->leave(rank_); }
  const char* name() const override { return size_ == 1 ? "one rank" : "threads"; }
  void send(const CollectiveFingerprint& key, const void* data) override {
    exchange_->send(rank_, key, data);
  }
  void receive(const CollectiveFingerprint& key, void* data) override {
    exchange_->receive(rank_, key, data);
  }
  void abort(const std::string& why) override { exchange_->fail(why); }

 protected:
  void exchange_buffers(const CollectiveFingerprint& key, void* mine, std::int64_t numel, Access,
                        const Use& use) override {
    exchange_->exchange_fingerprints(rank_, key, mine);
    use({exchange_->pointers(), 0, numel});
    exchange_->depart();
  }

 private:
  std::shared_ptr<ThreadExchange> exchange_;
};

}  // namespace

std::vector<std::shared_ptr<ProcessGroup>> thread_groups(int ranks,
                                                         std::chrono::milliseconds timeout) {
  TD_CHECK(Error, ranks >= 1, "thread_groups: expected at least 1 rank, got ", ranks);
  const auto exchange = std::make_shared<ThreadExchange>(ranks, timeout);
  std::vector<std::shared_ptr<ProcessGroup>> groups;
  for (int r = 0; r < ranks; ++r)
    groups.push_back(std::make_shared<ProcessGroupHost>(
        r, ranks, timeout, std::make_shared<ThreadTransport>(r, ranks, exchange)));
  return groups;
}

void run_as_threads(int ranks, const std::function<void(ProcessGroup&)>& work,
                    std::chrono::milliseconds timeout) {
  auto groups = thread_groups(ranks, timeout);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](int rank) {
    const DefaultGroupGuard guard(groups[rank]);
    try {
      work(*groups[rank]);
    } catch (const std::exception& e) {
      std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      static_cast<ProcessGroupHost&>(*groups[rank])
          .fail("rank " + std::to_string(rank) + " ended with an error: " + e.what());
    }
    groups[rank].reset();  // this rank has left
  };
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) threads.emplace_back(run, r);
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace td::distributed
