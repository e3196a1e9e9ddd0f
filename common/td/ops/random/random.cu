// Random values, drawn on the tensor's own device from the process's random stream: rand, randn,
// randint, randperm, uniform_, normal_, random_, bernoulli_. Checks and kernels.
// A thread takes one Philox block and fills up to four elements, so element i depends on
// (seed, offset, i) alone: the same on every device, in any order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "td/kernels/index_kernel.h"
#include "td/kernels/scalar_math.h"
#include "td/ops/op.h"
#include "td/ops/random/philox.h"

namespace td {
namespace {

/// Elements a block serves: doubles and integers take two words each.
template <class T>
constexpr int kPerBlock = std::is_same_v<T, double> ? 2 : 4;

/// T holds all integers of up to this many bits.
template <class T>
constexpr int kDigits = std::numeric_limits<T>::digits;
template <>
constexpr int kDigits<Half> = 11;
template <>
constexpr int kDigits<BFloat16> = 8;

// Uniform in [0, 1), with no more bits than T has, so that rounding cannot reach 1.
template <class T>
TD_HD compute_t<T> unit(const PhiloxWords& w, int k) {
  constexpr compute_t<T> step = compute_t<T>(1) / (std::uint64_t{1} << kDigits<T>);
  if constexpr (std::is_same_v<T, double>)
    return static_cast<double>(w.long_word(k) >> (64 - kDigits<T>)) * step;
  else  // by way of a signed integer, for which processors have vector instructions
    return static_cast<float>(static_cast<std::int32_t>(w.word[k] >> (32 - kDigits<T>))) * step;
}

template <class T>
struct Uniform {
  compute_t<T> from, to;
  static constexpr int per_block = kPerBlock<T>;
  TD_HD T operator()(const PhiloxWords& w, int k) const {
    // An explicit fma: whether a compiler joins a * b + c by itself differs between devices.
    const T value = static_cast<T>(std::fma(to - from, unit<T>(w, k), from));
    return static_cast<compute_t<T>>(value) < to ? value : static_cast<T>(from);  // rounded up
  }
};

// Box-Muller: two uniform numbers make two independent normal ones.
template <class T>
struct Normal {
  using C = compute_t<T>;
  C mean, std;
  static constexpr int per_block = kPerBlock<T>;
  TD_HD T operator()(const PhiloxWords& w, int k) const {
    const C u = unit<C>(w, k & ~1), v = unit<C>(w, k | 1);
    const C radius = std::sqrt(C(-2) * scalar_math::log(C(1) - u));  // 1 - u is never 0
    const auto direction = scalar_math::cos_and_sin_of_turns(v);
    return static_cast<T>(mean + std * radius * (k & 1 ? direction.sin : direction.cos));
  }
};

template <class T>
struct Bernoulli {
  float p;
  static constexpr int per_block = 4;
  TD_HD T operator()(const PhiloxWords& w, int k) const {
    return static_cast<T>(static_cast<compute_t<T>>(unit<float>(w, k) < p));
  }
};

template <class T>
struct Integer {
  std::uint64_t low, count;  // unsigned, because the sum may pass the largest int64 on its way
  static constexpr int per_block = 2;
  TD_HD T operator()(const PhiloxWords& w, int k) const {
    const std::uint64_t bits = w.long_word(k);
    // The remainder is biased by less than count / 2^64.
    const std::uint64_t number = low + (count ? bits % count : bits);
    return static_cast<T>(static_cast<compute_t<T>>(static_cast<std::int64_t>(number)));
  }
};

template <class T, class Draw>
struct DrawBlock {
  Draw draw;
  T* out;
  std::int64_t numel;
  Generator::State state;
  const std::uint64_t* start;  // of the reservation, nullptr outside of captures
  static constexpr int per_block = Draw::per_block;

  TD_HD std::int64_t cost() const { return 32; }
  TD_HD PhiloxWords words(std::int64_t block) const {
    const std::uint64_t seed = start ? start[0] : state.seed;
    const std::uint64_t offset = start ? start[1] + state.offset : state.offset;
    return philox(seed, offset, static_cast<std::uint64_t>(block));
  }
  TD_HD void operator()(std::int64_t block) const {
    const PhiloxWords w = words(block);
    const std::int64_t first = block * per_block, rest = numel - first;
    for (int k = 0; k < per_block && k < rest; ++k) out[first + k] = draw(w, k);
  }
  // Blocks [from, to) on the host: first the words of some blocks, then their elements, in a loop
  // that becomes vector instructions. Always as many, so that all elements are computed alike.
  [[gnu::flatten]] void range(std::int64_t from, std::int64_t to) const {
    constexpr std::int64_t kBlocks = 32;
    PhiloxWords w[kBlocks];
    T drawn[kBlocks * per_block];
    for (std::int64_t first = from; first < to; first += kBlocks) {
      for (std::int64_t i = 0; i < kBlocks; ++i) w[i] = words(first + i);
#pragma GCC ivdep
      for (std::int64_t i = 0; i < kBlocks; ++i)
        for (int k = 0; k < per_block; ++k) drawn[i * per_block + k] = draw(w[i], k);
      const std::int64_t end = std::min(numel, std::min(to, first + kBlocks) * per_block);
      std::copy(drawn, drawn + (end - first * per_block), out + first * per_block);
    }
  }
};

// Draws into contiguous memory in row-major order, so that the layout of `out` changes no value.
// Two elements per block is what the widest types need; one rule for all keeps streams of different
// types in step. make(CppType<T>()) gives what draws elements of type T.
template <bool kFloats, class Make>
void draw(const char* name, const Tensor& out, Make make) {
  const PhiloxReservation reserved(philox_blocks(out.numel(), 2), out.device());
  const bool is_dense = out.is_contiguous();
  const Tensor dense = is_dense ? out : empty_on(out.impl().sizes, out.dtype(), out.device());
  const auto run = [&]<class T>(CppType<T> type) {
    using Draw = decltype(make(type));
    const DrawBlock<T, Draw> work{make(type), kernel_pointer<T>(dense), out.numel(),
                                  reserved.state(), Pointer{reserved.start()}};
    const auto blocks = static_cast<std::int64_t>(philox_blocks(out.numel(), Draw::per_block));
    launch_index_kernel(name, out.device(), work, blocks, {&reserved.start()}, {&dense});
  };
  if constexpr (kFloats)
    dispatch_floats(name, out.dtype(), run);
  else
    dispatch_all(out.dtype(), run);
  if (!is_dense) kernels::convert(out, dense);
}

void draw_uniform(const Tensor& out, double from, double to) {
  draw<true>("uniform_", out, [&]<class T>(CppType<T>) {
    return Uniform<T>{static_cast<compute_t<T>>(from), static_cast<compute_t<T>>(to)};
  });
}
void draw_normal(const Tensor& out, double mean, double std) {
  draw<true>("normal_", out, [&]<class T>(CppType<T>) {
    return Normal<T>{static_cast<compute_t<T>>(mean), static_cast<compute_t<T>>(std)};
  });
}
void draw_bernoulli(const Tensor& out, double p) {
  draw<false>("bernoulli_", out,
              [&]<class T>(CppType<T>) { return Bernoulli<T>{static_cast<float>(p)}; });
}
// Integers from `first` to `last`, both included.
void draw_integers(const Tensor& out, std::int64_t first, std::int64_t last) {
  const auto low = static_cast<std::uint64_t>(first);
  const std::uint64_t count = static_cast<std::uint64_t>(last) - low + 1;  // 0 stands for 2^64
  draw<false>("randint", out, [&]<class T>(CppType<T>) { return Integer<T>{low, count}; });
}

// The first and the last of the integers that a type holds without a gap.
std::pair<std::int64_t, std::int64_t> integers_of(ScalarType type) {
  return dispatch_all(type, []<class T>(CppType<T>) -> std::pair<std::int64_t, std::int64_t> {
    if constexpr (std::is_integral_v<T>)
      return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    else
      return {-(std::int64_t{1} << kDigits<T>), std::int64_t{1} << kDigits<T>};
  });
}

void check_float(const char* op, const Tensor& t) {
  TD_CHECK(DtypeError, t.is_floating_point(), op, ": expected a floating point tensor but got ",
           t.dtype(), "; use randint for integers");
}

// `t` with numbers from `draw`, by default in [0, 1) or of the standard normal distribution.
Tensor drawn(const char* op, Tensor t, const TensorOptions& options,
             void (*draw)(const Tensor&, double, double)) {
  check_float(op, t);
  draw(t, 0, 1);
  if (options.requires_grad()) t.requires_grad_();
  return t;
}

// Replaces the values of `self` by what `draw` draws. The result does not depend on the old values:
// their gradient is 0.
template <class F>
Tensor& replace(const char* method, const char* operation, Tensor& self, F draw) {
  begin_inplace(method, self);
  draw();
  if (recording(self))
    record_in_place(operation, self, {&self}, [](const Tensor& g) { return zeros_like(g); });
  return self;
}

}  // namespace

void manual_seed(std::uint64_t seed) { default_generator().set_current_seed(seed); }

Tensor rand(IntArrayRef sizes, const TensorOptions& options) {
  return drawn("rand", empty(sizes, options), options, draw_uniform);
}
Tensor randn(IntArrayRef sizes, const TensorOptions& options) {
  return drawn("randn", empty(sizes, options), options, draw_normal);
}
Tensor rand_like(const Tensor& like, const TensorOptions& options) {
  return drawn("rand_like", empty_like(like, options), options, draw_uniform);
}
Tensor randn_like(const Tensor& like, const TensorOptions& options) {
  return drawn("randn_like", empty_like(like, options), options, draw_normal);
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
  check_may_wait("randperm", options.device());
  // Fisher-Yates is one long chain, so the host does it, whatever device the result is for.
  Tensor host = empty({n}, TensorOptions(kLong));
  std::int64_t* p = host.data_ptr<std::int64_t>();
  std::iota(p, p + n, 0);
  const Generator::State state = default_generator().reserve(static_cast<std::uint64_t>(n));
  constexpr std::int64_t kBatch = 64;  // drawn together, by vector instructions
  std::uint64_t drawn[kBatch];
  for (std::int64_t i = n - 1; i > 0; i -= kBatch) {
    for (std::int64_t k = 0; k < kBatch; ++k)
      drawn[k] = philox(state.seed, state.offset, static_cast<std::uint64_t>(i - k)).long_word(0);
    for (std::int64_t k = 0; k < std::min(kBatch, i); ++k)
      std::swap(p[i - k], p[drawn[k] % static_cast<std::uint64_t>(i - k + 1)]);
  }
  return host.to(options.device(), options.has_dtype() ? options.dtype() : kLong);
}

Tensor& Tensor::uniform_(double from, double to) const {
  check_float("uniform_", *this);
  TD_CHECK(Error, from <= to, "uniform_: from (", from, ") is larger than to (", to, ")");
  return replace("uniform_", "uniform", handle(), [&] { draw_uniform(*this, from, to); });
}
Tensor& Tensor::normal_(double mean, double std) const {
  check_float("normal_", *this);
  TD_CHECK(Error, std >= 0, "normal_: the standard deviation must not be negative but is ", std);
  return replace("normal_", "normal", handle(), [&] { draw_normal(*this, mean, std); });
}
Tensor& Tensor::random_(std::int64_t from, optional<std::int64_t> to) const {
  TD_CHECK(Error, !to || from < *to, "random_: there is no integer from ", from, " to below ",
           to.value_or(0));
  const std::pair<std::int64_t, std::int64_t> held = integers_of(dtype());
  const std::int64_t last = to ? *to - 1 : held.second;
  TD_CHECK(Error, held.first <= from && from <= last && last <= held.second,
           "random_: integers from ", from, " to ", last, " were asked for, but ", dtype(),
           " holds all of them only from ", held.first, " to ", held.second, "; take a wider type");
  return replace("random_", "random", handle(), [&] { draw_integers(*this, from, last); });
}
Tensor& Tensor::random_(std::int64_t to) const { return random_(0, to); }
Tensor& Tensor::random_() const { return random_(0, nullopt); }

Tensor& Tensor::bernoulli_(double p) const {
  TD_CHECK(Error, p >= 0 && p <= 1, "bernoulli_: a probability lies between 0 and 1, not ", p);
  return replace("bernoulli_", "bernoulli", handle(), [&] { draw_bernoulli(*this, p); });
}

}  // namespace td
