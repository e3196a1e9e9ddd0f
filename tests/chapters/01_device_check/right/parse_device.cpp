#include <algorithm>
#include <sstream>

#include "exercises.h"

// answer: with_algorithms
// The spelling of the processor first; then a search, and a message in other words.
namespace with_algorithms {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  td::Device wish = text;
  if (wish == td::Device("cpu:0")) wish = td::kCPU;
  const bool exists = std::any_of(devices.begin(), devices.end(), [&](td::Device one) {
    return wish.has_index() || wish.is_cpu() ? one == wish : one.type() == wish.type();
  });
  if (exists) return wish;
  std::ostringstream message;
  message << "Use one of these:";
  for (const td::Device one : devices) message << " [" << one << ']';
  message << ", because \"" << text << "\" does not exist here.";
  throw td::DeviceError(message.str());
}
}  // namespace with_algorithms

// answer: rewords_the_form
// Catches the error of td::Device and adds a line to it.
namespace rewords_the_form {
td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  std::string all;
  for (const td::Device one : devices) all += one.str() + '\n';
  td::Device wish = td::kCPU;
  try {
    wish = td::Device(text);
  } catch (const td::DeviceError& error) {
    throw td::DeviceError(std::string(error.what()) + "\nThis machine has\n" + all);
  }
  const auto same = [&](td::Device one) { return one.type() == wish.type(); };
  const auto count = std::count_if(devices.begin(), devices.end(), same);
  if (wish.is_cpu() && wish.index() < count) return td::kCPU;
  if (!wish.is_cpu() && count > 0 && !wish.has_index()) return wish;
  if (std::find(devices.begin(), devices.end(), wish) != devices.end()) return wish;
  throw td::DeviceError('"' + text + "\" is missing. This machine has\n" + all);
}
}  // namespace rewords_the_form
