// The four TD_SIM_ variables: accepted, or an error that names the variable and its value.
#include "sim/settings.h"

#include <map>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  std::map<std::string, std::string> variables;
  for (const char* name : {"TD_SIM_DEVICES", "TD_SIM_MEMORY", "TD_SIM_LINK", "TD_SIM_LAUNCH_COST"})
    // As in an environment, a value ends at its first zero byte.
    if (const std::string value = input.part(); !value.empty()) variables[name] = value.c_str();
  const std::string error = td::sim::Settings([&](const char* name) {
                              const auto found = variables.find(name);
                              return found == variables.end() ? nullptr : found->second.c_str();
                            }).error;
  if (error.empty()) return 0;
  bool named = false;
  for (const auto& [name, value] : variables) named |= error.find(name + "=" + value) == 0;
  fuzz::expect(named, "the refusal names the variable and its value");
  fuzz::expect(error.find("expected") != error.npos, "the refusal says what was expected");
  return 0;
}
