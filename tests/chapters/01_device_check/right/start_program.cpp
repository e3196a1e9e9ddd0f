#include "exercises.h"

#include <optional>
#include <ostream>

#include "td/device/stream.h"

// answer: in_steps
// Collects the names first, then decides; one function per decision, other texts in the log.
namespace in_steps {
namespace {

std::optional<std::string> take_option(std::vector<std::string>& arguments) {
  std::optional<std::string> value;
  std::vector<std::string> rest;
  for (auto it = arguments.begin(); it != arguments.end(); ++it) {
    if (*it == "--device") {
      if (it + 1 == arguments.end()) throw td::DeviceError("no value after --device");
      value = *++it;
    } else if (it->compare(0, 9, "--device=") == 0) {
      value = it->substr(9);
    } else {
      rest.push_back(*it);
    }
  }
  arguments = rest;
  return value;
}

td::Device read(const std::string& text, const char* source) {
  try {
    return {text};
  } catch (const td::DeviceError&) {
    throw td::DeviceError("cannot use \"" + text + "\" of " + source);
  }
}

td::Device best() {
  for (const td::DeviceType type : {td::kCUDA, td::kSIM})
    if (td::device_count(type) > 0) return td::Device(type, td::current_device(type));
  return td::kCPU;
}

}  // namespace

Start start_program(const std::vector<std::string>& arguments, const Environment& environment,
                    std::ostream& log) {
  std::vector<std::string> rest = arguments;
  const auto option = take_option(rest);
  const std::string variable = option ? "" : environment("TD_DEVICE");
  std::optional<td::Device> device;
  std::string why = "auto";
  if (option && *option != "auto") {
    device = td::check_device(read(*option, "--device"));
    why = "--device";
  } else if (!variable.empty() && variable != "auto") {
    const td::Device wish = read(variable, "TD_DEVICE");
    try {
      device = td::check_device(wish);
      why = "TD_DEVICE";
    } catch (const td::DeviceError& error) {
      log << "warning: TD_DEVICE asks for " << variable << ", but " << error.what() << '\n';
    }
  }
  const td::Device chosen = device ? *device : best();
  if (chosen.type() != td::kCPU) td::set_device(chosen);
  log << '[' << why << "] " << td::device_name(chosen) << ' ' << chosen << std::endl;
  return {chosen, rest};
}
}  // namespace in_steps
