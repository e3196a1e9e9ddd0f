// Random values, drawn on the tensor's own device from the process's random stream: rand, randn,
// randint, randperm, uniform_, normal_, random_, bernoulli_. Checks and kernels.
// A thread takes one Philox block and fills up to four elements, so element i depends on
// (seed, offset, i) alone: the same on every device, in any order.
#include <cmath>
#include <limits>
#include <numeric>

#include "td/kernels/index_kernel.h"
#include "td/ops/op.h"
#include "td/ops/random/philox.h"
#include "td/tensor/generator.h"

namespace td {
namespace {

/// Elements a block serves: doubles and integers take two words each.
template <class T>
constexpr int kPerBlock = std::is_same_v<T, double> ? 2 : 4;

// Uniform numbers with no more bits than T has, so that rounding cannot reach 1.
template <class T>
TD_HD compute_t<T> unit(const PhiloxWords& w, int k) {
  if constexpr (std::is_same_v<T, double>)
    return uniform_double(w.word[2 * k], w.word[2 * k + 1]);
  else if constexpr (std::is_same_v<T, Half>)
    return static_cast<float>(w.word[k] >> 21) * 4.8828125e-4f;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return static_cast<float>(w.word[k] >> 24) * 3.90625e-3f;
  else
    return uniform_float(w.word[k]);
}

template <class T>
struct Uniform {
  compute_t<T> from, to;
  static constexpr int per_block = kPerBlock<T>;
  TD_HD void operator()(const PhiloxWords& w, T* out, int count) const {
    for (int k = 0; k < count; ++k) {
      // fma by name: whether a compiler joins a * b + c by itself differs between devices.
      const T value = static_cast<T>(std::fma(to - from, unit<T>(w, k), from));
      out[k] = static_cast<compute_t<T>>(value) < to ? value : static_cast<T>(from);  // rounded up
    }
  }
};

// Box-Muller: two uniform numbers make two independent normal ones.
template <class T>
struct Normal {
  using C = compute_t<T>;
  C mean, std;
  static constexpr int per_block = kPerBlock<T>;
  TD_HD void operator()(const PhiloxWords& w, T* out, int count) const {
    for (int k = 0; k < count; k += 2) {
      C u, v;
      if constexpr (std::is_same_v<T, double>) {
        u = uniform_double(w.word[0], w.word[1]);
        v = uniform_double(w.word[2], w.word[3]);
      } else {
        u = uniform_float(w.word[k]);
        v = uniform_float(w.word[k + 1]);
      }
      const C radius = std::sqrt(C(-2) * std::log(C(1) - u));  // 1 - u is never 0
      const C angle = C(6.283185307179586) * v;
      out[k] = static_cast<T>(mean + std * radius * std::cos(angle));
      if (k + 1 < count) out[k + 1] = static_cast<T>(mean + std * radius * std::sin(angle));
    }
  }
};

template <class T>
struct Bernoulli {
  float p;
  static constexpr int per_block = 4;
  TD_HD void operator()(const PhiloxWords& w, T* out, int count) const {
    for (int k = 0; k < count; ++k)
      out[k] = static_cast<T>(static_cast<compute_t<T>>(uniform_float(w.word[k]) < p));
  }
};

template <class T>
struct Integer {
  std::uint64_t low, count;  // unsigned, because the sum may pass the largest int64 on its way
  static constexpr int per_block = 2;
  TD_HD void operator()(const PhiloxWords& w, T* out, int count) const {
    for (int k = 0; k < count; ++k) {
      const std::uint64_t bits = std::uint64_t{w.word[2 * k]} << 32 | w.word[2 * k + 1];
      // The remainder is biased by less than count / 2^64.
      const std::uint64_t number = low + (this->count ? bits % this->count : bits);
      out[k] = static_cast<T>(static_cast<compute_t<T>>(static_cast<std::int64_t>(number)));
    }
  }
};

template <class T, class Draw>
struct DrawBlock {
  Draw draw;
  T* out;
  std::int64_t numel;
  PhiloxState state;
  const std::uint64_t* start;  // philox_extragraph_offset, or nullptr
  TD_HD std::int64_t cost() const { return 128; }
  TD_HD void operator()(std::int64_t block) const {
    const std::uint64_t seed = start ? start[0] : state.seed;
    const std::uint64_t offset = start ? start[1] + state.offset : state.offset;
    const PhiloxWords words = philox(seed, offset, static_cast<std::uint64_t>(block));
    const std::int64_t first = block * Draw::per_block, rest = numel - first;
    draw(words, out + first, static_cast<int>(rest < Draw::per_block ? rest : Draw::per_block));
  }
};

template <class T, class Draw>
void launch_draw(const char* name, const Draw& how, const Tensor& out, PhiloxState state) {
  const Tensor none, &start = philox_extragraph_offset ? *philox_extragraph_offset : none;
  const DrawBlock<T, Draw> work{how, kernel_pointer<T>(out), out.numel(), state,
                                start.defined() ? kernel_pointer<std::uint64_t>(start) : nullptr};
  const auto blocks = static_cast<std::int64_t>(philox_blocks(out.numel(), Draw::per_block));
  launch_index_kernel(name, out.device(), work, blocks, {&start}, {&out});
}

// Draws into contiguous memory in row-major order, so that the layout of `out` changes no value.
// Two elements per block is what the widest types need; one rule for all keeps streams of different
// types in step.
template <class F>
void draw(const Tensor& out, F kernel) {
  const PhiloxReservation reserved(philox_blocks(out.numel(), 2), out.device());
  if (out.is_contiguous()) return kernel(out, reserved.state());
  const Tensor dense = empty_on(Sizes(out.sizes()), out.dtype(), out.device());
  kernel(dense, reserved.state());
  kernels::convert(out, dense);
}

void draw_uniform(const Tensor& out, double from, double to) {
  draw(out, [&](const Tensor& t, PhiloxState state) {
    dispatch_floats("uniform_", t.dtype(), [&]<class T>(CppType<T>) {
      using C = compute_t<T>;
      const Uniform<T> how{static_cast<C>(from), static_cast<C>(to)};
      launch_draw<T>("uniform_", how, t, state);
    });
  });
}
void draw_normal(const Tensor& out, double mean, double std) {
  draw(out, [&](const Tensor& t, PhiloxState state) {
    dispatch_floats("normal_", t.dtype(), [&]<class T>(CppType<T>) {
      using C = compute_t<T>;
      const Normal<T> how{static_cast<C>(mean), static_cast<C>(std)};
      launch_draw<T>("normal_", how, t, state);
    });
  });
}
void draw_bernoulli(const Tensor& out, double p) {
  draw(out, [&](const Tensor& t, PhiloxState state) {
    dispatch_all(t.dtype(), [&]<class T>(CppType<T>) {
      launch_draw<T>("bernoulli_", Bernoulli<T>{static_cast<float>(p)}, t, state);
    });
  });
}
// Integers from `first` to `last`, both included.
void draw_integers(const Tensor& out, std::int64_t first, std::int64_t last) {
  const auto low = static_cast<std::uint64_t>(first);
  const std::uint64_t count = static_cast<std::uint64_t>(last) - low + 1;  // 0 stands for 2^64
  draw(out, [&](const Tensor& t, PhiloxState state) {
    dispatch_all(t.dtype(), [&]<class T>(CppType<T>) {
      launch_draw<T>("randint", Integer<T>{low, count}, t, state);
    });
  });
}

// The largest integer up to which a type holds all of them; floats skip some above it.
std::int64_t largest_integer(ScalarType type) {
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

std::int64_t smallest_integer(ScalarType type) {
  if (type == kBool || type == kByte) return 0;
  return is_floating_point(type) ? -largest_integer(type) : -largest_integer(type) - 1;
}

void check_float(const char* op, const Tensor& t) {
  TD_CHECK(DtypeError, t.is_floating_point(), op, ": expected a floating point tensor but got ",
           t.dtype(), "; use randint for integers");
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
  TD_CHECK(Error, low < high, "randint: there is no integer from ", low, " to below ", high);
  Tensor t = empty(sizes, options.has_dtype() ? options : options.dtype(kLong));
  draw_integers(t, low, high - 1);
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
  TD_CHECK(Error, !to || from < *to, "random_: there is no integer from ", from, " to below ",
           to.value_or(0));
  const std::int64_t first = smallest_integer(dtype()), largest = largest_integer(dtype());
  const std::int64_t last = to ? *to - 1 : largest;
  TD_CHECK(Error, first <= from && from <= last && last <= largest, "random_: integers from ", from,
           " to ", last, " were asked for, but ", dtype(), " holds all of them only from ", first,
           " to ", largest, "; take a wider type");
  check_inplace("random_", *this);
  increment_version(*this);
  draw_integers(*this, from, last);
  return replaced("random", handle());
}
Tensor& Tensor::random_(std::int64_t to) const { return random_(0, to); }
Tensor& Tensor::random_() const { return random_(0, nullopt); }

Tensor& Tensor::bernoulli_(double p) const {
  TD_CHECK(Error, p >= 0 && p <= 1, "bernoulli_: a probability lies between 0 and 1, not ", p);
  check_inplace("bernoulli_", *this);
  increment_version(*this);
  draw_bernoulli(*this, p);
  return replaced("bernoulli", handle());
}

}  // namespace td
