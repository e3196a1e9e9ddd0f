// Devices of XLA and what lies on them. `xla:0` is no td::Device: no operation of td runs there.
// What runs is a whole program, compiled once (executable.h). torch_xla hides that behind lazy
// tensors; here it is plain.
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
  int id;            ///< as XLA numbers it
  std::string kind;  ///< "cpu", "NVIDIA H200", "TPU v4"
  std::string text;  ///< how the plugin describes it
};

/// A tensor on an XLA device. A handle as Tensor is: copies are the same buffer.
class Buffer {
 public:
  Buffer() = default;
  /// False for one that was made without a value.
  bool defined() const { return static_cast<bool>(state_); }
  /// True once a program was given this buffer for good (donation); it cannot be read any more.
  bool is_deleted() const;
  /// What it holds. @throws DtypeError for a type that td does not have.
  ///@{
  Sizes sizes() const;
  ScalarType dtype() const;
  ///@}
  /// The values, as a cpu tensor. Waits for the program that makes them. @throws XlaError
  Tensor to_host() const;
  /// A copy on the client's device number `device`. @throws DeviceError when there is none.
  Buffer to_device(std::size_t device) const;

 private:
  friend class Client;
  friend class Executable;
  explicit Buffer(std::shared_ptr<detail::BufferState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::BufferState> state_;
};

class Executable;
struct CompileOptions;

/// The devices of one plugin. A handle: copies are the same client, and what it made keeps it.
class Client {
 public:
  /// @param device_count how many devices XLA's CPU plugin makes of this machine; other plugins
  /// have what the hardware has and refuse the option.
  explicit Client(const Plugin& plugin, optional<int> device_count = nullopt);

  /// "cpu", "cuda", "tpu"; and XLA's own word on its version.
  ///@{
  std::string platform() const;
  std::string platform_version() const;
  ///@}
  /// Its devices; their places here are the numbers that other functions take.
  const std::vector<XlaDevice>& devices() const;
  /// Copies a cpu tensor to device number `device`. Its memory may be changed when this returns.
  /// @throws DeviceError for a tensor that is not on the cpu and for a device there is not.
  Buffer to_device(const Tensor& tensor, std::size_t device = 0) const;
  /// Compiles a program written in StableHLO. Takes tenths of seconds: do it once.
  /// @throws XlaError with XLA's message when the text is not well formed.
  Executable compile(const std::string& program, const CompileOptions& options) const;
  /// The same with options that are bytes already, as CompileOptions::encode() makes them, for
  /// `replicas`. They are XLA's to read: it ends the process when they ask for 0 replicas.
  /// @throws Error when there are no bytes, which ask for just that.
  Executable compile(const std::string& program, const std::string& encoded_options,
                     int replicas) const;

 private:
  std::shared_ptr<detail::ClientState> state_;
};

}  // namespace td::xla
