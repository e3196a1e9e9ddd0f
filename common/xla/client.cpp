// The client, its devices, and copies between them and the host.
#include "xla/client.h"

#include <algorithm>

#include "td/ops/ops.h"
#include "xla/state.h"

namespace td::xla {
namespace {

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

XlaDevice describe(const Plugin& plugin, abi::Device* device) {
  abi::DeviceDescriptionArgs args;
  args.device = device;
  plugin.call(abi::Slot::kDeviceGetDescription, args, "Device_GetDescription");
  abi::DescriptionIdArgs id;
  id.description = args.description;
  plugin.call(abi::Slot::kDeviceDescriptionId, id, "DeviceDescription_Id");
  abi::DescriptionTextArgs kind, text;
  kind.description = text.description = args.description;
  plugin.call(abi::Slot::kDeviceDescriptionKind, kind, "DeviceDescription_Kind");
  plugin.call(abi::Slot::kDeviceDescriptionToString, text, "DeviceDescription_ToString");
  return {id.id, std::string(kind.text, kind.size), std::string(text.text, text.size)};
}

std::string text_of(const detail::ClientState& state, abi::Slot slot, const char* what) {
  abi::ClientTextArgs args;
  args.client = state.client;
  state.plugin.call(slot, args, what);
  return {args.text, args.size};
}

}  // namespace

abi::Device* detail::ClientState::device(std::size_t number) const {
  TD_CHECK(DeviceError, number < handles.size(), "xla:", number, ": there is no such device; this ",
           "client has xla:0 to xla:", handles.size() - 1);
  return handles[number];
}

Client::Client(const Plugin& plugin, optional<int> device_count)
    : state_(std::make_shared<detail::ClientState>(plugin)) {
  abi::NamedValue count;
  count.head.struct_size = sizeof count;
  count.name = "cpu_device_count";
  count.name_size = std::char_traits<char>::length(count.name);
  count.type = abi::ValueType::kInt64;
  count.int64 = device_count.value_or(0);
  abi::ClientCreateArgs create;
  create.options = device_count ? &count : nullptr;
  create.num_options = device_count ? 1 : 0;
  plugin.call(abi::Slot::kClientCreate, create, "Client_Create");
  state_->client = create.client;
  abi::ClientDevicesArgs devices;
  devices.client = create.client;
  plugin.call(abi::Slot::kClientAddressableDevices, devices, "Client_AddressableDevices");
  for (std::size_t i = 0; i < devices.count; ++i) {
    state_->handles.push_back(devices.devices[i]);
    state_->devices.push_back(describe(plugin, devices.devices[i]));
  }
}

std::string Client::platform() const {
  return text_of(*state_, abi::Slot::kClientPlatformName, "Client_PlatformName");
}
std::string Client::platform_version() const {
  return text_of(*state_, abi::Slot::kClientPlatformVersion, "Client_PlatformVersion");
}
const std::vector<XlaDevice>& Client::devices() const { return state_->devices; }

Buffer Client::to_device(const Tensor& tensor, std::size_t device) const {
  TD_CHECK(DeviceError, tensor.is_cpu(), "xla: a tensor on ", tensor.device(),
           " cannot go to an XLA device directly; take tensor.to(\"cpu\")");
  const Tensor dense = tensor.detach().contiguous();
  abi::FromHostArgs args;
  args.type = xla_type(tensor.dtype());
  args.client = state_->client;
  args.data = dense.data_ptr();
  args.dims = dense.sizes().data();
  args.num_dims = dense.sizes().size();
  args.semantics = abi::HostSemantics::kImmutableOnlyDuringCall;
  args.device = state_->device(device);
  state_->plugin.call(abi::Slot::kClientBufferFromHostBuffer, args, "Client_BufferFromHostBuffer");
  const Buffer buffer(std::make_shared<detail::BufferState>(state_, args.buffer));
  state_->plugin.wait(args.done, "Client_BufferFromHostBuffer");
  return buffer;
}

bool Buffer::is_deleted() const {
  abi::BufferIsDeletedArgs args;
  args.buffer = state_->buffer;
  state_->client->plugin.call(abi::Slot::kBufferIsDeleted, args, "Buffer_IsDeleted");
  return args.deleted;
}

Sizes Buffer::sizes() const {
  abi::BufferDimensionsArgs args;
  args.buffer = state_->buffer;
  state_->client->plugin.call(abi::Slot::kBufferDimensions, args, "Buffer_Dimensions");
  return IntArrayRef(args.dims, args.num_dims);
}

ScalarType Buffer::dtype() const {
  abi::BufferTypeArgs args;
  args.buffer = state_->buffer;
  state_->client->plugin.call(abi::Slot::kBufferElementType, args, "Buffer_ElementType");
  for (const TypePair& pair : kTypes)
    if (pair.xla == args.type) return pair.td;
  fail<DtypeError>("xla: a result has elements of PJRT's type ", static_cast<int>(args.type),
                   ", which td does not have; convert inside the program");
}

Tensor Buffer::to_host() const {
  const Tensor values = empty(sizes(), dtype());
  abi::ToHostArgs args;
  args.buffer = state_->buffer;
  args.data = values.data_ptr();
  args.size = values.nbytes();
  state_->client->plugin.call(abi::Slot::kBufferToHostBuffer, args, "Buffer_ToHostBuffer");
  state_->client->plugin.wait(args.done, "Buffer_ToHostBuffer");
  return values;
}

Buffer Buffer::to_device(std::size_t device) const {
  abi::CopyToDeviceArgs args;
  args.buffer = state_->buffer;
  args.device = state_->client->device(device);
  state_->client->plugin.call(abi::Slot::kBufferCopyToDevice, args, "Buffer_CopyToDevice");
  return Buffer(std::make_shared<detail::BufferState>(state_->client, args.copy));
}

}  // namespace td::xla
