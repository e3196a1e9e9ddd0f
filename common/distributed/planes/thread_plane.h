// The plane between threads of one process: each publishes its pointer and waits for the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "distributed/planes/peer_plane.h"
#include "distributed/work.h"

namespace td::distributed {

/// Where the threads of one group meet. Every wait ends by itself: when all have come, when one has
/// left or failed, or after the timeout.
class MeetingPlace {
 public:
  MeetingPlace(int size, std::chrono::milliseconds timeout);

  /// Waits until all ranks have come with the same key; then pointers() holds theirs.
  void meet(int rank, const CollectiveKey& key, void* mine);
  /// Waits until all ranks have come here again.
  void part();
  const std::vector<void*>& pointers() const { return pointers_; }

  /// Hands `data` from one rank to another one, which copies it.
  ///@{
  void send(int rank, const CollectiveKey& key, const void* data);
  void receive(int rank, const CollectiveKey& key, void* data);
  ///@}

  /// A rank comes no more. Those who wait for it are told so.
  void leave(int rank);
  /// Ends all waiting with this text; the first one stays.
  void fail(const std::string& why);

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Parcel {
    CollectiveKey key;
    const void* data;
    bool taken = false;
  };
  using Address = std::tuple<int, int, int>;  // from, to, tag

  template <class Condition>
  void wait(Lock& lock, const std::string& for_what, Condition&& condition);
  void fail_here(const std::string& why);
  std::string who_is_missing(const CollectiveKey& key) const;

  const int size_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CollectiveKey> keys_;  // what each rank came with
  std::vector<void*> pointers_;
  std::vector<bool> here_, left_;
  int arrived_ = 0;
  int inside_ = 0;                // have met and not parted
  std::uint64_t generation_ = 0;  // meetings that were completed
  std::map<Address, Parcel*> parcels_;
  std::string failure_;
};

/// One thread's view of a MeetingPlace.
class ThreadPlane final : public PeerPlane {
 public:
  ThreadPlane(int rank, int size, std::shared_ptr<MeetingPlace> place)
      : PeerPlane(rank, size), place_(std::move(place)) {}
  ~ThreadPlane() override { place_->leave(rank_); }
  const char* name() const override { return "threads"; }
  void send(const CollectiveKey& key, const void* data) override { place_->send(rank_, key, data); }
  void receive(const CollectiveKey& key, void* data) override { place_->receive(rank_, key, data); }
  void abort(const std::string& why) override { place_->fail(why); }

 protected:
  void show(const CollectiveKey& key, void* mine, std::int64_t numel, Access,
            const Use& use) override {
    place_->meet(rank_, key, mine);
    use({place_->pointers(), 0, numel});
    place_->part();
  }

 private:
  std::shared_ptr<MeetingPlace> place_;
};

}  // namespace td::distributed
