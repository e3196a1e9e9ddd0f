// Names of the element types and the promotion table.
#include "td/tensor/dtype.h"

namespace td {

const char* dtype_name(ScalarType type) {
  constexpr const char* names[] = {"uint8",   "int32",   "int64", "float16",
                                   "float32", "float64", "bool",  "bfloat16"};
  return names[static_cast<int>(type)];
}

std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << dtype_name(type); }

ScalarType promote_types(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (is_floating_point(a) != is_floating_point(b)) return is_floating_point(a) ? a : b;
  if (is_floating_point(a)) {
    if (a == kDouble || b == kDouble) return kDouble;
    return kFloat;  // half with bfloat16, or either with float
  }
  if (a == kBool) return b;
  if (b == kBool) return a;
  return element_size(a) > element_size(b) ? a : b;  // uint8 < int32 < int64
}

bool can_cast(ScalarType from, ScalarType to) {
  if (is_floating_point(from) && !is_floating_point(to)) return false;
  return from == kBool || to != kBool;
}

}  // namespace td
