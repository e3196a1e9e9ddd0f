// Compares common/xla/abi.h with PJRT's own header, line by line, while it is compiled;
// xla_test.py does that. A slip of one field would be a crash inside a plugin.
#include <pjrt_c_api.h>

#include <string_view>
#include <utility>

#include "xla/abi.h"

namespace abi = td::xla::abi;

#define SAME(Ours, field, Theirs, their_field)                           \
  static_assert(offsetof(Ours, field) == offsetof(Theirs, their_field)); \
  static_assert(sizeof(std::declval<Ours>().field) == sizeof(Theirs::their_field))
#define FIELD(ours, field, theirs, their_field) SAME(abi::ours, field, theirs, their_field)
// At least as long as a plugin of this version wants it.
#define SIZE(ours, theirs) static_assert(sizeof(abi::ours) >= theirs##_STRUCT_SIZE)

// The same for a function: its place, its name, the size of its struct and the struct's fields.
template <class Args>
Args args_of(abi::Slot<Args>);
#define ARGS(slot) decltype(args_of(abi::slot))
#define SLOT(slot, theirs)                                                                         \
  static_assert(sizeof(abi::Api) + sizeof(void*) * abi::slot.place == offsetof(PJRT_Api, theirs)); \
  static_assert(std::string_view(#theirs).substr(5) == abi::slot.name);                            \
  static_assert(sizeof(ARGS(slot)) >= theirs##_Args_STRUCT_SIZE)
#define IN_SLOT(slot, field, theirs, their_field) \
  SAME(ARGS(slot), field, theirs##_Args, their_field)
#define OBJECT(slot, theirs, their_object) \
  SLOT(slot, theirs);                      \
  IN_SLOT(slot, object, theirs, their_object)
#define QUERY(slot, theirs, their_object, their_answer) \
  OBJECT(slot, theirs, their_object);                   \
  IN_SLOT(slot, answer, theirs, their_answer)
#define LIST_QUERY(slot, theirs, their_object, their_data, their_size) \
  OBJECT(slot, theirs, their_object);                                  \
  IN_SLOT(slot, answer.data, theirs, their_data);                      \
  IN_SLOT(slot, answer.size, theirs, their_size)

OBJECT(kErrorDestroy, PJRT_Error_Destroy, error);
LIST_QUERY(kErrorMessage, PJRT_Error_Message, error, message, message_size);
QUERY(kErrorGetCode, PJRT_Error_GetCode, error, code);
SLOT(kPluginInitialize, PJRT_Plugin_Initialize);
OBJECT(kEventDestroy, PJRT_Event_Destroy, event);
OBJECT(kEventAwait, PJRT_Event_Await, event);
SLOT(kClientCreate, PJRT_Client_Create);
OBJECT(kClientDestroy, PJRT_Client_Destroy, client);
LIST_QUERY(kClientPlatformName, PJRT_Client_PlatformName, client, platform_name,
           platform_name_size);
LIST_QUERY(kClientAddressableDevices, PJRT_Client_AddressableDevices, client, addressable_devices,
           num_addressable_devices);
SLOT(kClientCompile, PJRT_Client_Compile);
SLOT(kClientBufferFromHostBuffer, PJRT_Client_BufferFromHostBuffer);
QUERY(kDeviceDescriptionId, PJRT_DeviceDescription_Id, device_description, id);
LIST_QUERY(kDeviceDescriptionKind, PJRT_DeviceDescription_Kind, device_description, device_kind,
           device_kind_size);
LIST_QUERY(kDeviceDescriptionToString, PJRT_DeviceDescription_ToString, device_description,
           to_string, to_string_size);
QUERY(kDeviceGetDescription, PJRT_Device_GetDescription, device, device_description);
OBJECT(kExecutableDestroy, PJRT_Executable_Destroy, executable);
QUERY(kExecutableNumOutputs, PJRT_Executable_NumOutputs, executable, num_outputs);
OBJECT(kLoadedExecutableDestroy, PJRT_LoadedExecutable_Destroy, executable);
QUERY(kLoadedExecutableGetExecutable, PJRT_LoadedExecutable_GetExecutable, loaded_executable,
      executable);
SLOT(kLoadedExecutableExecute, PJRT_LoadedExecutable_Execute);
OBJECT(kBufferDestroy, PJRT_Buffer_Destroy, buffer);
QUERY(kBufferElementType, PJRT_Buffer_ElementType, buffer, type);
LIST_QUERY(kBufferDimensions, PJRT_Buffer_Dimensions, buffer, dims, num_dims);
QUERY(kBufferIsDeleted, PJRT_Buffer_IsDeleted, buffer, is_deleted);
SLOT(kBufferCopyToDevice, PJRT_Buffer_CopyToDevice);
SLOT(kBufferToHostBuffer, PJRT_Buffer_ToHostBuffer);

static_assert(sizeof(abi::Api) == offsetof(PJRT_Api, PJRT_Error_Destroy));
FIELD(Version, major, PJRT_Api_Version, major_version);
FIELD(Version, minor, PJRT_Api_Version, minor_version);

#define TYPE(ours, theirs) static_assert(int(abi::Type::ours) == int(PJRT_Buffer_Type_##theirs))
TYPE(kInvalid, INVALID);
TYPE(kPred, PRED);
TYPE(kS32, S32);
TYPE(kS64, S64);
TYPE(kU8, U8);
TYPE(kF16, F16);
TYPE(kF32, F32);
TYPE(kF64, F64);
TYPE(kBF16, BF16);
static_assert(int(abi::HostSemantics::kImmutableOnlyDuringCall) ==
              int(PJRT_HostBufferSemantics_kImmutableOnlyDuringCall));
static_assert(int(abi::ValueType::kInt64) == int(PJRT_NamedValue_kInt64));

SIZE(NamedValue, PJRT_NamedValue);
FIELD(NamedValue, name.data, PJRT_NamedValue, name);
FIELD(NamedValue, name.size, PJRT_NamedValue, name_size);
FIELD(NamedValue, type, PJRT_NamedValue, type);
FIELD(NamedValue, int64, PJRT_NamedValue, int64_value);
FIELD(NamedValue, value_size, PJRT_NamedValue, value_size);

FIELD(ClientCreateArgs, options.data, PJRT_Client_Create_Args, create_options);
FIELD(ClientCreateArgs, options.size, PJRT_Client_Create_Args, num_options);
FIELD(ClientCreateArgs, client, PJRT_Client_Create_Args, client);

SIZE(Program, PJRT_Program);
FIELD(Program, code.data, PJRT_Program, code);
FIELD(Program, code.size, PJRT_Program, code_size);
FIELD(Program, format.data, PJRT_Program, format);
FIELD(Program, format.size, PJRT_Program, format_size);
FIELD(CompileArgs, client, PJRT_Client_Compile_Args, client);
FIELD(CompileArgs, program, PJRT_Client_Compile_Args, program);
FIELD(CompileArgs, options.data, PJRT_Client_Compile_Args, compile_options);
FIELD(CompileArgs, options.size, PJRT_Client_Compile_Args, compile_options_size);
FIELD(CompileArgs, executable, PJRT_Client_Compile_Args, executable);

FIELD(FromHostArgs, client, PJRT_Client_BufferFromHostBuffer_Args, client);
FIELD(FromHostArgs, data, PJRT_Client_BufferFromHostBuffer_Args, data);
FIELD(FromHostArgs, type, PJRT_Client_BufferFromHostBuffer_Args, type);
FIELD(FromHostArgs, dims.data, PJRT_Client_BufferFromHostBuffer_Args, dims);
FIELD(FromHostArgs, dims.size, PJRT_Client_BufferFromHostBuffer_Args, num_dims);
FIELD(FromHostArgs, strides.data, PJRT_Client_BufferFromHostBuffer_Args, byte_strides);
FIELD(FromHostArgs, strides.size, PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides);
FIELD(FromHostArgs, semantics, PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics);
FIELD(FromHostArgs, device, PJRT_Client_BufferFromHostBuffer_Args, device);
FIELD(FromHostArgs, memory, PJRT_Client_BufferFromHostBuffer_Args, memory);
FIELD(FromHostArgs, layout, PJRT_Client_BufferFromHostBuffer_Args, device_layout);
FIELD(FromHostArgs, done, PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer);
FIELD(FromHostArgs, buffer, PJRT_Client_BufferFromHostBuffer_Args, buffer);

SIZE(ExecuteOptions, PJRT_ExecuteOptions);
FIELD(ExecuteOptions, send, PJRT_ExecuteOptions, send_callbacks);
FIELD(ExecuteOptions, receive, PJRT_ExecuteOptions, recv_callbacks);
FIELD(ExecuteOptions, num_send, PJRT_ExecuteOptions, num_send_ops);
FIELD(ExecuteOptions, num_receive, PJRT_ExecuteOptions, num_recv_ops);
FIELD(ExecuteOptions, launch_id, PJRT_ExecuteOptions, launch_id);
FIELD(ExecuteOptions, non_donatable.data, PJRT_ExecuteOptions, non_donatable_input_indices);
FIELD(ExecuteOptions, non_donatable.size, PJRT_ExecuteOptions, num_non_donatable_input_indices);
FIELD(ExecuteOptions, context, PJRT_ExecuteOptions, context);
FIELD(ExecuteArgs, executable, PJRT_LoadedExecutable_Execute_Args, executable);
FIELD(ExecuteArgs, options, PJRT_LoadedExecutable_Execute_Args, options);
FIELD(ExecuteArgs, arguments, PJRT_LoadedExecutable_Execute_Args, argument_lists);
FIELD(ExecuteArgs, num_devices, PJRT_LoadedExecutable_Execute_Args, num_devices);
FIELD(ExecuteArgs, num_arguments, PJRT_LoadedExecutable_Execute_Args, num_args);
FIELD(ExecuteArgs, outputs, PJRT_LoadedExecutable_Execute_Args, output_lists);
FIELD(ExecuteArgs, done, PJRT_LoadedExecutable_Execute_Args, device_complete_events);
FIELD(ExecuteArgs, device, PJRT_LoadedExecutable_Execute_Args, execute_device);

FIELD(CopyToDeviceArgs, buffer, PJRT_Buffer_CopyToDevice_Args, buffer);
FIELD(CopyToDeviceArgs, device, PJRT_Buffer_CopyToDevice_Args, dst_device);
FIELD(CopyToDeviceArgs, copy, PJRT_Buffer_CopyToDevice_Args, dst_buffer);
FIELD(ToHostArgs, buffer, PJRT_Buffer_ToHostBuffer_Args, src);
FIELD(ToHostArgs, layout, PJRT_Buffer_ToHostBuffer_Args, host_layout);
FIELD(ToHostArgs, data, PJRT_Buffer_ToHostBuffer_Args, dst);
FIELD(ToHostArgs, size, PJRT_Buffer_ToHostBuffer_Args, dst_size);
FIELD(ToHostArgs, done, PJRT_Buffer_ToHostBuffer_Args, event);

#ifdef PLANTED_FAULT
FIELD(ToHostArgs, size, PJRT_Buffer_ToHostBuffer_Args, dst);
#endif
