// Element-wise functions of two tensors: one body for all lines of binary.def and
// binary_integer.def, and their forms for numbers, in place and with a rounding mode; and clamp. A
// line becomes a functor, the gradients as an expression of Tensors, and a BinaryOp that holds
// them. add and sub are in add.cu.
#include "td/ops/pointwise/binary.h"

#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>

#include "td/kernels/pointwise.h"
#include "td/kernels/scalar_math.h"

namespace td {
namespace {

// One line of a list, as data.
struct BinaryOp {
  Op op;
  const autocast::Rule* rule;
  bool makes_float;
  void (*forward)(const char* name, const Tensor& out, const Tensor& a, const Tensor& b);
  // The gradient of a (`of` 0) or b (1).
  Tensor (*gradient)(int of, const Tensor& g, const SavedVariable& a, const SavedVariable& b);
};

// At the borders of its domain a power has the gradient 0: x^0 is constant, and 0^x is 0.
Tensor power_gradient_base(const Tensor& g, const Tensor& a, const Tensor& b) {
  return where(b == Scalar(0), Scalar(0), g * (b * pow(a, all_digits(b) - 1)));
}
Tensor power_gradient_exponent(const Tensor& g, const Tensor& a, const Tensor& b) {
  const Tensor flat = logical_and(a == Scalar(0), b >= Scalar(0));
  return where(flat, Scalar(0), g * pow(a, b) * log(all_digits(a)));
}

// out[i] = F::of(a[i], b[i], fmod(a[i], b[i])) on the host.
template <class F>
void row_with_rest(std::int64_t n, float* out, const float* a, const float* b) {
  double rest[kRowTile];
  for (std::int64_t from = 0; from < n;
       from += kRowTile, out += kRowTile, a += kRowTile, b += kRowTile) {
    const std::int64_t m = std::min(kRowTile, n - from);
    host_math::fmod(m, a, b, rest);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < m; ++i) out[i] = F::of(a[i], b[i], static_cast<float>(rest[i]));
  }
}

#define BINARY(name, expression, of_a, of_b)                                               \
  struct name##_f {                                                                        \
    static constexpr bool kNeedsRest =                                                     \
        std::string_view(#expression).find("rest") != std::string_view::npos;              \
    template <class T>                                                                     \
    TD_HD static T of(T a, T b, [[maybe_unused]] T rest) {                                 \
      using namespace scalar_math;                                                         \
      return static_cast<T>(expression);                                                   \
    }                                                                                      \
    template <class T>                                                                     \
    TD_HD T operator()(T a, T b) const {                                                   \
      if constexpr (kNeedsRest)                                                            \
        return of(a, b, scalar_math::rest_of(a, b));                                       \
      else                                                                                 \
        return of(a, b, T(0));                                                             \
    }                                                                                      \
    template <std::same_as<float> T>                                                       \
    void row(std::int64_t n, T* out, const T* a, const T* b) const requires(kNeedsRest) {  \
      row_with_rest<name##_f>(n, out, a, b);                                               \
    }                                                                                      \
  };                                                                                       \
  Tensor name##_gradient(int of, const Tensor& g, [[maybe_unused]] const SavedVariable& a, \
                         [[maybe_unused]] const SavedVariable& b) {                        \
    return of == 0 ? of_a : of_b;                                                          \
  }                                                                                        \
  constexpr BinaryOp name##_op{{#name, {"input", "other"}},                                \
                               autocast::find(#name),                                      \
                               std::string_view(#name) == "div",                           \
                               pointwise_numbers<name##_f, Tensor, Tensor>,                \
                               name##_gradient};
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY

// x to the power kHalves / 2 by products and roots, as libtorch computes it: of -0 and -infinity
// the power 0.5 is their root, which is -0 and NaN.
template <int kHalves>
struct Power {
  template <class T>
  TD_HD T operator()(T x) const {
    constexpr int size = kHalves < 0 ? -kHalves : kHalves;
    const T positive = size == 1   ? scalar_math::sqrt(x)
                       : size == 2 ? x
                       : size == 4 ? x * x
                                   : x * x * x;
    return kHalves > 0 ? positive : T(1) / positive;
  }
};

template <int kHalves>
void power_kernel(const Tensor& out, const Tensor& x) {
  dispatch_floats("pow", out.dtype(),
                  [&]<class T>(CppType<T>) { pointwise<T, T>("pow", Power<kHalves>{}, out, x); });
}

// The kernel for an exponent that is one number, known to the host; nullptr: there is none.
void (*power_kernel_for(const Tensor& x, const Tensor& exponent))(const Tensor&, const Tensor&) {
  if (!exponent.is_cpu() || exponent.dim() != 0 || !x.is_floating_point()) return nullptr;
  const double halves = dispatch_floats("pow", exponent.dtype(), [&]<class T>(CppType<T>) {
    return 2 * static_cast<double>(static_cast<compute_t<T>>(*exponent.data_ptr<T>()));
  });
  return halves == -4   ? power_kernel<-4>
         : halves == -2 ? power_kernel<-2>
         : halves == -1 ? power_kernel<-1>
         : halves == 1  ? power_kernel<1>
         : halves == 2  ? power_kernel<2>
         : halves == 4  ? power_kernel<4>
         : halves == 6  ? power_kernel<6>
                        : nullptr;
}

// Of bool tensors a product and a minimum are "and", a maximum is "or".
void run(const BinaryOp& o, const Tensor& out, const Tensor& a, const Tensor& b) {
  if (out.dtype() == kBool) {
    if (&o == &mul_op || &o == &minimum_op) return kernels::logical_and(out, a, b);
    if (&o == &maximum_op) return kernels::logical_or(out, a, b);
  }
  if (&o == &pow_op)
    if (const auto kernel = power_kernel_for(a, b)) return kernel(out, a);
  o.forward(o.op.name, out, a, b);
}

// The gradients. `old_a` and `old_b` hold the values before a change in place.
auto gradients(const BinaryOp& o, const Tensor& a, const Tensor& b, SavedVariable old_a,
               SavedVariable old_b) {
  return [&o, a = std::move(old_a), b = std::move(old_b), form_a = ArgumentForm(a),
          form_b = ArgumentForm(b)](Gradients& grads, const Tensor& g) {
    grads.set_lazily(0, [&] { return form_a.fit(o.gradient(0, g, a, b)); });
    grads.set_lazily(1, [&] { return form_b.fit(o.gradient(1, g, a, b)); });
  };
}

Tensor binary(const BinaryOp& o, const Tensor& a, const Tensor& b) {
  if (autocast::active() && o.rule) [[unlikely]]
    return autocast::run(
        *o.rule, [&o](const Tensor& x, const Tensor& y) { return binary(o, x, y); }, a, b);
  BinaryArguments p = prepare(o.op, a, b, o.makes_float);
  run(o, p.out, p.a, p.b);
  if (recording(a, b)) record(o.op.name, p.out, {&a, &b}, gradients(o, a, b, save(a), save(b)));
  return std::move(p.out);
}

Tensor& binary_in_place(const BinaryOp& o, Tensor& a, const Tensor& b) {
  TD_CHECK(DtypeError, !o.makes_float || a.is_floating_point(), o.op.name,
           "_: the result is floating point and cannot be kept in ", a.dtype(), "; use ", o.op.name,
           "() or convert the tensor first");
  const InType other = prepare_in_place(o.op, a, b);
  const bool recorded = recording(a, b);
  SavedVariable old_a, old_b;
  if (recorded) old_a = save(a.clone()), old_b = save(b);  // b may share the memory that changes
  begin_inplace(o.op.name, a);
  run(o, a, a, other);
  if (recorded) record_in_place(o.op.name, a, {&a, &b}, gradients(o, a, b, old_a, old_b));
  return a;
}

// true where the limits leave x as it is: there the gradient passes.
Tensor inside(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max) {
  if (!max) return x.ge(*min);
  if (!min) return x.le(*max);
  return logical_and(x.ge(*min), x.le(*max));
}

// A NaN is neither smaller nor larger, so it stays.
template <class T>
struct Clamp {
  T min, max;
  TD_HD T operator()(T x) const {
    const T raised = x < min ? min : x;
    return raised > max ? max : raised;
  }
};

bool is_nan(const optional<Scalar>& limit) { return limit && std::isnan(limit->to<double>()); }

// A limit that is not given is one that no number exceeds. One that is NaN makes every result NaN.
void limit(const Tensor& out, const Tensor& x, const optional<Scalar>& min,
           const optional<Scalar>& max) {
  if (is_nan(min) || is_nan(max)) return kernels::fill(out, std::nan(""));
  dispatch_numbers("clamp", out.dtype(), [&]<class T>(CppType<T>) {
    using C = compute_t<T>;
    using Range = std::numeric_limits<C>;
    const C lowest = Range::has_infinity ? static_cast<C>(-Range::infinity()) : Range::lowest();
    const C highest = Range::has_infinity ? Range::infinity() : Range::max();
    const Clamp<C> f{min ? min->to<C>() : lowest, max ? max->to<C>() : highest};
    pointwise<T, T>("clamp", f, out, x);
  });
}

void check_limits(const optional<Scalar>& min, const optional<Scalar>& max, ScalarType type) {
  TD_CHECK(Error, min || max, "clamp: give at least one of min and max");
  if (min) min->check_fits(type);
  if (max) max->check_fits(type);
}

}  // namespace

BinaryArguments prepare(const Op& op, const Tensor& a, const Tensor& b, bool makes_float) {
  const Device device = common_device(op, a, b);
  ScalarType type = result_type(a, b);
  if (makes_float) type = float_type(type);
  const Sizes sizes = a.impl().sizes == b.impl().sizes
                          ? a.impl().sizes
                          : broadcast_sizes(op.name, a.sizes(), b.sizes());
  return {{a, type}, {b, type}, result_like(a, b, sizes, type, device)};
}

InType prepare_in_place(const Op& op, const Tensor& a, const Tensor& b) {
  const Device device = common_device(op, a, b);
  TD_CHECK(DeviceError, a.device() == device, op.name, "_: \"input\" is a number on ", a.device(),
           " and cannot keep a result on ", device, "; move it with to(\"", device, "\")");
  check_can_keep(op.name, result_type(a, b), a);
  TD_CHECK(ShapeError,
           a.impl().sizes == b.impl().sizes ||
               broadcast_sizes(op.name, a.sizes(), b.sizes()) == a.impl().sizes,
           op.name, "_: \"other\" of sizes ", b.sizes(), " does not fit into \"input\" of sizes ",
           a.sizes(), ", which is changed in place");
  assert_no_partial_overlap(op.name, a, b, "other");
  return {b, a.dtype()};
}

void check_can_keep(const char* op, ScalarType type, const Tensor& self) {
  TD_CHECK(DtypeError, can_cast(type, self.dtype()), op, "_: a result of type ", type,
           " cannot be kept in a tensor of type ", self.dtype(),
           "; convert it first with to(dtype)");
}

Tensor number_beside(const Tensor& input, const Scalar& value, bool makes_float) {
  if (!input.defined()) return wrapped_number(value);  // the operation says what is wrong
  const ScalarType type = result_type(input, value);
  return wrapped_number(value, makes_float ? float_type(type) : type);
}

Tensor all_digits(const Tensor& x) { return x.impl().wrapped_number ? x.view({}).to(kFloat64) : x; }

#define BINARY(name, ...) \
  Tensor name(const Tensor& input, const Tensor& other) { return binary(name##_op, input, other); }
#include "td/ops/pointwise/binary.def"
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY

Tensor maximum_grad_weight(const Tensor& a, const Tensor& b) {
  NoGradGuard no_grad;  // a step function: its own gradient is zero
  const ScalarType type = result_type(a, b);
  return Scalar(1) - lt(a, b).to(type) - eq(a, b).to(type) * Scalar(0.5);  // 1 for NaN
}

Tensor mul(const Tensor& input, const Scalar& other) {
  return mul(input, number_beside(input, other));
}
Tensor div(const Tensor& input, const Scalar& other) {
  return div(input, number_beside(input, other, true));
}
Tensor pow_impl(const Tensor& input, const Scalar& exponent) {
  const bool integers = !input.is_floating_point() && !exponent.is_floating_point();
  TD_CHECK(DtypeError, !integers || exponent.to<std::int64_t>() >= 0, "pow: an integer to the ",
           "power ", exponent.to<std::int64_t>(), " is not an integer; convert with to(kFloat32)");
  return exponent.to<double>() == 2.0 && input.is_floating_point()
             ? square(input)
             : pow(input, wrapped_number(exponent));
}
Tensor pow_impl(const Scalar& base, const Tensor& exponent) {
  return pow(wrapped_number(base), exponent);
}
Tensor operator/(const Scalar& a, const Tensor& b) { return div(number_beside(b, a, true), b); }

Tensor div(const Tensor& input, const Tensor& other, optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div(input, other);
  common_device(div_op.op, input, other);  // here, so that errors say "div"
  broadcast_sizes("div", input.sizes(), other.sizes());
  if (*rounding_mode == "trunc") return div_trunc(input, other);
  TD_CHECK(Error, *rounding_mode == "floor",
           "div: the rounding mode must be \"trunc\" or \"floor\" but is \"", *rounding_mode, "\"");
  return div_floor(input, other);
}
Tensor div(const Tensor& input, const Scalar& other, optional<std::string_view> rounding_mode) {
  return div(input, wrapped_number(other), rounding_mode);
}
Tensor remainder(const Tensor& input, const Scalar& other) {
  return remainder(input, wrapped_number(other));
}
Tensor remainder(const Scalar& input, const Tensor& other) {
  return remainder(wrapped_number(input), other);
}

Tensor& Tensor::mul_(const Tensor& other) const { return binary_in_place(mul_op, handle(), other); }
Tensor& Tensor::div_(const Tensor& other) const { return binary_in_place(div_op, handle(), other); }
Tensor& Tensor::mul_(const Scalar& other) const { return mul_(number_beside(*this, other)); }
Tensor& Tensor::div_(const Scalar& other) const { return div_(number_beside(*this, other)); }

// Computed into a new tensor, from a copy if recorded, so that the gradient finds the old values.
Tensor& Tensor::div_(const Tensor& other, optional<std::string_view> rounding_mode) const {
  const Tensor result = td::div(recording(*this, other) ? clone() : *this, other, rounding_mode);
  check_can_keep("div", result.dtype(), *this);
  TD_CHECK(ShapeError, result.sizes() == sizes(), "div_: a result of sizes ", result.sizes(),
           " does not fit into \"input\" of sizes ", sizes(), ", which is changed in place");
  check_inplace("div_", *this);
  return copy_(result);
}
Tensor& Tensor::div_(const Scalar& other, optional<std::string_view> rounding_mode) const {
  return div_(wrapped_number(other), rounding_mode);
}
Tensor clamp(const Tensor& input, optional<Scalar> min, optional<Scalar> max) {
  device_of("clamp", input);
  ScalarType type = input.dtype();
  if (min) type = result_type(input, *min);
  if (max) type = promote_types(type, result_type(input, *max));
  check_limits(min, max, type);
  const Tensor x = as_type(input, type);
  Tensor out = result_like(x, x.impl().sizes, type, x.device());
  limit(out, x, min, max);
  if (recording(x))
    record("clamp", out, {&x}, [x = save(x), min, max](const Tensor& g) {
      return where(inside(x().detach(), min, max), g, Scalar(0));
    });
  return out;
}
Tensor clamp_min(const Tensor& input, const Scalar& min) { return clamp(input, min); }
Tensor clamp_max(const Tensor& input, const Scalar& max) { return clamp(input, nullopt, max); }

Tensor& Tensor::clamp_(optional<Scalar> min, optional<Scalar> max) const {
  device_of("clamp", *this);
  check_limits(min, max, dtype());
  const Tensor kept = recording(*this) ? inside(detach(), min, max) : Tensor();
  begin_inplace("clamp_", *this);
  limit(*this, *this, min, max);
  if (recording(*this))
    record_in_place("clamp", *this, {this},
                    [kept](const Tensor& g) { return td::where(kept, g, Scalar(0)); });
  return handle();
}
Tensor& Tensor::clamp_min_(const Scalar& min) const {
  check_inplace("clamp_min_", *this);
  return clamp_(min);
}
Tensor& Tensor::clamp_max_(const Scalar& max) const {
  check_inplace("clamp_max_", *this);
  return clamp_(nullopt, max);
}

}  // namespace td
