// The transport between threads of one process: each publishes its pointer and waits for the
// others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "distributed/collective.h"
#include "distributed/transport/peer_memory_transport.h"

namespace td::distributed {

/// What the threads of one group share. Every wait ends by itself: when all have come, when one has
/// left or failed, or after the timeout.
class ThreadExchange {
 public:
  ThreadExchange(int size, std::chrono::milliseconds timeout);

  /// Blocks until all ranks have come with the same key; then pointers() holds theirs.
  void exchange_fingerprints(int rank, const CollectiveFingerprint& key, void* mine);
  /// Waits until all ranks have come here again.
  void depart();
  const std::vector<void*>& pointers() const { return pointers_; }

  /// Hands `data` from one rank to another one, which copies it.
  ///@{
  void send(int rank, const CollectiveFingerprint& key, const void* data);
  void receive(int rank, const CollectiveFingerprint& key, void* data);
  ///@}

  /// A rank has left. The ranks that wait for it get an error.
  void leave(int rank);
  /// Ends all waiting with this text; the first one stays.
  void fail(const std::string& why);

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct PendingSend {
    CollectiveFingerprint key;
    const void* data;
    bool taken = false;
  };
  using Address = std::tuple<int, int, int>;  // from, to, tag

  template <class Condition>
  void wait(Lock& lock, const std::string& for_what, Condition&& condition);
  void fail_here(const std::string& why);
  std::string who_is_missing(const CollectiveFingerprint& key) const;

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

}  // namespace td::distributed
