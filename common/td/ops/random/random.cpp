// Random values, drawn on the tensor's own device from the process's random stream.
#include <limits>
#include <numeric>

#include "td/ops/op.h"
#include "td/ops/random/graph_random.h"
#include "td/ops/random/philox.h"
#include "td/tensor/generator.h"

namespace td {
namespace {

// Draws into dense memory in row-major order, so that the layout of `out` changes no value. Two
// elements a block is what the widest types need; one rule for all keeps streams of different
// types in step.
template <class F>
void draw(const Tensor& out, F kernel) {
  const RandomPiece piece(philox_blocks(out.numel(), 2), out.device());
  const kernels::RandomStream random = piece.stream();
  if (out.is_contiguous()) return kernel(out, random);
  const Tensor dense = empty_on(Sizes(out.sizes()), out.dtype(), out.device());
  kernel(dense, random);
  kernels::convert(out, dense);
}

void draw_uniform(const Tensor& out, double from, double to) {
  draw(out, [&](const Tensor& t, kernels::RandomStream r) { kernels::uniform(t, r, from, to); });
}
void draw_normal(const Tensor& out, double mean, double std) {
  draw(out, [&](const Tensor& t, kernels::RandomStream r) { kernels::normal(t, r, mean, std); });
}

void draw_whole(const Tensor& out, std::int64_t first, std::int64_t last) {
  const std::uint64_t count =
      static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
  draw(out,
       [&](const Tensor& t, kernels::RandomStream r) { kernels::randint(t, r, first, count); });
}

// The largest whole number that a type has, or reaches by ones: floats have gaps further up.
std::int64_t largest_whole(ScalarType type) {
  switch (type) {
    case kBool:
      return 1;
    case kByte:
      return std::numeric_limits<std::uint8_t>::max();
    case kInt:
      return std::numeric_limits<std::int32_t>::max();
    case kLong:
      return std::numeric_limits<std::int64_t>::max();
    case kBFloat16:
      return std::int64_t{1} << 8;
    case kHalf:
      return std::int64_t{1} << 11;
    case kFloat:
      return std::int64_t{1} << 24;
    case kDouble:
      break;
  }
  return std::int64_t{1} << 53;
}

std::int64_t smallest_whole(ScalarType type) {
  if (type == kBool || type == kByte) return 0;
  return is_floating_point(type) ? -largest_whole(type) : -largest_whole(type) - 1;
}

void check_float(const char* op, const Tensor& t) {
  TD_CHECK(DtypeError, t.is_floating_point(), op, ": expected a floating point tensor but got ",
           t.dtype(), "; use randint for whole numbers");
}

// A changed tensor's old value plays no part in the new one: its gradient is 0.
Tensor& replaced(const char* op, Tensor& self) {
  if (recording(self))
    record_in_place(op, self, {&self}, [](Gradients& grads, const Tensor& g) {
      grads.set_lazily(0, [&] { return g * 0; });
    });
  return self;
}

Tensor with_grad(Tensor t, const TensorOptions& options) {
  if (options.requires_grad()) t.requires_grad_();
  return t;
}

}  // namespace

void manual_seed(std::uint64_t seed) { default_generator().set_current_seed(seed); }

Tensor rand(IntArrayRef sizes, const TensorOptions& options) {
  Tensor t = empty(sizes, options);
  check_float("rand", t);
  draw_uniform(t, 0, 1);
  return t;
}
Tensor randn(IntArrayRef sizes, const TensorOptions& options) {
  Tensor t = empty(sizes, options);
  check_float("randn", t);
  draw_normal(t, 0, 1);
  return t;
}
Tensor rand_like(const Tensor& like, const TensorOptions& options) {
  Tensor t = empty_like(like, options);
  check_float("rand_like", t);
  draw_uniform(t, 0, 1);
  return with_grad(t, options);
}
Tensor randn_like(const Tensor& like, const TensorOptions& options) {
  Tensor t = empty_like(like, options);
  check_float("randn_like", t);
  draw_normal(t, 0, 1);
  return with_grad(t, options);
}

Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef sizes,
               const TensorOptions& options) {
  TD_CHECK(Error, low < high, "randint: there is no whole number from ", low, " to below ", high);
  Tensor t = empty(sizes, options.has_dtype() ? options : options.dtype(kLong));
  draw_whole(t, low, high - 1);
  return t;
}
Tensor randint(std::int64_t high, IntArrayRef sizes, const TensorOptions& options) {
  return randint(0, high, sizes, options);
}

Tensor randperm(std::int64_t n, const TensorOptions& options) {
  TD_CHECK(Error, n >= 0, "randperm: the length must not be negative but is ", n);
  // Fisher-Yates is one long chain, so the host does it, whatever device the result is for.
  Tensor host = empty({n}, TensorOptions(kLong));
  std::int64_t* p = host.data_ptr<std::int64_t>();
  std::iota(p, p + n, 0);
  const Generator::State state = default_generator().reserve(static_cast<std::uint64_t>(n));
  for (std::int64_t i = n - 1; i > 0; --i) {
    const PhiloxWords w = philox(state.seed, state.offset, static_cast<std::uint64_t>(i));
    const std::uint64_t bits = std::uint64_t{w.word[0]} << 32 | w.word[1];
    std::swap(p[i], p[bits % static_cast<std::uint64_t>(i + 1)]);
  }
  return host.to(options.device(), options.has_dtype() ? options.dtype() : kLong);
}

Tensor& Tensor::uniform_(double from, double to) const {
  check_float("uniform_", *this);
  TD_CHECK(Error, from <= to, "uniform_: from (", from, ") is larger than to (", to, ")");
  check_inplace("uniform_", *this);
  increment_version(*this);
  draw_uniform(*this, from, to);
  return replaced("uniform", handle());
}
Tensor& Tensor::normal_(double mean, double std) const {
  check_float("normal_", *this);
  TD_CHECK(Error, std >= 0, "normal_: the standard deviation must not be negative but is ", std);
  check_inplace("normal_", *this);
  increment_version(*this);
  draw_normal(*this, mean, std);
  return replaced("normal", handle());
}
Tensor& Tensor::random_(std::int64_t from, optional<std::int64_t> to) const {
  TD_CHECK(Error, !to || from < *to, "random_: there is no whole number from ", from, " to below ",
           to.value_or(0));
  const std::int64_t first = smallest_whole(dtype()), largest = largest_whole(dtype());
  const std::int64_t last = to ? *to - 1 : largest;
  TD_CHECK(Error, first <= from && from <= last && last <= largest, "random_: whole numbers from ",
           from, " to ", last, " were asked for, but ", dtype(), " holds all of them only from ",
           first, " to ", largest, "; take a wider type");
  check_inplace("random_", *this);
  increment_version(*this);
  draw_whole(*this, from, last);
  return replaced("random", handle());
}
Tensor& Tensor::random_(std::int64_t to) const { return random_(0, to); }
Tensor& Tensor::random_() const { return random_(0, nullopt); }

Tensor& Tensor::bernoulli_(double p) const {
  TD_CHECK(Error, p >= 0 && p <= 1, "bernoulli_: a probability lies between 0 and 1, not ", p);
  check_inplace("bernoulli_", *this);
  increment_version(*this);
  draw(*this, [&](const Tensor& t, kernels::RandomStream r) { kernels::bernoulli(t, r, p); });
  return replaced("bernoulli", handle());
}

}  // namespace td
