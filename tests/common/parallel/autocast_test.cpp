// Autocast and threads: which ones a region reaches, and that no cast outlives it there.
#include <thread>

#include "lists.h"
#include "td/ops/autocast_guard.h"

using namespace td;

TEST_CASE("a region belongs to its thread; a new thread begins without one") {
  const amp::AutocastGuard guard(kCPU);
  bool enabled = true;
  ScalarType type = kBFloat16;
  std::thread([&] {
    enabled = amp::is_autocast_enabled(kCPU);
    type = mm(ones({2, 2}), ones({2, 2})).dtype();
  }).join();
  CHECK_FALSE(enabled);
  CHECK(type == kFloat);
}

TEST_CASE("replicas run in the caller's region and keep no cast of a parameter") {
  struct Spy : nn::Module {
    Spy() : weight(ones({2, 2}).to("sim:0").requires_grad_()) {}
    Tensor forward(const Tensor& x) {
      const std::uint64_t before = amp::autocast_casts();
      const Tensor y = mm(mm(x, weight), weight);
      casts = amp::autocast_casts() - before;
      return y;
    }
    Tensor weight;
    std::uint64_t casts = 0;
  };
  std::vector<std::shared_ptr<Spy>> modules{std::make_shared<Spy>(), std::make_shared<Spy>()};
  const TensorList inputs(2, ones({2, 2}).to("sim:0"));
  // The second call would find the first one's casts, if their thread had kept them.
  for (int round = 0; round < 2; ++round) {
    const amp::AutocastGuard guard(kSIM, kBFloat16);
    for (const Tensor& y : nn::parallel::parallel_apply(modules, inputs)) {
      CHECK(y.dtype() == kBFloat16);
    }
    CHECK(modules[0]->casts == 1);
    CHECK(modules[1]->casts == 1);
  }
  nn::parallel::parallel_apply(modules, inputs);
  CHECK(modules[1]->casts == 0);
}
