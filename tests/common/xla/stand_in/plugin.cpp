// A plugin for tests: no compiler, but strict about manners. It refuses what XLA refuses (structs
// that are too small, buffers on the wrong device, donated ones) and some of what would end the
// process in XLA (empty options), and it counts what it handed out. It knows four programs by their
// names, which take two arguments a and b of one size and give one result:
//   @add    a + b, in float      @total  the sum of a + b over all replicas
//   @fails  an error while running   @donates  as @add; a is given for good
// Built on the course's own declarations; that these agree with the real header is another test's.
// STAND_IN_MINOR and STAND_IN_SLOTS build versions of it that are too old or lack functions.
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

Error* error_destroy(ErrorArgs* args) { return destroy(args->error); }
Error* error_message(ErrorMessageArgs* args) {
  args->message = args->error->text.data();
  args->size = args->error->text.size();
  return nullptr;
}
Error* error_code(ErrorCodeArgs* args) {
  args->code = args->error->code;
  return nullptr;
}
Error* initialize(PluginInitializeArgs*) { return nullptr; }
Error* attributes(PluginAttributesArgs* args) {
  static const std::int64_t version[] = {1, 2, 3};
  static NamedValue all[2];
  all[0].head.struct_size = all[1].head.struct_size = sizeof(NamedValue);
  all[0].name = "made_for", all[0].name_size = 8, all[0].type = ValueType::kString;
  all[0].string = "tests", all[0].value_size = 5;
  all[1].name = "version", all[1].name_size = 7, all[1].type = ValueType::kInt64List;
  all[1].list = version, all[1].value_size = 3;
  args->attributes = all;
  args->count = 2;
  return nullptr;
}
Error* event_destroy(EventArgs* args) { return destroy(args->event); }
Error* event_await(EventArgs* args) {
  ++awaited;
  return std::exchange(args->event->error, nullptr);
}

// ---- client and devices ----

Error* client_create(ClientCreateArgs* args) {
  std::int64_t count = 4;
  for (std::size_t i = 0; i < args->num_options; ++i) {
    const NamedValue& option = args->options[i];
    if (Error* refused = too_small(&option)) return refused;
    if (std::string(option.name, option.name_size) != "cpu_device_count")
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
Error* client_destroy(ClientArgs* args) { return destroy(args->client); }
Error* platform(ClientTextArgs* args) {
  args->text = "stand-in";
  args->size = 8;
  return nullptr;
}
Error* devices(ClientDevicesArgs* args) {
  args->devices = args->client->pointers.data();
  args->count = args->client->pointers.size();
  return nullptr;
}
Error* description(DeviceDescriptionArgs* args) {
  args->description = &args->device->description;
  return nullptr;
}
Error* id(DescriptionIdArgs* args) {
  args->id = args->description->id;
  return nullptr;
}
Error* kind(DescriptionTextArgs* args) {
  args->text = "stand-in";
  args->size = 8;
  return nullptr;
}
Error* text(DescriptionTextArgs* args) {
  args->text = args->description->text.data();
  args->size = args->description->text.size();
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
  const std::vector<std::int64_t> dims(args->dims, args->dims + args->num_dims);
  const auto numel = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies());
  const std::string bytes(static_cast<const char*>(args->data),
                          static_cast<std::size_t>(numel) * element);
  args->buffer = make<Buffer>(args->type, dims, bytes, args->device);
  args->done = make<Event>(nullptr);
  return nullptr;
}
Error* deleted_error() { return error(kInvalidArgument, "Buffer has been deleted or donated."); }
Error* buffer_destroy(BufferArgs* args) { return destroy(args->buffer); }
Error* buffer_type(BufferTypeArgs* args) {
  args->type = args->buffer->type;
  return nullptr;
}
Error* buffer_dimensions(BufferDimensionsArgs* args) {
  args->dims = args->buffer->dims.data();
  args->num_dims = args->buffer->dims.size();
  return nullptr;
}
Error* buffer_deleted(BufferIsDeletedArgs* args) {
  args->deleted = args->buffer->deleted;
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
  const std::string format(args->program->format, args->program->format_size);
  const std::string code(args->program->code, args->program->code_size);
  const std::string options(args->options, args->options_size);
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
Error* loaded_destroy(LoadedArgs* args) { return destroy(args->executable); }
Error* get_executable(LoadedGetArgs* args) {
  args->executable = make<Executable>();
  return nullptr;
}
Error* executable_destroy(ExecutableArgs* args) { return destroy(args->executable); }
Error* num_outputs(ExecutableCountArgs* args) {
  args->count = 1;
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

  template <class Args, Error* (*function)(Args*)>
  void set(Slot slot) {
    const auto place = static_cast<std::size_t>(slot);
    if (place < STAND_IN_SLOTS) functions[place] = entry<Args, function>;
  }
};

Table make_table() {
  Table table;
  table.api.struct_size = sizeof(Table);
  table.api.version.head.struct_size = sizeof(Version);
  table.api.version.minor = STAND_IN_MINOR;
  table.set<ErrorArgs, error_destroy>(Slot::kErrorDestroy);
  table.set<ErrorMessageArgs, error_message>(Slot::kErrorMessage);
  table.set<ErrorCodeArgs, error_code>(Slot::kErrorGetCode);
  table.set<PluginInitializeArgs, initialize>(Slot::kPluginInitialize);
  table.set<PluginAttributesArgs, attributes>(Slot::kPluginAttributes);
  table.set<EventArgs, event_destroy>(Slot::kEventDestroy);
  table.set<EventArgs, event_await>(Slot::kEventAwait);
  table.set<ClientCreateArgs, client_create>(Slot::kClientCreate);
  table.set<ClientArgs, client_destroy>(Slot::kClientDestroy);
  table.set<ClientTextArgs, platform>(Slot::kClientPlatformName);
  table.set<ClientTextArgs, platform>(Slot::kClientPlatformVersion);
  table.set<ClientDevicesArgs, devices>(Slot::kClientAddressableDevices);
  table.set<CompileArgs, compile>(Slot::kClientCompile);
  table.set<FromHostArgs, from_host>(Slot::kClientBufferFromHostBuffer);
  table.set<DescriptionIdArgs, id>(Slot::kDeviceDescriptionId);
  table.set<DescriptionTextArgs, kind>(Slot::kDeviceDescriptionKind);
  table.set<DescriptionTextArgs, text>(Slot::kDeviceDescriptionToString);
  table.set<DeviceDescriptionArgs, description>(Slot::kDeviceGetDescription);
  table.set<ExecutableArgs, executable_destroy>(Slot::kExecutableDestroy);
  table.set<ExecutableCountArgs, num_outputs>(Slot::kExecutableNumOutputs);
  table.set<LoadedArgs, loaded_destroy>(Slot::kLoadedExecutableDestroy);
  table.set<LoadedGetArgs, get_executable>(Slot::kLoadedExecutableGetExecutable);
  table.set<ExecuteArgs, execute>(Slot::kLoadedExecutableExecute);
  table.set<BufferArgs, buffer_destroy>(Slot::kBufferDestroy);
  table.set<BufferTypeArgs, buffer_type>(Slot::kBufferElementType);
  table.set<BufferDimensionsArgs, buffer_dimensions>(Slot::kBufferDimensions);
  table.set<BufferIsDeletedArgs, buffer_deleted>(Slot::kBufferIsDeleted);
  table.set<CopyToDeviceArgs, copy_to_device>(Slot::kBufferCopyToDevice);
  table.set<ToHostArgs, to_host>(Slot::kBufferToHostBuffer);
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
/// How often somebody waited for an event.
long stand_in_awaited() { return awaited; }
}
