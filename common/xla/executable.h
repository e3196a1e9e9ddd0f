// A compiled program and its runs. Invariant: a run keeps its arguments alive until it is done.
#pragma once

#include "xla/client.h"

namespace td::xla {

/// How often a program runs concurrently.
struct CompileOptions {
  int replicas = 1;    ///< each on its own device, with the same program and its own arguments
  int partitions = 1;  ///< parts of one program on several devices; XLA splits it
  /// Returns the bytes for the interface: a CompileOptionsProto in protobuf's wire format with
  /// executable_build_options (field 3) { num_replicas (4), num_partitions (5) }. They must not be
  /// empty: XLA terminates the process for 0 replicas. @throws Error below 1.
  std::string encode() const;
};

/// One asynchronous call of an executable and its results.
class Run {
 public:
  Run(Run&&) noexcept = default;
  Run& operator=(Run&&) = delete;
  /// Blocks until the run is done, and drops its error.
  ~Run();
  /// Results of replica number `replica`. They can be arguments of the next run immediately.
  const std::vector<Buffer>& outputs(std::size_t replica = 0) const { return outputs_.at(replica); }
  /// Blocks until all replicas are done. @throws XlaError of the first one that failed.
  void wait();

 private:
  friend class Executable;
  Run() = default;
  std::shared_ptr<detail::ClientState> client_;
  std::vector<std::vector<Buffer>> arguments_, outputs_;
  std::vector<abi::Event*> done_;
};

/// A compiled program; Client::compile makes it. A handle.
class Executable {
 public:
  /// Starts the program on its devices: replica r on device r.
  /// @param arguments [replica][argument].
  /// @throws Error unless there is one list for each replica. @throws XlaError
  Run start(const std::vector<std::vector<Buffer>>& arguments) const;
  /// The same for one replica, with its results.
  std::vector<Buffer> run(const std::vector<Buffer>& arguments) const;
  /// Returns the number of results per replica.
  std::size_t num_outputs() const;

 private:
  friend class Client;
  struct State;
  explicit Executable(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace td::xla
