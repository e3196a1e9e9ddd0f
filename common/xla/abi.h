// The part of the PJRT C API that this client calls, declared by hand: 27 of some 140 functions.
// PJRT is the plugin interface through which PyTorch/XLA and JAX reach TPUs and GPUs; its own
// header is openxla/xla's xla/pjrt/c/pjrt_c_api.h. So the course builds without that header; if it
// is installed, tests/system/pjrt_abi.cpp compares every line with it.
//
// Invariant of the interface: structs and the function table only ever grow at their ends, and each
// struct contains the size that its maker knew. A plugin rejects a struct smaller than its own.
#pragma once

#include <cstddef>
#include <cstdint>

/// @cond
namespace td::xla::abi {

// Objects of the plugin; the client only holds pointers.
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Buffer;
struct LoadedExecutable;
struct Executable;

/// How every struct begins. `extension_start` is a list of extensions; none is used here.
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
/// Kinds of NamedValue, of which the client sends this one.
enum class ValueType : int { kInt64 = 1 };

/// A list as two fields.
template <class Element>
struct List {
  Element* data = nullptr;
  std::size_t size = 0;
};

using Text = List<const char>;

struct PluginInitializeArgs {
  Head head;
};
/// The argument of a function that only needs an object, such as one that destroys it.
template <class T>
struct ObjectArgs {
  Head head{};
  T* object = nullptr;
};
/// The argument of a function that returns a property of an object.
template <class T, class Answer>
struct QueryArgs {
  Head head{};
  T* object = nullptr;
  Answer answer{};
};

/// An option.
struct NamedValue {
  Head head;
  Text name;
  ValueType type = ValueType::kInt64;
  std::int64_t int64 = 0;
  std::size_t value_size = 1;
};

struct ClientCreateArgs {
  Head head;
  List<const NamedValue> options;
  // Several processes would use these to find each other.
  void* get = nullptr;
  void* get_arg = nullptr;
  void* put = nullptr;
  void* put_arg = nullptr;
  Client* client = nullptr;
  void* try_get = nullptr;
  void* try_get_arg = nullptr;
};

struct Program {
  Head head;
  Text code, format;
};
struct CompileArgs {
  Head head;
  Client* client = nullptr;
  const Program* program = nullptr;
  Text options;
  LoadedExecutable* executable = nullptr;
};
struct FromHostArgs {
  Head head;
  Client* client = nullptr;
  const void* data = nullptr;
  Type type{};
  List<const std::int64_t> dims, strides;
  HostSemantics semantics{};
  Device* device = nullptr;
  void* memory = nullptr;
  void* layout = nullptr;
  Event* done = nullptr;
  Buffer* buffer = nullptr;
};

/// The one struct here that still grows: 80 bytes at version 0.68, 144 at 0.114. The tail is what a
/// caller sends that knows the new fields and uses none of them.
struct ExecuteOptions {
  Head head;
  void* send = nullptr;
  void* receive = nullptr;
  std::size_t num_send = 0, num_receive = 0;
  int launch_id = 0;
  List<const std::int64_t> non_donatable;
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

/// A function of the table: its index, its name without PJRT_, and the struct that it takes.
template <class Args>
struct Slot {
  unsigned place;
  const char* name;
};
template <class T>
using Object = Slot<ObjectArgs<T>>;
template <class T, class Answer>
using Query = Slot<QueryArgs<T, Answer>>;

inline constexpr Object<Error> kErrorDestroy{0, "Error_Destroy"};
inline constexpr Query<Error, Text> kErrorMessage{1, "Error_Message"};
inline constexpr Query<Error, int> kErrorGetCode{2, "Error_GetCode"};
inline constexpr Slot<PluginInitializeArgs> kPluginInitialize{3, "Plugin_Initialize"};
inline constexpr Object<Event> kEventDestroy{5, "Event_Destroy"};
inline constexpr Object<Event> kEventAwait{8, "Event_Await"};
inline constexpr Slot<ClientCreateArgs> kClientCreate{10, "Client_Create"};
inline constexpr Object<Client> kClientDestroy{11, "Client_Destroy"};
inline constexpr Query<Client, Text> kClientPlatformName{12, "Client_PlatformName"};
inline constexpr Query<Client, List<Device* const>> kClientAddressableDevices{
    16, "Client_AddressableDevices"};
inline constexpr Slot<CompileArgs> kClientCompile{20, "Client_Compile"};
inline constexpr Slot<FromHostArgs> kClientBufferFromHostBuffer{22, "Client_BufferFromHostBuffer"};
inline constexpr Query<DeviceDescription, int> kDeviceDescriptionId{23, "DeviceDescription_Id"};
inline constexpr Query<DeviceDescription, Text> kDeviceDescriptionKind{26,
                                                                       "DeviceDescription_Kind"};
inline constexpr Query<DeviceDescription, Text> kDeviceDescriptionToString{
    28, "DeviceDescription_ToString"};
inline constexpr Query<Device, DeviceDescription*> kDeviceGetDescription{29,
                                                                         "Device_GetDescription"};
inline constexpr Object<Executable> kExecutableDestroy{40, "Executable_Destroy"};
inline constexpr Query<Executable, std::size_t> kExecutableNumOutputs{44, "Executable_NumOutputs"};
inline constexpr Object<LoadedExecutable> kLoadedExecutableDestroy{50, "LoadedExecutable_Destroy"};
inline constexpr Query<LoadedExecutable, Executable*> kLoadedExecutableGetExecutable{
    51, "LoadedExecutable_GetExecutable"};
inline constexpr Slot<ExecuteArgs> kLoadedExecutableExecute{55, "LoadedExecutable_Execute"};
inline constexpr Object<Buffer> kBufferDestroy{58, "Buffer_Destroy"};
inline constexpr Query<Buffer, Type> kBufferElementType{59, "Buffer_ElementType"};
inline constexpr Query<Buffer, List<const std::int64_t>> kBufferDimensions{60, "Buffer_Dimensions"};
inline constexpr Query<Buffer, bool> kBufferIsDeleted{68, "Buffer_IsDeleted"};
inline constexpr Slot<CopyToDeviceArgs> kBufferCopyToDevice{69, "Buffer_CopyToDevice"};
inline constexpr Slot<ToHostArgs> kBufferToHostBuffer{70, "Buffer_ToHostBuffer"};

}  // namespace td::xla::abi
/// @endcond
