// Devices of XLA, their buffers, and the programs that run there. `xla:0` is not a td::Device:
// operations of td do not run there. Only complete programs run, compiled once. torch_xla hides
// compilation behind lazy evaluation; here it is explicit.
//
// Handles refer to the same object when they are copied, and keep the client alive. Invariant: a
// run keeps its arguments alive until it is done.
#pragma once

#include <memory>

#include "td/tensor/tensor.h"
#include "xla/plugin.h"

namespace td::xla {

namespace detail {
struct ClientState;
}  // namespace detail

/// One device of a client.
struct XlaDevice {
  int id;            ///< XLA's number
  std::string kind;  ///< "cpu", "NVIDIA H200", "TPU v4"
  std::string text;  ///< the plugin's description
};

/// A tensor on an XLA device. A handle like Tensor.
class Buffer {
 public:
  Buffer() = default;
  /// False for one that was made without a value.
  bool defined() const { return static_cast<bool>(buffer_); }
  /// True after the buffer was donated to a program; it can no longer be read.
  bool is_deleted() const;
  /// Returns the shape.
  Sizes sizes() const;
  /// Returns the type of the elements. @throws DtypeError for a type that td does not have.
  ScalarType dtype() const;
  /// Returns the values as a cpu tensor. Blocks until they are computed. @throws XlaError
  Tensor to_host() const;
  /// Returns a copy on the client's device number `device`. @throws DeviceError when there is none.
  Buffer to_device(std::size_t device) const;

 private:
  friend class Client;
  friend class Executable;
  Buffer(std::shared_ptr<const detail::ClientState> client, abi::Buffer* buffer);
  std::shared_ptr<const detail::ClientState> client_;
  std::shared_ptr<abi::Buffer> buffer_;
};

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
  std::shared_ptr<const detail::ClientState> client_;
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

 private:
  friend class Client;
  Executable() = default;
  std::shared_ptr<const detail::ClientState> client_;
  std::shared_ptr<abi::LoadedExecutable> loaded_;
  std::size_t replicas_ = 0, num_outputs_ = 0;
};

/// The devices of one plugin. A handle.
class Client {
 public:
  /// @param device_count the number of devices of XLA's CPU plugin; other plugins have the devices
  /// of the hardware and reject the option.
  explicit Client(const Plugin& plugin, optional<int> device_count = nullopt);

  /// "cpu", "cuda", "tpu".
  std::string platform() const;
  /// Returns the devices; other functions take indices into this list.
  const std::vector<XlaDevice>& devices() const;
  /// Copies a cpu tensor to device number `device`. The tensor may be modified when this returns.
  /// @throws DeviceError for a tensor that is not on the cpu and for a missing device.
  Buffer to_device(const Tensor& tensor, std::size_t device = 0) const;
  /// Compiles a program written in StableHLO. Takes tenths of seconds: do it once.
  /// @throws XlaError with XLA's message for a malformed program.
  Executable compile(const std::string& program, const CompileOptions& options) const;

 private:
  std::shared_ptr<detail::ClientState> state_;
};

}  // namespace td::xla
