// The client, copies between its devices and the host, and programs: compiled, and run.
#include "xla/client.h"

#include <algorithm>

#include "td/base/span.h"
#include "td/ops/ops.h"

namespace td::xla {

struct detail::ClientState {
  explicit ClientState(const Plugin& p) : plugin(p) {}
  ClientState(const ClientState&) = delete;
  ClientState& operator=(const ClientState&) = delete;
  ~ClientState() {
    if (client) plugin.destroy(abi::kClientDestroy, client);
  }
  abi::Device* device(std::size_t number) const {
    TD_CHECK(DeviceError, number < handles.size(), "xla:", number,
             ": there is no such device; this client has xla:0 to xla:", handles.size() - 1);
    return handles[number];
  }

  const Plugin plugin;
  abi::Client* client = nullptr;
  std::vector<abi::Device*> handles;
  std::vector<XlaDevice> devices;
};

namespace {

using ClientHandle = std::shared_ptr<const detail::ClientState>;

/// Returns a handle that destroys the plugin's object and keeps the client alive.
template <class T>
std::shared_ptr<T> own(const ClientHandle& client, const abi::Object<T>& destroy, T* object) {
  return {object, [client, destroy](T* last) { client->plugin.destroy(destroy, last); }};
}

struct TypePair {
  ScalarType td;
  abi::Type xla;
};
constexpr TypePair kTypes[] = {{kFloat, abi::Type::kF32}, {kDouble, abi::Type::kF64},
                               {kHalf, abi::Type::kF16},  {kBFloat16, abi::Type::kBF16},
                               {kInt, abi::Type::kS32},   {kLong, abi::Type::kS64},
                               {kByte, abi::Type::kU8},   {kBool, abi::Type::kPred}};

abi::Type xla_type(ScalarType type) {
  return std::find_if(std::begin(kTypes), std::end(kTypes),
                      [type](const TypePair& pair) { return pair.td == type; })
      ->xla;
}

std::string string_of(const abi::Text& text) { return {text.data, text.size}; }
abi::Text text_of(const std::string& string) { return {string.data(), string.size()}; }

XlaDevice describe(const Plugin& plugin, abi::Device* device) {
  abi::DeviceDescription* const all = plugin.ask(abi::kDeviceGetDescription, device);
  return {plugin.ask(abi::kDeviceDescriptionId, all),
          string_of(plugin.ask(abi::kDeviceDescriptionKind, all)),
          string_of(plugin.ask(abi::kDeviceDescriptionToString, all))};
}

// Protobuf's way to write a number: seven bits per byte, the lowest first, one bit if more follow.
void append_varint(std::string& bytes, unsigned value) {
  for (; value > 0x7f; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

// A field's number and what follows: 0 a number, 2 a length and that many bytes.
void append_field(std::string& bytes, unsigned number, unsigned wire_type, std::size_t value) {
  append_varint(bytes, number << 3 | wire_type);
  append_varint(bytes, static_cast<unsigned>(value));
}

}  // namespace

Client::Client(const Plugin& plugin, optional<int> device_count)
    : state_(std::make_shared<detail::ClientState>(plugin)) {
  abi::NamedValue count;
  const std::string name = "cpu_device_count";
  count.head.struct_size = sizeof count;
  count.name = text_of(name);
  count.int64 = device_count.value_or(0);
  abi::ClientCreateArgs create;
  if (device_count) create.options = {&count, 1};
  plugin.call(abi::kClientCreate, create);
  state_->client = create.client;
  const auto devices = plugin.ask(abi::kClientAddressableDevices, create.client);
  state_->handles.assign(devices.data, devices.data + devices.size);
  for (abi::Device* device : state_->handles) state_->devices.push_back(describe(plugin, device));
}

std::string Client::platform() const {
  return string_of(state_->plugin.ask(abi::kClientPlatformName, state_->client));
}

const std::vector<XlaDevice>& Client::devices() const { return state_->devices; }

Buffer Client::to_device(const Tensor& tensor, std::size_t device) const {
  TD_CHECK(DeviceError, tensor.is_cpu(), "xla: a tensor on ", tensor.device(),
           " cannot go to an XLA device directly; take tensor.to(\"cpu\")");
  const trace::Span span("copy to device", trace::Category::kUser, tensor.nbytes());
  const Tensor dense = tensor.detach().contiguous();
  abi::FromHostArgs args;
  args.type = xla_type(tensor.dtype());
  args.client = state_->client;
  args.data = dense.data_ptr();
  args.dims = {dense.sizes().data(), dense.sizes().size()};
  args.semantics = abi::HostSemantics::kImmutableOnlyDuringCall;
  args.device = state_->device(device);
  state_->plugin.call(abi::kClientBufferFromHostBuffer, args);
  const Buffer buffer(state_, args.buffer);
  state_->plugin.wait(args.done, abi::kClientBufferFromHostBuffer.name);
  return buffer;
}

Buffer::Buffer(ClientHandle client, abi::Buffer* buffer)
    : client_(std::move(client)), buffer_(own(client_, abi::kBufferDestroy, buffer)) {}

bool Buffer::is_deleted() const {
  return client_->plugin.ask(abi::kBufferIsDeleted, buffer_.get());
}

Sizes Buffer::sizes() const {
  const auto dims = client_->plugin.ask(abi::kBufferDimensions, buffer_.get());
  return IntArrayRef(dims.data, dims.size);
}

ScalarType Buffer::dtype() const {
  const abi::Type type = client_->plugin.ask(abi::kBufferElementType, buffer_.get());
  for (const TypePair& pair : kTypes)
    if (pair.xla == type) return pair.td;
  fail<DtypeError>("xla: a result has elements of PJRT's type ", static_cast<int>(type),
                   ", which td does not have; convert inside the program");
}

Tensor Buffer::to_host() const {
  const Tensor values = empty(sizes(), dtype());
  abi::ToHostArgs args;
  args.buffer = buffer_.get();
  args.data = values.data_ptr();
  args.size = values.nbytes();
  client_->plugin.call(abi::kBufferToHostBuffer, args);
  client_->plugin.wait(args.done, abi::kBufferToHostBuffer.name);
  return values;
}

Buffer Buffer::to_device(std::size_t device) const {
  abi::CopyToDeviceArgs args;
  args.buffer = buffer_.get();
  args.device = client_->device(device);
  client_->plugin.call(abi::kBufferCopyToDevice, args);
  return {client_, args.copy};
}

std::string CompileOptions::encode() const {
  TD_CHECK(Error, replicas > 0 && partitions > 0,
           "CompileOptions: there must be at least one replica and one partition, not ", replicas,
           " and ", partitions);
  std::string build, all;
  append_field(build, 4, 0, static_cast<std::size_t>(replicas));
  append_field(build, 5, 0, static_cast<std::size_t>(partitions));
  append_field(all, 3, 2, build.size());
  return all + build;
}

Executable Client::compile(const std::string& program, const CompileOptions& options) const {
  const trace::Span span("compile");
  const std::string format = "mlir", encoded_options = options.encode();
  abi::Program source;
  source.head.struct_size = sizeof source;
  source.code = text_of(program);
  source.format = text_of(format);
  abi::CompileArgs args;
  args.client = state_->client;
  args.program = &source;
  args.options = text_of(encoded_options);
  const Plugin& plugin = state_->plugin;
  plugin.call(abi::kClientCompile, args);
  Executable executable;
  executable.client_ = state_;
  executable.loaded_ =
      own<abi::LoadedExecutable>(state_, abi::kLoadedExecutableDestroy, args.executable);
  executable.replicas_ = static_cast<std::size_t>(options.replicas);
  const auto description = own(state_, abi::kExecutableDestroy,
                               plugin.ask(abi::kLoadedExecutableGetExecutable, args.executable));
  executable.num_outputs_ = plugin.ask(abi::kExecutableNumOutputs, description.get());
  return executable;
}

Run Executable::start(const std::vector<std::vector<Buffer>>& arguments) const {
  const std::size_t replicas = arguments.size();
  TD_CHECK(Error, replicas == replicas_, "xla: the program was compiled for ", replicas_,
           " replicas, but there are arguments for ", replicas);
  std::vector<std::vector<abi::Buffer*>> in(replicas),
      out(replicas, std::vector<abi::Buffer*>(num_outputs_));
  std::vector<abi::Buffer* const*> in_lists;
  std::vector<abi::Buffer**> out_lists;
  for (std::size_t r = 0; r < replicas; ++r) {
    TD_CHECK(Error, arguments[r].size() == arguments[0].size(), "xla: replica ", r, " has ",
             arguments[r].size(), " arguments, replica 0 has ", arguments[0].size());
    for (const Buffer& buffer : arguments[r]) {
      TD_CHECK(Error, buffer.defined(), "xla: an argument of replica ", r, " is undefined");
      in[r].push_back(buffer.buffer_.get());
    }
    in_lists.push_back(in[r].data());
    out_lists.push_back(out[r].data());
  }
  Run run;
  run.client_ = client_;
  run.arguments_ = arguments;
  run.outputs_.resize(replicas);
  run.done_.resize(replicas);
  abi::ExecuteOptions options;
  options.head.struct_size = sizeof options;
  abi::ExecuteArgs args;
  args.executable = loaded_.get();
  args.options = &options;
  args.arguments = in_lists.data();
  args.num_devices = replicas;
  args.num_arguments = in[0].size();
  args.outputs = out_lists.data();
  args.done = run.done_.data();
  client_->plugin.call(abi::kLoadedExecutableExecute, args);
  for (std::size_t r = 0; r < replicas; ++r)
    for (abi::Buffer* buffer : out[r]) run.outputs_[r].push_back(Buffer(client_, buffer));
  return run;
}

std::vector<Buffer> Executable::run(const std::vector<Buffer>& arguments) const {
  Run run = start({arguments});
  run.wait();
  return run.outputs();
}

void Run::wait() {
  std::exception_ptr first;
  for (abi::Event* event : std::exchange(done_, {})) {
    try {
      client_->plugin.wait(event, abi::kLoadedExecutableExecute.name);
    } catch (const XlaError&) {
      if (!first) first = std::current_exception();
    }
  }
  arguments_.clear();
  if (first) std::rethrow_exception(first);
}

Run::~Run() {
  if (done_.empty()) return;
  try {
    wait();
  } catch (const XlaError&) {
  }
}

}  // namespace td::xla
