// The part of the PJRT C API that this client calls, declared by hand: 29 of some 140 functions.
// PJRT is the plugin interface through which PyTorch/XLA and JAX reach TPUs and GPUs; its own
// header is openxla/xla's xla/pjrt/c/pjrt_c_api.h. Declaring the part we use lets the course build
// where that header is not; tests/system/pjrt_abi.cpp compares every line with it where it is.
//
// Invariant of the interface: structs and the function table only ever grow at their ends, and each
// struct carries the size its maker knew. A plugin refuses a struct smaller than its own.
#pragma once

#include <cstddef>
#include <cstdint>

/// @cond
namespace td::xla::abi {

// What the plugin owns; we only hold pointers.
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Buffer;
struct LoadedExecutable;
struct Executable;

/// How every struct begins. `extension_start` is a list of extras, none of which we use.
struct Head {
  std::size_t struct_size = 0;
  void* extension_start = nullptr;
};

struct Version {
  Head head;
  int major, minor;
};
/// The beginning of PJRT_Api. The table of functions follows.
struct Api {
  std::size_t struct_size;
  void* extension_start;
  Version version;
};
static_assert(sizeof(Api) == 40);
/// Every function takes one struct. Most return an error, null when all is well.
using Function = Error* (*)(void* args);

/// Places in the table.
enum class Slot : unsigned {
  kErrorDestroy = 0,
  kErrorMessage = 1,
  kErrorGetCode = 2,
  kPluginInitialize = 3,
  kPluginAttributes = 4,
  kEventDestroy = 5,
  kEventAwait = 8,
  kClientCreate = 10,
  kClientDestroy = 11,
  kClientPlatformName = 12,
  kClientPlatformVersion = 14,
  kClientAddressableDevices = 16,
  kClientCompile = 20,
  kClientBufferFromHostBuffer = 22,
  kDeviceDescriptionId = 23,
  kDeviceDescriptionKind = 26,
  kDeviceDescriptionToString = 28,
  kDeviceGetDescription = 29,
  kExecutableDestroy = 40,
  kExecutableNumOutputs = 44,
  kLoadedExecutableDestroy = 50,
  kLoadedExecutableGetExecutable = 51,
  kLoadedExecutableExecute = 55,
  kBufferDestroy = 58,
  kBufferElementType = 59,
  kBufferDimensions = 60,
  kBufferIsDeleted = 68,
  kBufferCopyToDevice = 69,
  kBufferToHostBuffer = 70,
};

/// Types of elements, of which the client knows these.
enum class Type : int {
  kInvalid = 0,
  kPred = 1,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kBF16 = 13
};
/// How long the plugin may read the host's memory: here, until the call returns.
enum class HostSemantics : int { kImmutableOnlyDuringCall = 0 };
/// Kinds of NamedValue.
enum class ValueType : int { kString = 0, kInt64 = 1, kInt64List = 2, kFloat = 3, kBool = 4 };

struct ErrorArgs {
  Head head;
  Error* error = nullptr;
};
struct ErrorMessageArgs {
  Head head;
  const Error* error = nullptr;
  const char* message = nullptr;
  std::size_t size = 0;
};
struct ErrorCodeArgs {
  Head head;
  const Error* error = nullptr;
  int code = 0;
};
struct PluginInitializeArgs {
  Head head;
};
struct EventArgs {
  Head head;
  Event* event = nullptr;
};

/// An option or an attribute.
struct NamedValue {
  Head head;
  const char* name = nullptr;
  std::size_t name_size = 0;
  ValueType type{};
  union {
    const char* string = nullptr;
    std::int64_t int64;
    const std::int64_t* list;
    float float32;
    bool boolean;
  };
  std::size_t value_size = 1;
};
struct PluginAttributesArgs {
  Head head;
  const NamedValue* attributes = nullptr;
  std::size_t count = 0;
};

struct ClientCreateArgs {
  Head head;
  const NamedValue* options = nullptr;
  std::size_t num_options = 0;
  // Several processes would find each other through these.
  void* get = nullptr;
  void* get_arg = nullptr;
  void* put = nullptr;
  void* put_arg = nullptr;
  Client* client = nullptr;
  void* try_get = nullptr;
  void* try_get_arg = nullptr;
};
struct ClientArgs {
  Head head;
  Client* client = nullptr;
};
struct ClientTextArgs {
  Head head;
  Client* client = nullptr;
  const char* text = nullptr;
  std::size_t size = 0;
};
struct ClientDevicesArgs {
  Head head;
  Client* client = nullptr;
  Device* const* devices = nullptr;
  std::size_t count = 0;
};

struct Program {
  Head head;
  const char* code = nullptr;
  std::size_t code_size = 0;
  const char* format = nullptr;
  std::size_t format_size = 0;
};
struct CompileArgs {
  Head head;
  Client* client = nullptr;
  const Program* program = nullptr;
  const char* options = nullptr;
  std::size_t options_size = 0;
  LoadedExecutable* executable = nullptr;
};
struct FromHostArgs {
  Head head;
  Client* client = nullptr;
  const void* data = nullptr;
  Type type{};
  const std::int64_t* dims = nullptr;
  std::size_t num_dims = 0;
  const std::int64_t* strides = nullptr;
  std::size_t num_strides = 0;
  HostSemantics semantics{};
  Device* device = nullptr;
  void* memory = nullptr;
  void* layout = nullptr;
  Event* done = nullptr;
  Buffer* buffer = nullptr;
};

struct DeviceDescriptionArgs {
  Head head;
  Device* device = nullptr;
  DeviceDescription* description = nullptr;
};
struct DescriptionIdArgs {
  Head head;
  DeviceDescription* description = nullptr;
  int id = 0;
};
struct DescriptionTextArgs {
  Head head;
  DeviceDescription* description = nullptr;
  const char* text = nullptr;
  std::size_t size = 0;
};

struct ExecutableArgs {
  Head head;
  Executable* executable = nullptr;
};
struct ExecutableCountArgs {
  Head head;
  Executable* executable = nullptr;
  std::size_t count = 0;
};
struct LoadedArgs {
  Head head;
  LoadedExecutable* executable = nullptr;
};
struct LoadedGetArgs {
  Head head;
  LoadedExecutable* loaded = nullptr;
  Executable* executable = nullptr;
};

/// The one struct here that still grows: 80 bytes at version 0.68, 144 at 0.114. The tail is what a
/// caller sends who knows of new fields and uses none of them.
struct ExecuteOptions {
  Head head;
  void* send = nullptr;
  void* receive = nullptr;
  std::size_t num_send = 0, num_receive = 0;
  int launch_id = 0;
  const std::int64_t* non_donatable = nullptr;
  std::size_t num_non_donatable = 0;
  void* context = nullptr;
  std::uint64_t tail[22] = {};
};
static_assert(sizeof(ExecuteOptions) == 256);
struct ExecuteArgs {
  Head head;
  LoadedExecutable* executable = nullptr;
  ExecuteOptions* options = nullptr;
  Buffer* const* const* arguments = nullptr;  ///< [device][argument]
  std::size_t num_devices = 0, num_arguments = 0;
  Buffer** const* outputs = nullptr;  ///< [device][output]
  Event** done = nullptr;             ///< [device]
  Device* device = nullptr;
};

struct BufferArgs {
  Head head;
  Buffer* buffer = nullptr;
};
struct BufferTypeArgs {
  Head head;
  Buffer* buffer = nullptr;
  Type type{};
};
struct BufferDimensionsArgs {
  Head head;
  Buffer* buffer = nullptr;
  const std::int64_t* dims = nullptr;
  std::size_t num_dims = 0;
};
struct BufferIsDeletedArgs {
  Head head;
  Buffer* buffer = nullptr;
  bool deleted = false;
};
struct CopyToDeviceArgs {
  Head head;
  Buffer* buffer = nullptr;
  Device* device = nullptr;
  Buffer* copy = nullptr;
};
struct ToHostArgs {
  Head head;
  Buffer* buffer = nullptr;
  void* layout = nullptr;
  void* data = nullptr;
  std::size_t size = 0;
  Event* done = nullptr;
};

}  // namespace td::xla::abi
/// @endcond
