// The frame of a main program whose devices are those of an XLA plugin. Included by chapter 10's.
#pragma once

#include <string>

#include "xla/client.h"

namespace app {

/// As start() of app.h: takes `--help`, opens the plugin that PJRT_PLUGIN names, prints its
/// devices, and returns the client. Ends the process with code 77 if there is no plugin.
td::xla::Client start_xla(int argc, char** argv, const std::string& summary);

/// Opens the plugin, and prints its platform and devices. @param replicas as many devices are
/// needed. @throws CannotRunHere if there is no plugin.
td::xla::Client open_xla(int replicas);

/// Why these programs have no --device.
inline constexpr const char* kXlaDevices =
    "its devices are those of an XLA plugin, which PJRT_PLUGIN names, not td's cpu, sim and cuda";

}  // namespace app
