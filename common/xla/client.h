// Devices of XLA and their buffers. `xla:0` is no td::Device: operations of td do not run there.
// Only complete programs run, compiled once (executable.h). torch_xla hides compilation behind lazy
// evaluation; here it is explicit.
#pragma once

#include <memory>

#include "td/tensor/tensor.h"
#include "xla/plugin.h"

namespace td::xla {

namespace detail {
struct ClientState;
struct BufferState;
}  // namespace detail

/// One device of a client.
struct XlaDevice {
  int id;            ///< XLA's number
  std::string kind;  ///< "cpu", "NVIDIA H200", "TPU v4"
  std::string text;  ///< the plugin's description
};

/// A tensor on an XLA device. A handle like Tensor: copies refer to the same buffer.
class Buffer {
 public:
  Buffer() = default;
  /// False for one that was made without a value.
  bool defined() const { return static_cast<bool>(state_); }
  /// True after the buffer was donated to a program; it can no longer be read.
  bool is_deleted() const;
  /// @throws DtypeError for a type that td does not have.
  ///@{
  Sizes sizes() const;
  ScalarType dtype() const;
  ///@}
  /// Returns the values as a cpu tensor. Blocks until they are computed. @throws XlaError
  Tensor to_host() const;
  /// Returns a copy on the client's device number `device`. @throws DeviceError when there is none.
  Buffer to_device(std::size_t device) const;

 private:
  friend class Client;
  friend class Executable;
  explicit Buffer(std::shared_ptr<detail::BufferState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::BufferState> state_;
};

class Executable;
struct CompileOptions;

/// The devices of one plugin. A handle: copies refer to the same client; its buffers keep it alive.
class Client {
 public:
  /// @param device_count the number of devices of XLA's CPU plugin; other plugins have the devices
  /// of the hardware and reject the option.
  explicit Client(const Plugin& plugin, optional<int> device_count = nullopt);

  /// "cpu", "cuda", "tpu"; and XLA's version.
  ///@{
  std::string platform() const;
  std::string platform_version() const;
  ///@}
  /// Returns the devices; other functions take indices into this list.
  const std::vector<XlaDevice>& devices() const;
  /// Copies a cpu tensor to device number `device`. The tensor may be modified when this returns.
  /// @throws DeviceError for a tensor that is not on the cpu and for a device there is not.
  Buffer to_device(const Tensor& tensor, std::size_t device = 0) const;
  /// Compiles a program written in StableHLO. Takes tenths of seconds: do it once.
  /// @throws XlaError with XLA's message for a malformed program.
  Executable compile(const std::string& program, const CompileOptions& options) const;
  /// The same with encoded options for `replicas`, as CompileOptions::encode() returns them. XLA
  /// terminates the process when they specify 0 replicas.
  /// @throws Error for empty options, which specify 0 replicas.
  Executable compile(const std::string& program, const std::string& encoded_options,
                     int replicas) const;

 private:
  std::shared_ptr<detail::ClientState> state_;
};

}  // namespace td::xla
