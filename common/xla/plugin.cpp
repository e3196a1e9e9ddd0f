// Opening a plugin, the guards before each call, and errors as exceptions.
#include "xla/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace td::xla {
namespace {

// Before version 0.57 the table had another order.
constexpr int kOldestMinor = 57;
constexpr int kUnimplemented = 12;

std::string text_of(const abi::NamedValue& value) {
  switch (value.type) {
    case abi::ValueType::kString:
      return {value.string, value.value_size};
    case abi::ValueType::kInt64:
      return std::to_string(value.int64);
    case abi::ValueType::kInt64List: {
      std::string list;
      for (std::size_t i = 0; i < value.value_size; ++i)
        list.append(i ? "." : "").append(std::to_string(value.list[i]));
      return list;
    }
    case abi::ValueType::kFloat:
      return std::to_string(value.float32);
    case abi::ValueType::kBool:
      return value.boolean ? "true" : "false";
  }
  return "of a kind unknown here";
}

}  // namespace

Plugin Plugin::load(const std::string& file) {
  TD_CHECK(PluginMissing, std::filesystem::exists(file), "there is no PJRT plugin at ", file,
           ". Look at the path, or run ./course run 10 without it, which fetches XLA's own for the "
           "CPU");
  void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) fail<PluginMissing>("the PJRT plugin cannot be opened: ", dlerror());
  const auto get_api = reinterpret_cast<const abi::Api* (*)()>(dlsym(opened, "GetPjrtApi"));
  TD_CHECK(PluginMissing, get_api, file,
           " is no PJRT plugin: it has no function GetPjrtApi. A plugin's name is like "
           "xla_cpu_pjrt.so, xla_cuda_plugin.so or libtpu.so");
  const abi::Api* const api = get_api();
  TD_CHECK(PluginMissing, api, file, ": GetPjrtApi() gave nothing, so this plugin is not usable");
  const abi::Version& version = api->version;
  TD_CHECK(PluginMissing, version.major == 0 && version.minor >= kOldestMinor, file,
           " speaks version ", version.major, ".", version.minor,
           " of the PJRT interface; this program can drive 0.", kOldestMinor,
           " and later versions 0.x");
  const Plugin plugin(api);
  abi::PluginInitializeArgs args;
  plugin.call(abi::Slot::kPluginInitialize, args, "Plugin_Initialize");
  return plugin;
}

std::string Plugin::version() const {
  return std::to_string(api_->version.major)
      .append(".")
      .append(std::to_string(api_->version.minor));
}

std::vector<std::pair<std::string, std::string>> Plugin::attributes() const {
  abi::PluginAttributesArgs args;
  call(abi::Slot::kPluginAttributes, args, "Plugin_Attributes");
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < args.count; ++i) {
    const abi::NamedValue& value = args.attributes[i];
    all.emplace_back(std::string(value.name, value.name_size), text_of(value));
  }
  return all;
}

abi::Function Plugin::function(abi::Slot slot, const char* what) const {
  const auto index = static_cast<std::size_t>(slot);
  abi::Function found = nullptr;
  // The plugin's table may end before ours.
  if (sizeof(abi::Api) + (index + 1) * sizeof found <= api_->struct_size)
    std::memcpy(&found, reinterpret_cast<const char*>(api_ + 1) + index * sizeof found,
                sizeof found);
  if (!found)
    throw XlaError(kUnimplemented, std::string(what) +
                                       ": this plugin has no such function; its "
                                       "interface is version " +
                                       version());
  return found;
}

void Plugin::throw_error(abi::Error* error, const char* what) const {
  abi::ErrorMessageArgs message;
  message.head.struct_size = sizeof message;
  message.error = error;
  function(abi::Slot::kErrorMessage, "Error_Message")(&message);  // returns nothing
  const std::string text = std::string(what) + ": " + std::string(message.message, message.size);
  abi::ErrorCodeArgs code;
  code.head.struct_size = sizeof code;
  code.error = error;
  if (abi::Error* second = function(abi::Slot::kErrorGetCode, "Error_GetCode")(&code))
    throw_error(second, "Error_GetCode");
  abi::ErrorArgs destroy;
  destroy.head.struct_size = sizeof destroy;
  destroy.error = error;
  function(abi::Slot::kErrorDestroy, "Error_Destroy")(&destroy);  // returns nothing
  throw XlaError(code.code, text);
}

void Plugin::wait(abi::Event* event, const char* what) const {
  if (!event) return;
  // The event is destroyed also when it has an error.
  struct DestroyEvent {
    const Plugin& plugin;
    abi::EventArgs args;
    ~DestroyEvent() { plugin.call_quietly(abi::Slot::kEventDestroy, args); }
  } guard{*this, {}};
  guard.args.event = event;
  abi::EventArgs args;
  args.event = event;
  call(abi::Slot::kEventAwait, args, what);
}

// libtpu hangs on a machine without a TPU, where it queries the network: no plugin is guessed.
std::string find_plugin() {
  const char* const named = std::getenv("PJRT_PLUGIN");
  if (named && *named) return named;
  throw PluginMissing(
      "No XLA device: PJRT_PLUGIN is not set. This program runs on any PJRT plugin:\n"
      "  CPU     ./course run 10 fetches XLA's own plugin, once, and sets PJRT_PLUGIN\n"
      "  NVIDIA  python3 -m pip install 'jax-cuda13-plugin[with-cuda]'\n"
      "          PJRT_PLUGIN=.../site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so\n"
      "  TPU VM  PJRT_PLUGIN=.../site-packages/libtpu/libtpu.so");
}

}  // namespace td::xla
