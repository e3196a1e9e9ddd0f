// A plugin for tests: no compiler, but strict about correct use. It refuses what XLA refuses
// (structs that are too small, buffers on the wrong device, donated ones) and some of what would
// end the process in XLA (empty options), and it counts what it handed out. It knows four programs
// by their names, which take two arguments a and b of one size and give one result:
//   @add    a + b, in float      @total  the sum of a + b over all replicas
// @fails an error while running @donates as @add; a is donated Built on the course's own
// declarations; another test checks that these agree with the real header. STAND_IN_MINOR and
// STAND_IN_SLOTS build versions of it that are too old or lack functions.
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "objects.h"

#ifndef STAND_IN_MINOR
#define STAND_IN_MINOR 81
#endif
#ifndef STAND_IN_SLOTS
#define STAND_IN_SLOTS 71
#endif

namespace {

// ---- errors, events, the plugin itself ----

Error* error_destroy(ObjectArgs<Error>* args) { return destroy(args->object); }
Error* error_message(QueryArgs<Error, Text>* args) {
  args->answer = {args->object->text.data(), args->object->text.size()};
  return nullptr;
}
Error* error_code(QueryArgs<Error, int>* args) {
  args->answer = args->object->code;
  return nullptr;
}
Error* initialize(PluginInitializeArgs*) { return nullptr; }
Error* event_destroy(ObjectArgs<Event>* args) { return destroy(args->object); }
Error* event_await(ObjectArgs<Event>* args) {
  ++awaited;
  return std::exchange(args->object->error, nullptr);
}

// ---- client and devices ----

Error* client_create(ClientCreateArgs* args) {
  std::int64_t count = 4;
  for (std::size_t i = 0; i < args->options.size; ++i) {
    const NamedValue& option = args->options.data[i];
    if (Error* refused = too_small(&option)) return refused;
    if (std::string(option.name.data, option.name.size) != "cpu_device_count")
      return error(kInvalidArgument, "Unexpected option name passed to PJRT_Client_Create");
    count = option.int64;
  }
  if (count < 1) return error(kInvalidArgument, "there must be a device");
  args->client = make<Client>();
  for (int id = 0; id < count; ++id)
    args->client->devices.push_back({{id, "StandInDevice(id=" + std::to_string(id) + ")"}});
  for (Device& device : args->client->devices) args->client->pointers.push_back(&device);
  return nullptr;
}
Error* client_destroy(ObjectArgs<Client>* args) { return destroy(args->object); }
Error* platform(QueryArgs<Client, Text>* args) {
  args->answer = {"stand-in", 8};
  return nullptr;
}
Error* devices(QueryArgs<Client, List<Device* const>>* args) {
  args->answer = {args->object->pointers.data(), args->object->pointers.size()};
  return nullptr;
}
Error* description(QueryArgs<Device, DeviceDescription*>* args) {
  args->answer = &args->object->description;
  return nullptr;
}
Error* id(QueryArgs<DeviceDescription, int>* args) {
  args->answer = args->object->id;
  return nullptr;
}
Error* kind(QueryArgs<DeviceDescription, Text>* args) {
  args->answer = {"stand-in", 8};
  return nullptr;
}
Error* text(QueryArgs<DeviceDescription, Text>* args) {
  args->answer = {args->object->text.data(), args->object->text.size()};
  return nullptr;
}

// ---- buffers ----

std::size_t element_bytes(Type type) {
  switch (type) {
    case Type::kPred:
    case Type::kU8:
      return 1;
    case Type::kF16:
    case Type::kBF16:
      return 2;
    case Type::kS32:
    case Type::kF32:
      return 4;
    case Type::kS64:
    case Type::kF64:
      return 8;
    case Type::kInvalid:
      break;
  }
  return 0;
}

Error* from_host(FromHostArgs* args) {
  const std::size_t element = element_bytes(args->type);
  if (!element) return error(kInvalidArgument, "Invalid buffer type");
  const std::vector<std::int64_t> dims(args->dims.data, args->dims.data + args->dims.size);
  const auto numel = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies());
  const std::string bytes(static_cast<const char*>(args->data),
                          static_cast<std::size_t>(numel) * element);
  args->buffer = make<Buffer>(args->type, dims, bytes, args->device);
  args->done = make<Event>(nullptr);
  return nullptr;
}
Error* deleted_error() { return error(kInvalidArgument, "Buffer has been deleted or donated."); }
Error* buffer_destroy(ObjectArgs<Buffer>* args) { return destroy(args->object); }
Error* buffer_type(QueryArgs<Buffer, Type>* args) {
  args->answer = args->object->type;
  return nullptr;
}
Error* buffer_dimensions(QueryArgs<Buffer, List<const std::int64_t>>* args) {
  args->answer = {args->object->dims.data(), args->object->dims.size()};
  return nullptr;
}
Error* buffer_deleted(QueryArgs<Buffer, bool>* args) {
  args->answer = args->object->deleted;
  return nullptr;
}
Error* copy_to_device(CopyToDeviceArgs* args) {
  if (args->buffer->deleted) return deleted_error();
  args->copy = make<Buffer>(*args->buffer);
  args->copy->device = args->device;
  return nullptr;
}
Error* to_host(ToHostArgs* args) {
  if (args->buffer->deleted) return deleted_error();
  const std::string& bytes = args->buffer->bytes;
  if (args->size < bytes.size()) return error(kInvalidArgument, "dst is too small");
  if (!bytes.empty()) std::memcpy(args->data, bytes.data(), bytes.size());
  args->done = make<Event>(nullptr);
  return nullptr;
}

// ---- programs ----

Error* compile(CompileArgs* args) {
  if (Error* refused = too_small(args->program)) return refused;
  const std::string format(args->program->format.data, args->program->format.size);
  const std::string code(args->program->code.data, args->program->code.size);
  const std::string options(args->options.data, args->options.size);
  if (format != "mlir") return error(kInvalidArgument, "Unknown program format '" + format + "'.");
  // executable_build_options { num_replicas, num_partitions = 1 }, each number in one byte.
  if (options.size() != 6 || options.substr(0, 3) != "\x1a\x04\x20" ||
      options.substr(4) != "\x28\x01")
    return error(kInvalidArgument, "these are not the options of a program");
  for (const char* name : {"add", "total", "fails", "donates"})
    if (code.rfind(std::string("module @") + name + " ", 0) == 0) {
      args->executable =
          make<LoadedExecutable>(args->client, name, static_cast<std::size_t>(options[3]));
      return nullptr;
    }
  return error(kUnimplemented, "the stand-in is no compiler");
}
Error* loaded_destroy(ObjectArgs<LoadedExecutable>* args) { return destroy(args->object); }
Error* get_executable(QueryArgs<LoadedExecutable, Executable*>* args) {
  args->answer = make<Executable>();
  return nullptr;
}
Error* executable_destroy(ObjectArgs<Executable>* args) { return destroy(args->object); }
Error* num_outputs(QueryArgs<Executable, std::size_t>* args) {
  args->answer = 1;
  return nullptr;
}

Error* bad_arguments(const ExecuteArgs& args) {
  if (args.num_devices != args.executable->replicas)
    return error(kInvalidArgument, "wrong number of argument lists");
  if (args.num_arguments != 2) return error(kInvalidArgument, "expected 2 arguments");
  for (std::size_t r = 0; r < args.num_devices; ++r)
    for (std::size_t i = 0; i < 2; ++i) {
      const Buffer& buffer = *args.arguments[r][i];
      if (buffer.deleted) return deleted_error();
      if (buffer.device != args.executable->client->pointers[r])
        return error(kInvalidArgument, "argument " + std::to_string(i) + " of replica " +
                                           std::to_string(r) + " is on " +
                                           buffer.device->description.text);
      if (buffer.type != Type::kF32 || buffer.dims != args.arguments[r][0]->dims)
        return error(kInvalidArgument, "expected two float arguments of one size");
    }
  return nullptr;
}

std::vector<float> sum_of(const Buffer& a, const Buffer& b) {
  std::vector<float> x(a.bytes.size() / 4), y(x.size());
  std::memcpy(x.data(), a.bytes.data(), a.bytes.size());
  std::memcpy(y.data(), b.bytes.data(), b.bytes.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  return x;
}

Error* execute(ExecuteArgs* args) {
  if (Error* refused = too_small(args->options)) return refused;
  if (Error* refused = bad_arguments(*args)) return refused;
  const std::string& program = args->executable->program;
  std::vector<std::vector<float>> results;
  for (std::size_t r = 0; r < args->num_devices; ++r)
    results.push_back(sum_of(*args->arguments[r][0], *args->arguments[r][1]));
  if (program == "total")
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      float total = 0;
      for (const auto& result : results) total += result[i];
      for (auto& result : results) result[i] = total;
    }
  for (std::size_t r = 0; r < args->num_devices; ++r) {
    Buffer& a = *args->arguments[r][0];
    const std::string bytes(reinterpret_cast<const char*>(results[r].data()), a.bytes.size());
    args->outputs[r][0] = make<Buffer>(a.type, a.dims, bytes, a.device);
    args->done[r] = make<Event>(program == "fails" ? error(13, "the program failed") : nullptr);
    if (program == "donates") a.deleted = true;
  }
  return nullptr;
}

struct Table {
  Api api{};
  Function functions[STAND_IN_SLOTS] = {};

  template <auto function, class Args>
  void set(const Slot<Args>& slot) {
    if (slot.place < STAND_IN_SLOTS) functions[slot.place] = entry<Args, function>;
  }
};

Table make_table() {
  Table table;
  table.api.struct_size = sizeof(Table);
  table.api.version.head.struct_size = sizeof(Version);
  table.api.version.minor = STAND_IN_MINOR;
  table.set<error_destroy>(kErrorDestroy);
  table.set<error_message>(kErrorMessage);
  table.set<error_code>(kErrorGetCode);
  table.set<initialize>(kPluginInitialize);
  table.set<event_destroy>(kEventDestroy);
  table.set<event_await>(kEventAwait);
  table.set<client_create>(kClientCreate);
  table.set<client_destroy>(kClientDestroy);
  table.set<platform>(kClientPlatformName);
  table.set<devices>(kClientAddressableDevices);
  table.set<compile>(kClientCompile);
  table.set<from_host>(kClientBufferFromHostBuffer);
  table.set<id>(kDeviceDescriptionId);
  table.set<kind>(kDeviceDescriptionKind);
  table.set<text>(kDeviceDescriptionToString);
  table.set<description>(kDeviceGetDescription);
  table.set<executable_destroy>(kExecutableDestroy);
  table.set<num_outputs>(kExecutableNumOutputs);
  table.set<loaded_destroy>(kLoadedExecutableDestroy);
  table.set<get_executable>(kLoadedExecutableGetExecutable);
  table.set<execute>(kLoadedExecutableExecute);
  table.set<buffer_destroy>(kBufferDestroy);
  table.set<buffer_type>(kBufferElementType);
  table.set<buffer_dimensions>(kBufferDimensions);
  table.set<buffer_deleted>(kBufferIsDeleted);
  table.set<copy_to_device>(kBufferCopyToDevice);
  table.set<to_host>(kBufferToHostBuffer);
  return table;
}

}  // namespace

extern "C" {
const Api* GetPjrtApi() {
  static const Table table = make_table();
  return &table.api;
}
/// Objects that were handed out and not given back.
long stand_in_live() { return live; }
/// How often the program waited for an event.
long stand_in_awaited() { return awaited; }
}
