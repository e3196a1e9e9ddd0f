#include "exercises.h"

#include <ostream>

#include "td/device/stream.h"

// answer: auto_is_the_first_device
// expect: a kind without index, and auto, mean the current device
// auto is the first device of the kind.
namespace auto_is_the_first_device {
namespace {

td::Device preferred() {
  return td::Device(td::preferred_accelerator(), td::preferred_accelerator() == td::kCPU ? -1 : 0);
}

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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace auto_is_the_first_device

// answer: current_too_early
// expect: sim:1 was the current sim device before the error
// Makes each device current while it reads the options.
namespace current_too_early {
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
      try {
        td::set_device(name);
      } catch (const td::DeviceError&) {
      }
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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace current_too_early

// answer: empty_value_is_auto
// expect: arguments { --device= }, TD_DEVICE="": an error was expected, none was thrown
// Takes an empty value for one that was not given.
namespace empty_value_is_auto {
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
  if (name.empty() || name == "auto") {
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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace empty_value_is_auto

// answer: falls_back_always
// expect: an error was expected, none was thrown
// A device of the option that does not exist becomes a quiet fallback.
namespace falls_back_always {
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
      log << source << '=' << name << " is not used: " << reason.what() << '\n';
      start.device = preferred(), source = "auto";
    }
  }
  if (!start.device.is_cpu()) td::set_device(start.device);
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace falls_back_always

// answer: first_option_counts
// expect: expected sim:1, got sim:0
// Takes the first --device.
namespace first_option_counts {
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
    if (argument == option && source != option) {
      if (++i == arguments.size()) throw td::DeviceError("--device needs the name of a device");
      name = arguments[i], source = option;
    } else if (argument.rfind(option + '=', 0) == 0 && source == option) {
      continue;
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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace first_option_counts

// answer: keeps_the_option
// expect: expected to be left over
// Leaves the option among the other arguments.
namespace keeps_the_option {
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
    start.rest.push_back(argument);
    if (argument == option) {
      if (++i == arguments.size()) throw td::DeviceError("--device needs the name of a device");
      name = arguments[i], source = option;
    } else if (argument.rfind(option + '=', 0) == 0) {
      name = argument.substr(option.size() + 1), source = option;
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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace keeps_the_option

// answer: names_all_sources
// expect: names only the source that was used, --device
// Ends the last line of the log with a list of all sources.
namespace names_all_sources {
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
}  // namespace names_all_sources

// answer: never_falls_back
// expect: no error was expected, but this was thrown
// A device of the variable that does not exist is an error.
namespace never_falls_back {
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
      if (source != "auto") throw;
      log << source << '=' << name << " is not used: " << reason.what() << '\n';
      start.device = preferred(), source = "auto";
    }
  }
  if (!start.device.is_cpu()) td::set_device(start.device);
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace never_falls_back

// answer: not_current
// expect: sim:1 should be the current sim device
// Returns the device, and forgets to make it current.
namespace not_current {
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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace not_current

// answer: quiet_replacement
// expect: a line of the log should contain TD_DEVICE
// Replaces the device of the variable and does not log it.
namespace quiet_replacement {
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
      start.device = preferred(), source = "auto";
    }
  }
  if (!start.device.is_cpu()) td::set_device(start.device);
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace quiet_replacement

// answer: source_stays
// expect: the last line of the log contains "auto"
// After the replacement, the log still names TD_DEVICE.
namespace source_stays {
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
      start.device = preferred();
    }
  }
  if (!start.device.is_cpu()) td::set_device(start.device);
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace source_stays

// answer: takes_the_prefix
// expect: options that only begin like it are left over
// "--devices" begins like "--device".
namespace takes_the_prefix {
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
    } else if (argument.rfind(option, 0) == 0) {
      name = argument.substr(argument.find('=') + 1), source = option;
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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace takes_the_prefix

// answer: variable_first
// expect: arguments { --device=sim:0 }, TD_DEVICE="sim:1": expected sim:0, got sim:1
// The variable overrides the option.
namespace variable_first {
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
  if (!from_environment.empty()) name = from_environment, source = "TD_DEVICE";
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
  log << "device: " << start.device << ", " << td::device_name(start.device) << " (from " << source
      << ")\n";
  return start;
}
}  // namespace variable_first
