// Opening a plugin, the guards before each call, and errors as exceptions.
#include "xla/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace td::xla {
namespace {

// Before version 0.57 the table had another order.
constexpr int kOldestMinor = 57;
constexpr int kUnimplemented = 12;

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
  plugin.call(abi::kPluginInitialize, args);
  return plugin;
}

std::string Plugin::version() const {
  return std::to_string(api_->version.major) + '.' + std::to_string(api_->version.minor);
}

abi::Function Plugin::function(unsigned place, const char* what) const {
  abi::Function found = nullptr;
  // The plugin's table may end before ours.
  if (sizeof(abi::Api) + (place + 1) * sizeof found <= api_->struct_size)
    std::memcpy(&found, reinterpret_cast<const char*>(api_ + 1) + place * sizeof found,
                sizeof found);
  if (!found)
    throw XlaError(kUnimplemented, what + (": this plugin has no such function; its interface is "
                                           "version " +
                                           version()));
  return found;
}

void Plugin::throw_error(abi::Error* error, const char* what) const {
  // For the two functions that return nothing: call() would read an undefined register.
  const auto call_void = [this](const auto& slot, auto& args) {
    args.head.struct_size = sizeof args;
    function(slot.place, slot.name)(&args);
  };
  abi::QueryArgs<abi::Error, abi::Text> message{.object = error};
  call_void(abi::kErrorMessage, message);
  const std::string text(message.answer.data, message.answer.size);
  const int code = ask(abi::kErrorGetCode, error);
  abi::ObjectArgs<abi::Error> destroyed{.object = error};
  call_void(abi::kErrorDestroy, destroyed);
  throw XlaError(code, what + (": " + text));
}

void Plugin::wait(abi::Event* event, const char* what) const {
  if (!event) return;
  // Destroyed also when it has an error.
  const std::shared_ptr<abi::Event> owned(
      event, [this](abi::Event* e) { destroy(abi::kEventDestroy, e); });
  abi::ObjectArgs<abi::Event> args{.object = event};
  call(abi::kEventAwait, args, what);
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
