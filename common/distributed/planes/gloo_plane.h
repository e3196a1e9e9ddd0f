// The plane between processes of any hosts: gloo's TCP connections, one between each two ranks. The
// collectives are ours, on gloo's buffers: all_reduce is the one of shared memory, each rank
// reduces one slice of everybody's data and hands it out, so both planes give equal bits.
// Invariant: what travels is marked with a hash of the call, so that calls which do not fit each
// other never exchange data; they wait until the control plane has seen it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "distributed/planes/host_plane.h"
#include "distributed/rendezvous/store.h"

namespace gloo {
class Context;
}

namespace td::distributed {

/// What a rank needs to connect to the others.
struct GlooOptions {
  int rank = 0;         ///< of this process
  int size = 1;         ///< how many ranks there are
  std::string address;  ///< of this rank's network interface: "127.0.0.1"
  std::string run;      ///< marks this run's notes in the store; equal on all ranks
  std::chrono::milliseconds connect_timeout{30'000};  ///< for all connections together
  std::chrono::milliseconds timeout{60'000};          ///< for one message of a collective
  std::function<void()> check;  ///< throws when waiting has become useless; may be empty
};

class GlooBuffer;

/// See above.
class GlooPlane final : public HostPlane {
 public:
  /// Connects to all other ranks, which do the same. @throws DistributedError naming the rank that
  /// did not come or cannot be reached.
  GlooPlane(const GlooOptions& options, Store& store);
  ~GlooPlane() override;
  const char* name() const override { return "gloo"; }

  void broadcast(const CollectiveKey& key, void* data) override;
  void all_reduce(const CollectiveKey& key, void* data) override;
  void reduce(const CollectiveKey& key, void* data) override;
  void all_gather(const CollectiveKey& key, const void* input, void* output) override;
  void reduce_scatter(const CollectiveKey& key, const void* input, void* output) override;
  void barrier(const CollectiveKey& key) override;
  void send(const CollectiveKey& key, const void* data) override;
  void receive(const CollectiveKey& key, void* data) override;
  void abort(const std::string& why) override;

 private:
  friend class GlooBuffer;
  class Arrivals;
  struct Cut;

  Cut cut(std::int64_t numel, ScalarType dtype) const;
  void exchange_small(const CollectiveKey& key, void* data);
  void send_slices(const Cut& cut, std::uint64_t mark, GlooBuffer& data);
  void reduce_slice(const CollectiveKey& key, const Cut& cut, const void* data, void* result,
                    GlooBuffer* hand_out);
  void check_alive();
  [[noreturn]] void fail_with(const std::string& what);

  const GlooOptions options_;
  const int rank_, size_;
  std::shared_ptr<gloo::Context> context_;
  std::vector<char> scratch_;  // what the other ranks send to be reduced here
  std::mutex mutex_;
  std::set<GlooBuffer*> buffers_;  // in use now: abort() ends their waiting
  std::string failure_;
};

/// A GlooPlane. @throws Error in a build without gloo, saying what to install.
std::shared_ptr<HostPlane> make_gloo_plane(const GlooOptions& options, Store& store);

}  // namespace td::distributed
