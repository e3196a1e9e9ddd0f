// The functions of unary_float.def, which have floating point results.
#include "td/ops/pointwise/unary.h"

namespace td {
namespace {

#define UNARY(name, saves, forward, gradient) \
  TD_UNARY_OP(name, saves, UnaryOp::kMakesFloat, forward, gradient)
#include "td/ops/pointwise/unary_float.def"
#undef UNARY

}  // namespace

#define UNARY(name, ...) TD_UNARY_FUNCTIONS(name)
#include "td/ops/pointwise/unary_float.def"
#undef UNARY

}  // namespace td
