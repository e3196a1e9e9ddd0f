// The listener of launches and copies; see record.h.
#include "td/device/record.h"

namespace td {

void (*record_observer)(const Record& record, Device device) = nullptr;

}  // namespace td
