// The listener of launches and copies; see record.h.
#include "td/device/record.h"

#include "td/base/span.h"

namespace td {

void run_with_span(const Record& record) {
  const trace::Span span(record.name, trace::Category::kOperator);
  record.run(record.work);
}

void (*record_observer)(const Record& record, Device device) = nullptr;

}  // namespace td
