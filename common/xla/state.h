// The state of the handles of client.h and executable.h. Every state keeps the client alive.
#pragma once

#include "xla/client.h"

namespace td::xla::detail {

struct ClientState {
  explicit ClientState(const Plugin& p) : plugin(p) {}
  ClientState(const ClientState&) = delete;
  ClientState& operator=(const ClientState&) = delete;
  ~ClientState() {
    abi::ClientArgs args;
    args.client = client;
    if (client) plugin.call_quietly(abi::Slot::kClientDestroy, args);
  }
  /// @throws DeviceError that lists the devices.
  abi::Device* device(std::size_t number) const;

  const Plugin plugin;
  abi::Client* client = nullptr;
  std::vector<abi::Device*> handles;
  std::vector<XlaDevice> devices;
};

struct BufferState {
  BufferState(std::shared_ptr<ClientState> c, abi::Buffer* b) : client(std::move(c)), buffer(b) {}
  BufferState(const BufferState&) = delete;
  BufferState& operator=(const BufferState&) = delete;
  ~BufferState() {
    abi::BufferArgs args;
    args.buffer = buffer;
    client->plugin.call_quietly(abi::Slot::kBufferDestroy, args);
  }
  const std::shared_ptr<ClientState> client;
  abi::Buffer* const buffer;
};

}  // namespace td::xla::detail
