// The transport between processes of any hosts: gloo's TCP connections, one between any two ranks.
// The collectives are ours, on gloo's buffers: all_reduce is the one of shared memory, each rank
// reduces one slice of all data and sends it to all ranks, so both transports give equal bits.
// Invariant: a message is tagged with a hash of its call, so that mismatched calls never exchange
// data; they block until the coordination service has found the mismatch.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "distributed/rendezvous/host_info.h"
#include "distributed/transport/transport.h"

namespace gloo {
class Context;
}

namespace td::distributed {

/// What a rank needs to connect to the others.
struct GlooOptions {
  int rank = 0;         ///< of this process
  int size = 1;         ///< number of ranks
  std::string address;  ///< of this rank's network interface: "127.0.0.1"
  Exchange exchange;    ///< between all ranks, for gloo's handshake
  std::chrono::milliseconds connect_timeout{30'000};  ///< for all connections together
  std::chrono::milliseconds timeout{60'000};          ///< for one message of a collective
};

class GlooBuffer;

/// See above.
class GlooTransport final : public Transport {
 public:
  /// Connects to all other ranks, which do the same. @throws DistributedError naming the rank that
  /// did not come or cannot be reached.
  explicit GlooTransport(const GlooOptions& options);
  ~GlooTransport() override;
  const char* name() const override { return "gloo"; }

  void broadcast(const CollectiveFingerprint& key, void* data) override;
  void all_reduce(const CollectiveFingerprint& key, void* data) override;
  void reduce(const CollectiveFingerprint& key, void* data) override;
  void all_gather(const CollectiveFingerprint& key, const void* input, void* output) override;
  void reduce_scatter(const CollectiveFingerprint& key, const void* input, void* output) override;
  void barrier(const CollectiveFingerprint& key) override;
  void send(const CollectiveFingerprint& key, const void* data) override;
  void receive(const CollectiveFingerprint& key, void* data) override;
  void abort(const std::string& why) override;

 private:
  friend class GlooBuffer;
  class ReceiveWindow;
  struct SlicePlan;

  SlicePlan slice_plan(std::int64_t numel, ScalarType dtype) const;
  void gather_all(std::uint64_t tag, const void* mine, std::size_t bytes, void* all);
  void reduce_small(const CollectiveFingerprint& key, void* data);
  void reduce_slice(const CollectiveFingerprint& key, const SlicePlan& plan, const void* data,
                    void* result, GlooBuffer* all);
  void check_alive();

  const GlooOptions options_;
  const int rank_, size_;
  std::shared_ptr<gloo::Context> context_;
  std::vector<char> scratch_;  // what the other ranks send to be reduced here
  std::mutex mutex_;
  std::set<GlooBuffer*> buffers_;  // in use: abort() ends their waits
  std::string failure_;
};

/// A GlooTransport. @throws Error in a build without gloo, with the package to install.
std::shared_ptr<Transport> make_gloo_transport(const GlooOptions& options);

}  // namespace td::distributed
