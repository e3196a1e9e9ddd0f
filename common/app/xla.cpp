// Opens XLA's plugin for the programs of chapter 10.
#include "app/xla.h"

#include <cstdlib>
#include <iostream>

#include "app/app.h"

namespace app {
namespace {

using td::xla::Client;

// Creates as many devices as replicas. Only XLA's plugin for the CPU has the option; other plugins
// have the devices of the hardware and reject it.
Client client_of(const td::xla::Plugin& plugin, int replicas) {
  try {
    return Client(plugin, replicas);
  } catch (const td::xla::XlaError&) {
    return Client(plugin);
  }
}

}  // namespace

Client open_xla(int replicas) {
  setenv("TF_CPP_MIN_LOG_LEVEL", "1", 0);  // XLA's log: warnings, no information
  try {
    const td::xla::Plugin plugin = td::xla::Plugin::load(td::xla::find_plugin());
    const Client client = client_of(plugin, replicas);
    std::cout << "plugin: " << client.platform() << ", PJRT " << plugin.version() << '\n';
    for (std::size_t i = 0; i < client.devices().size(); ++i)
      std::cout << "  xla:" << i << "  " << client.devices()[i].kind << "  "
                << client.devices()[i].text << '\n';
    return client;
  } catch (const td::xla::PluginMissing& missing) {
    throw CannotRunHere(missing.what());
  }
}

Client start_xla(int argc, char** argv, const std::string& summary) {
  td::optional<Client> client;
  start_without_device(argc, argv, summary, kXlaDevices, [&] { client = open_xla(1); });
  return *client;
}

}  // namespace app
