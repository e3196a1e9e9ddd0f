// Device names: parsing, printing, and the check whether a named device exists. Every error here is
// for learners: it names what was written, what exists, and what to write instead.
#include "td/device/device.h"

#include <algorithm>
#include <cctype>

#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/device/context.h"

namespace td {
namespace {

/// "Write cpu, sim or sim:0, cuda or cuda:0."
std::string spellings() {
  std::string text = "Write cpu";
  for (int i = 1; i < kDeviceTypes; ++i)
    text += std::string(", ") + kDeviceNames[i] + " or " + kDeviceNames[i] + ":0";
  return text + '.';
}

DeviceType parse_type(const std::string& text, const std::string& kind) {
  const auto named = [](const std::string& name) {
    return std::find(std::begin(kDeviceNames), std::end(kDeviceNames), name) - kDeviceNames;
  };
  if (named(kind) < kDeviceTypes) return static_cast<DeviceType>(named(kind));
  std::string lower = kind;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "tpu" || lower == "xla")
    fail<DeviceError>('"', text,
                      "\" is not a device of tensors here: chapter 10, \"XLA and TPU\", ",
                      "shows how programs run on XLA devices. ", spellings());
  std::string meant;
  if (lower == "gpu") meant = "cuda:0";
  if (named(lower) < kDeviceTypes) meant = lower + text.substr(kind.size());
  fail<DeviceError>('"', text, "\" is not a device",
                    meant.empty() ? ". " : "; did you mean \"" + meant + "\"? ", spellings());
}

int parse_index(const std::string& text, const std::string& kind, const std::string& digits) {
  const bool number = !digits.empty() && digits.size() <= 9 &&
                      digits.find_first_not_of("0123456789") == digits.npos;
  TD_CHECK(DeviceError, number, '"', text,
           "\" is not a device: after the colon comes an index, as in ", kind, ":0.");
  TD_CHECK(DeviceError, digits == "0" || digits[0] != '0', '"', text,
           "\" is not a device: write the index without leading zeros, as in ", kind, ":0.");
  const int index = std::stoi(digits);
  TD_CHECK(DeviceError, index <= kLargestDeviceIndex, '"', text,
           "\" is not a device: an index is at most ", kLargestDeviceIndex, ".");
  return index;
}

std::string list_devices(DeviceType type, int count) {
  const std::string kind = device_type_name(type);
  if (count == 1) return "1 " + kind + " device, " + kind + ":0";
  return std::to_string(count) + ' ' + kind + " devices, " + kind + ":0 to " + kind + ':' +
         std::to_string(count - 1);
}

[[noreturn, gnu::cold]] void refuse_device(Device device, int count) {
  if (device.is_cpu())
    fail<DeviceError>("there is no ", device, ": the processor is one device; write cpu.");
  if (count == 0)
    fail<DeviceError>("there is no ", device, ": ", backend(device.type()).unavailable_reason());
  fail<DeviceError>("there is no ", device, ": this process has ",
                    list_devices(device.type(), count), ". Use one of them",
                    backend(device.type()).more_devices_hint(device.index() + 1), ".");
}

}  // namespace

void Device::refuse_index(DeviceType type, int index) {
  fail<DeviceError>("device index ", index, " of ", device_type_name(type),
                    " is out of range: use 0 or more, or leave it out for the current device.");
}

Device::Device(const std::string& text) : type_(kCPU), index_(-1) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  type_ = parse_type(text, kind);
  if (colon != text.npos)
    index_ = static_cast<std::int8_t>(parse_index(text, kind, text.substr(colon + 1)));
}

std::string Device::str() const {
  std::string text = device_type_name(type_);
  if (has_index()) text += ':' + std::to_string(index_);
  return text;
}

std::ostream& operator<<(std::ostream& out, Device device) { return out << device.str(); }

int device_count(DeviceType type) { return std::min(backend(type).device_count(), kMaxDevices); }

DeviceType preferred_accelerator() {
  int type = kDeviceTypes - 1;
  while (type > 0 && device_count(static_cast<DeviceType>(type)) == 0) --type;
  return static_cast<DeviceType>(type);
}

Device check_device(Device device) {
  if (device.is_cpu()) {
    if (device.index() > 0) refuse_device(device, 1);
    return kCPU;
  }
  const int count = device_count(device.type());
  const int index = device.has_index() ? device.index()
                                       : context().current_device[static_cast<int>(device.type())];
  if (index >= count) [[unlikely]]
    refuse_device(device, count);
  return {device.type(), index};
}

std::string device_name(Device device) {
  const Device checked = check_device(device);
  return backend(checked.type()).name(std::max(checked.index(), 0));
}

}  // namespace td
