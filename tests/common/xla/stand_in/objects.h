// What the stand-in plugin returns: the objects that abi.h only points to, and how a function is
// put into the table. Included by plugin.cpp alone. Invariant: make() counts every object,
// destroy() counts it off.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "xla/abi.h"

// What abi.h only points to, given content here.
namespace td::xla::abi {
struct Error {
  int code;
  std::string text;
};
struct Event {
  Error* error;  // carried, or null
};
struct DeviceDescription {
  int id;
  std::string text;
};
struct Device {
  DeviceDescription description;
};
struct Client {
  std::vector<Device> devices;
  std::vector<Device*> pointers;
};
struct Buffer {
  Type type;
  std::vector<std::int64_t> dims;
  std::string bytes;
  Device* device;
  bool deleted = false;
};
struct Executable {};
struct LoadedExecutable {
  Client* client;
  std::string program;
  std::size_t replicas;
};
}  // namespace td::xla::abi

using namespace td::xla::abi;

namespace {

long live = 0, awaited = 0;

template <class T, class... Args>
T* make(Args&&... args) {
  ++live;
  return new T{std::forward<Args>(args)...};
}
template <class T>
Error* destroy(T* object) {
  if (object) --live;
  delete object;
  return nullptr;
}

constexpr int kInvalidArgument = 3, kUnimplemented = 12;
Error* error(int code, const std::string& text) { return make<Error>(code, text); }

// Every struct must be as large as the plugin knows it.
template <class Args>
Error* too_small(const Args* args) {
  if (args->head.struct_size >= sizeof(Args)) return nullptr;
  return error(kInvalidArgument, "Unexpected struct size: expected " +
                                     std::to_string(sizeof(Args)) + ", got " +
                                     std::to_string(args->head.struct_size));
}

// Makes a table entry of a function on one struct.
template <class Args, Error* (*function)(Args*)>
Error* entry(void* untyped) {
  const auto args = static_cast<Args*>(untyped);
  if (Error* refused = too_small(args)) return refused;
  return function(args);
}

}  // namespace
