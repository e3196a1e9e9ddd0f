// Compares common/xla/abi.h with PJRT's own header, line by line, while it is compiled;
// xla_test.py does that. A slip of one field would be a crash inside a plugin.
#include <pjrt_c_api.h>

#include "xla/abi.h"

namespace abi = td::xla::abi;

#define SLOT(ours, theirs)                                                      \
  static_assert(sizeof(abi::Api) + sizeof(void*) * unsigned(abi::Slot::ours) == \
                offsetof(PJRT_Api, theirs))
#define FIELD(ours, field, theirs, their_field)                               \
  static_assert(offsetof(abi::ours, field) == offsetof(theirs, their_field)); \
  static_assert(sizeof(abi::ours::field) == sizeof(theirs::their_field))
// At least as long as a plugin of this version wants it.
#define SIZE(ours, theirs) static_assert(sizeof(abi::ours) >= theirs##_STRUCT_SIZE)

SLOT(kErrorDestroy, PJRT_Error_Destroy);
SLOT(kErrorMessage, PJRT_Error_Message);
SLOT(kErrorGetCode, PJRT_Error_GetCode);
SLOT(kPluginInitialize, PJRT_Plugin_Initialize);
SLOT(kPluginAttributes, PJRT_Plugin_Attributes);
SLOT(kEventDestroy, PJRT_Event_Destroy);
SLOT(kEventAwait, PJRT_Event_Await);
SLOT(kClientCreate, PJRT_Client_Create);
SLOT(kClientDestroy, PJRT_Client_Destroy);
SLOT(kClientPlatformName, PJRT_Client_PlatformName);
SLOT(kClientPlatformVersion, PJRT_Client_PlatformVersion);
SLOT(kClientAddressableDevices, PJRT_Client_AddressableDevices);
SLOT(kClientCompile, PJRT_Client_Compile);
SLOT(kClientBufferFromHostBuffer, PJRT_Client_BufferFromHostBuffer);
SLOT(kDeviceDescriptionId, PJRT_DeviceDescription_Id);
SLOT(kDeviceDescriptionKind, PJRT_DeviceDescription_Kind);
SLOT(kDeviceDescriptionToString, PJRT_DeviceDescription_ToString);
SLOT(kDeviceGetDescription, PJRT_Device_GetDescription);
SLOT(kExecutableDestroy, PJRT_Executable_Destroy);
SLOT(kExecutableNumOutputs, PJRT_Executable_NumOutputs);
SLOT(kLoadedExecutableDestroy, PJRT_LoadedExecutable_Destroy);
SLOT(kLoadedExecutableGetExecutable, PJRT_LoadedExecutable_GetExecutable);
SLOT(kLoadedExecutableExecute, PJRT_LoadedExecutable_Execute);
SLOT(kBufferDestroy, PJRT_Buffer_Destroy);
SLOT(kBufferElementType, PJRT_Buffer_ElementType);
SLOT(kBufferDimensions, PJRT_Buffer_Dimensions);
SLOT(kBufferIsDeleted, PJRT_Buffer_IsDeleted);
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
static_assert(int(abi::ValueType::kString) == int(PJRT_NamedValue_kString));
static_assert(int(abi::ValueType::kInt64) == int(PJRT_NamedValue_kInt64));
static_assert(int(abi::ValueType::kInt64List) == int(PJRT_NamedValue_kInt64List));
static_assert(int(abi::ValueType::kFloat) == int(PJRT_NamedValue_kFloat));
static_assert(int(abi::ValueType::kBool) == int(PJRT_NamedValue_kBool));

SIZE(ErrorArgs, PJRT_Error_Destroy_Args);
FIELD(ErrorArgs, error, PJRT_Error_Destroy_Args, error);
SIZE(ErrorMessageArgs, PJRT_Error_Message_Args);
FIELD(ErrorMessageArgs, error, PJRT_Error_Message_Args, error);
FIELD(ErrorMessageArgs, message, PJRT_Error_Message_Args, message);
FIELD(ErrorMessageArgs, size, PJRT_Error_Message_Args, message_size);
SIZE(ErrorCodeArgs, PJRT_Error_GetCode_Args);
FIELD(ErrorCodeArgs, error, PJRT_Error_GetCode_Args, error);
FIELD(ErrorCodeArgs, code, PJRT_Error_GetCode_Args, code);
SIZE(PluginInitializeArgs, PJRT_Plugin_Initialize_Args);
SIZE(EventArgs, PJRT_Event_Destroy_Args);
FIELD(EventArgs, event, PJRT_Event_Destroy_Args, event);
SIZE(EventArgs, PJRT_Event_Await_Args);
FIELD(EventArgs, event, PJRT_Event_Await_Args, event);

SIZE(NamedValue, PJRT_NamedValue);
FIELD(NamedValue, name, PJRT_NamedValue, name);
FIELD(NamedValue, name_size, PJRT_NamedValue, name_size);
FIELD(NamedValue, type, PJRT_NamedValue, type);
FIELD(NamedValue, string, PJRT_NamedValue, string_value);
FIELD(NamedValue, int64, PJRT_NamedValue, int64_value);
FIELD(NamedValue, list, PJRT_NamedValue, int64_array_value);
FIELD(NamedValue, float32, PJRT_NamedValue, float_value);
FIELD(NamedValue, boolean, PJRT_NamedValue, bool_value);
FIELD(NamedValue, value_size, PJRT_NamedValue, value_size);
SIZE(PluginAttributesArgs, PJRT_Plugin_Attributes_Args);
FIELD(PluginAttributesArgs, attributes, PJRT_Plugin_Attributes_Args, attributes);
FIELD(PluginAttributesArgs, count, PJRT_Plugin_Attributes_Args, num_attributes);

SIZE(ClientCreateArgs, PJRT_Client_Create_Args);
FIELD(ClientCreateArgs, options, PJRT_Client_Create_Args, create_options);
FIELD(ClientCreateArgs, num_options, PJRT_Client_Create_Args, num_options);
FIELD(ClientCreateArgs, client, PJRT_Client_Create_Args, client);
SIZE(ClientArgs, PJRT_Client_Destroy_Args);
FIELD(ClientArgs, client, PJRT_Client_Destroy_Args, client);
SIZE(ClientTextArgs, PJRT_Client_PlatformName_Args);
FIELD(ClientTextArgs, client, PJRT_Client_PlatformName_Args, client);
FIELD(ClientTextArgs, text, PJRT_Client_PlatformName_Args, platform_name);
FIELD(ClientTextArgs, size, PJRT_Client_PlatformName_Args, platform_name_size);
SIZE(ClientTextArgs, PJRT_Client_PlatformVersion_Args);
FIELD(ClientTextArgs, text, PJRT_Client_PlatformVersion_Args, platform_version);
SIZE(ClientDevicesArgs, PJRT_Client_AddressableDevices_Args);
FIELD(ClientDevicesArgs, client, PJRT_Client_AddressableDevices_Args, client);
FIELD(ClientDevicesArgs, devices, PJRT_Client_AddressableDevices_Args, addressable_devices);
FIELD(ClientDevicesArgs, count, PJRT_Client_AddressableDevices_Args, num_addressable_devices);

SIZE(Program, PJRT_Program);
FIELD(Program, code, PJRT_Program, code);
FIELD(Program, code_size, PJRT_Program, code_size);
FIELD(Program, format, PJRT_Program, format);
FIELD(Program, format_size, PJRT_Program, format_size);
SIZE(CompileArgs, PJRT_Client_Compile_Args);
FIELD(CompileArgs, client, PJRT_Client_Compile_Args, client);
FIELD(CompileArgs, program, PJRT_Client_Compile_Args, program);
FIELD(CompileArgs, options, PJRT_Client_Compile_Args, compile_options);
FIELD(CompileArgs, options_size, PJRT_Client_Compile_Args, compile_options_size);
FIELD(CompileArgs, executable, PJRT_Client_Compile_Args, executable);

SIZE(FromHostArgs, PJRT_Client_BufferFromHostBuffer_Args);
FIELD(FromHostArgs, client, PJRT_Client_BufferFromHostBuffer_Args, client);
FIELD(FromHostArgs, data, PJRT_Client_BufferFromHostBuffer_Args, data);
FIELD(FromHostArgs, type, PJRT_Client_BufferFromHostBuffer_Args, type);
FIELD(FromHostArgs, dims, PJRT_Client_BufferFromHostBuffer_Args, dims);
FIELD(FromHostArgs, num_dims, PJRT_Client_BufferFromHostBuffer_Args, num_dims);
FIELD(FromHostArgs, strides, PJRT_Client_BufferFromHostBuffer_Args, byte_strides);
FIELD(FromHostArgs, num_strides, PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides);
FIELD(FromHostArgs, semantics, PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics);
FIELD(FromHostArgs, device, PJRT_Client_BufferFromHostBuffer_Args, device);
FIELD(FromHostArgs, memory, PJRT_Client_BufferFromHostBuffer_Args, memory);
FIELD(FromHostArgs, layout, PJRT_Client_BufferFromHostBuffer_Args, device_layout);
FIELD(FromHostArgs, done, PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer);
FIELD(FromHostArgs, buffer, PJRT_Client_BufferFromHostBuffer_Args, buffer);

SIZE(DeviceDescriptionArgs, PJRT_Device_GetDescription_Args);
FIELD(DeviceDescriptionArgs, device, PJRT_Device_GetDescription_Args, device);
FIELD(DeviceDescriptionArgs, description, PJRT_Device_GetDescription_Args, device_description);
SIZE(DescriptionIdArgs, PJRT_DeviceDescription_Id_Args);
FIELD(DescriptionIdArgs, description, PJRT_DeviceDescription_Id_Args, device_description);
FIELD(DescriptionIdArgs, id, PJRT_DeviceDescription_Id_Args, id);
SIZE(DescriptionTextArgs, PJRT_DeviceDescription_Kind_Args);
FIELD(DescriptionTextArgs, description, PJRT_DeviceDescription_Kind_Args, device_description);
FIELD(DescriptionTextArgs, text, PJRT_DeviceDescription_Kind_Args, device_kind);
FIELD(DescriptionTextArgs, size, PJRT_DeviceDescription_Kind_Args, device_kind_size);
SIZE(DescriptionTextArgs, PJRT_DeviceDescription_ToString_Args);
FIELD(DescriptionTextArgs, text, PJRT_DeviceDescription_ToString_Args, to_string);

SIZE(ExecutableArgs, PJRT_Executable_Destroy_Args);
FIELD(ExecutableArgs, executable, PJRT_Executable_Destroy_Args, executable);
SIZE(ExecutableCountArgs, PJRT_Executable_NumOutputs_Args);
FIELD(ExecutableCountArgs, executable, PJRT_Executable_NumOutputs_Args, executable);
FIELD(ExecutableCountArgs, count, PJRT_Executable_NumOutputs_Args, num_outputs);
SIZE(LoadedArgs, PJRT_LoadedExecutable_Destroy_Args);
FIELD(LoadedArgs, executable, PJRT_LoadedExecutable_Destroy_Args, executable);
SIZE(LoadedGetArgs, PJRT_LoadedExecutable_GetExecutable_Args);
FIELD(LoadedGetArgs, loaded, PJRT_LoadedExecutable_GetExecutable_Args, loaded_executable);
FIELD(LoadedGetArgs, executable, PJRT_LoadedExecutable_GetExecutable_Args, executable);

SIZE(ExecuteOptions, PJRT_ExecuteOptions);
FIELD(ExecuteOptions, send, PJRT_ExecuteOptions, send_callbacks);
FIELD(ExecuteOptions, receive, PJRT_ExecuteOptions, recv_callbacks);
FIELD(ExecuteOptions, num_send, PJRT_ExecuteOptions, num_send_ops);
FIELD(ExecuteOptions, num_receive, PJRT_ExecuteOptions, num_recv_ops);
FIELD(ExecuteOptions, launch_id, PJRT_ExecuteOptions, launch_id);
FIELD(ExecuteOptions, non_donatable, PJRT_ExecuteOptions, non_donatable_input_indices);
FIELD(ExecuteOptions, num_non_donatable, PJRT_ExecuteOptions, num_non_donatable_input_indices);
FIELD(ExecuteOptions, context, PJRT_ExecuteOptions, context);
SIZE(ExecuteArgs, PJRT_LoadedExecutable_Execute_Args);
FIELD(ExecuteArgs, executable, PJRT_LoadedExecutable_Execute_Args, executable);
FIELD(ExecuteArgs, options, PJRT_LoadedExecutable_Execute_Args, options);
FIELD(ExecuteArgs, arguments, PJRT_LoadedExecutable_Execute_Args, argument_lists);
FIELD(ExecuteArgs, num_devices, PJRT_LoadedExecutable_Execute_Args, num_devices);
FIELD(ExecuteArgs, num_arguments, PJRT_LoadedExecutable_Execute_Args, num_args);
FIELD(ExecuteArgs, outputs, PJRT_LoadedExecutable_Execute_Args, output_lists);
FIELD(ExecuteArgs, done, PJRT_LoadedExecutable_Execute_Args, device_complete_events);
FIELD(ExecuteArgs, device, PJRT_LoadedExecutable_Execute_Args, execute_device);

SIZE(BufferArgs, PJRT_Buffer_Destroy_Args);
FIELD(BufferArgs, buffer, PJRT_Buffer_Destroy_Args, buffer);
SIZE(BufferTypeArgs, PJRT_Buffer_ElementType_Args);
FIELD(BufferTypeArgs, buffer, PJRT_Buffer_ElementType_Args, buffer);
FIELD(BufferTypeArgs, type, PJRT_Buffer_ElementType_Args, type);
SIZE(BufferDimensionsArgs, PJRT_Buffer_Dimensions_Args);
FIELD(BufferDimensionsArgs, buffer, PJRT_Buffer_Dimensions_Args, buffer);
FIELD(BufferDimensionsArgs, dims, PJRT_Buffer_Dimensions_Args, dims);
FIELD(BufferDimensionsArgs, num_dims, PJRT_Buffer_Dimensions_Args, num_dims);
SIZE(BufferIsDeletedArgs, PJRT_Buffer_IsDeleted_Args);
FIELD(BufferIsDeletedArgs, buffer, PJRT_Buffer_IsDeleted_Args, buffer);
FIELD(BufferIsDeletedArgs, deleted, PJRT_Buffer_IsDeleted_Args, is_deleted);
SIZE(CopyToDeviceArgs, PJRT_Buffer_CopyToDevice_Args);
FIELD(CopyToDeviceArgs, buffer, PJRT_Buffer_CopyToDevice_Args, buffer);
FIELD(CopyToDeviceArgs, device, PJRT_Buffer_CopyToDevice_Args, dst_device);
FIELD(CopyToDeviceArgs, copy, PJRT_Buffer_CopyToDevice_Args, dst_buffer);
SIZE(ToHostArgs, PJRT_Buffer_ToHostBuffer_Args);
FIELD(ToHostArgs, buffer, PJRT_Buffer_ToHostBuffer_Args, src);
FIELD(ToHostArgs, layout, PJRT_Buffer_ToHostBuffer_Args, host_layout);
FIELD(ToHostArgs, data, PJRT_Buffer_ToHostBuffer_Args, dst);
FIELD(ToHostArgs, size, PJRT_Buffer_ToHostBuffer_Args, dst_size);
FIELD(ToHostArgs, done, PJRT_Buffer_ToHostBuffer_Args, event);

#ifdef PLANTED_FAULT
FIELD(ToHostArgs, size, PJRT_Buffer_ToHostBuffer_Args, dst);
#endif
