// Kernels that draw random values. A worker takes one Philox block and fills up to four elements,
// so element i depends on (seed, offset, i) alone: the same on every device, in any order.
#include <cmath>

#include "td/kernels/kernels.h"
#include "td/ops/random/philox.h"
#include "td/ops/random/random_start.h"
#include "td/kernels/workers.h"

namespace td {
namespace {

/// Elements a block serves: doubles and whole numbers take two words each.
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
struct Whole {
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
  kernels::RandomStream random;
  const std::uint64_t* start;  // see random_start.h
  TD_HD std::int64_t cost() const { return 128; }
  TD_HD void operator()(std::int64_t block) const {
    const std::uint64_t seed = start ? start[0] : random.seed;
    const std::uint64_t offset = start ? start[1] + random.offset : random.offset;
    const PhiloxWords words = philox(seed, offset, static_cast<std::uint64_t>(block));
    const std::int64_t first = block * Draw::per_block, rest = numel - first;
    draw(words, out + first, static_cast<int>(rest < Draw::per_block ? rest : Draw::per_block));
  }
};

template <class T, class Draw>
void draw(const char* name, const Draw& how, const Tensor& out, kernels::RandomStream random) {
  const Tensor none, &start = kernels::random_start ? *kernels::random_start : none;
  const DrawBlock<T, Draw> work{how, kernel_pointer<T>(out), out.numel(), random,
                                start.defined() ? kernel_pointer<std::uint64_t>(start) : nullptr};
  const auto blocks = static_cast<std::int64_t>(philox_blocks(out.numel(), Draw::per_block));
  launch_workers(name, out.device(), work, blocks, {&start}, {&out});
}

struct SetStart {
  std::uint64_t *start, seed, offset;
  TD_HD std::int64_t cost() const { return 2; }
  TD_HD void operator()(std::int64_t) const {
    start[0] = seed;
    start[1] = offset;
  }
};

}  // namespace

namespace kernels {

thread_local constinit const Tensor* random_start = nullptr;

void set_random_start(const Tensor& start, std::uint64_t seed, std::uint64_t offset) {
  const SetStart work{kernel_pointer<std::uint64_t>(start), seed, offset};
  launch_workers("random_start", start.device(), work, 1, {}, {&start});
}

void uniform(const Tensor& out, RandomStream random, double from, double to) {
  dispatch_floats("uniform_", out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using C = compute_t<T>;
    draw<T>("uniform_", Uniform<T>{static_cast<C>(from), static_cast<C>(to)}, out, random);
  });
}

void normal(const Tensor& out, RandomStream random, double mean, double std) {
  dispatch_floats("normal_", out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    using C = compute_t<T>;
    draw<T>("normal_", Normal<T>{static_cast<C>(mean), static_cast<C>(std)}, out, random);
  });
}

void bernoulli(const Tensor& out, RandomStream random, double p) {
  dispatch_all(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    draw<T>("bernoulli_", Bernoulli<T>{static_cast<float>(p)}, out, random);
  });
}

void randint(const Tensor& out, RandomStream random, std::int64_t low, std::uint64_t count) {
  dispatch_all(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    draw<T>("randint", Whole<T>{static_cast<std::uint64_t>(low), count}, out, random);
  });
}

}  // namespace kernels
}  // namespace td
