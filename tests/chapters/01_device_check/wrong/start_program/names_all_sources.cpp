// expect: names only the source that was used, --device
// Ends the last line of the log with a list of all sources.
#include <ostream>

#include "exercises.h"
#include "td/device/stream.h"

namespace {

td::Device preferred() { return td::check_device(td::preferred_accelerator()); }

/// The device of a string; the error names the string and where it came from.
td::Device parsed(const std::string& name, const std::string& source) {
  try {
    return td::Device(name);
  } catch (const td::DeviceError& error) {
    throw td::DeviceError(source + ": \"" + name + "\" is not a device. " + error.what());
  }
}

}  // namespace

Start start_program(const std::vector<std::string>& arguments, const Environment& environment,
                    std::ostream& log) {
  Start start{td::Device(td::kCPU), {}};
  std::string name = "auto", source = "auto";
  const std::string option = "--device", from_environment = environment("TD_DEVICE");
  if (!from_environment.empty()) name = from_environment, source = "TD_DEVICE";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == option) {
      if (++i == arguments.size()) throw td::DeviceError("--device needs the name of a device");
      name = arguments[i], source = option;
    } else if (argument.rfind(option + '=', 0) == 0) {
      name = argument.substr(option.size() + 1), source = option;
    } else {
      start.rest.push_back(argument);
    }
  }
  if (name == "auto") {
    start.device = preferred(), source = "auto";
  } else {
    const td::Device wish = parsed(name, source);
    try {
      start.device = td::check_device(wish);
    } catch (const td::DeviceError& reason) {
      if (source == option) throw;
      log << source << '=' << name << " is not used: " << reason.what() << '\n';
      start.device = preferred(), source = "auto";
    }
  }
  if (!start.device.is_cpu()) td::set_device(start.device);
  log << "device: " << start.device << ", " << td::device_name(start.device)
      << " (from --device, TD_DEVICE or auto)\n";
  return start;
}
