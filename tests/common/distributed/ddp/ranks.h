// What the tests of DistributedDataParallel share: ranks as threads, and models, batches and
// gradients that are the same in every run. Assertions are made after the ranks have ended.
#pragma once

#include <cmath>
#include <cstring>

#include "catch.h"
#include "distributed/ddp/ddp.h"
#include "distributed/distributed.h"
#include "distributed/thread_group.h"
#include "td/td.h"

namespace ranks {

using namespace td;
using namespace td::distributed;
using List = std::vector<double>;
using Options = DistributedDataParallelOptions;

inline const Device kDevices[] = {Device("cpu"), Device("sim:0")};

/// Numbers in [-1, 1] that look random and depend on `seed` alone.
inline Tensor numbers(IntArrayRef sizes, int seed, ScalarType dtype = kFloat) {
  Tensor t = empty(sizes, kDouble);
  double* values = t.data_ptr<double>();
  for (std::int64_t i = 0; i < t.numel(); ++i)
    values[i] = std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * (seed + 1));
  return t.to(dtype);
}

/// Gives a module's parameters values that depend on `seed`.
inline void fill(nn::Module& module, int seed) {
  NoGradGuard no_grad;
  for (const Tensor& p : module.parameters()) p.copy_(numbers(p.sizes(), seed++) * 0.5);
}

/// 6 inputs, 3 outputs, four parameters.
inline nn::Sequential small_net(int seed = 0) {
  nn::Sequential net(nn::Linear(6, 5), nn::ReLU(), nn::Linear(5, 3));
  fill(*net, seed);
  return net;
}

inline List values(const Tensor& t) {
  const Tensor host = t.detach().to(kCPU).to(kDouble).contiguous();
  const double* from = host.data_ptr<double>();
  return List(from, from + host.numel());
}

/// All gradients one after another; an undefined one is one NaN.
inline List gradients(const nn::Module& module) {
  List all;
  for (const Tensor& p : module.parameters()) {
    const List one = p.grad().defined() ? values(p.grad()) : List{NAN};
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

/// Runs `work(rank)` as threads and returns what each gave back.
template <class F>
auto on_ranks(int ranks, F work) {
  std::vector<decltype(work(0))> results(static_cast<std::size_t>(ranks));
  run_as_threads(ranks, [&](ProcessGroup& group) {
    results[static_cast<std::size_t>(group.rank())] = work(group.rank());
  });
  return results;
}

/// The error each rank got from `work(rank)`, "" for none.
template <class F>
std::vector<std::string> errors_on_ranks(int ranks, F work) {
  return on_ranks(ranks, [&](int rank) -> std::string {
    try {
      work(rank);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  });
}

}  // namespace ranks
