// The cache of parameter casts: one cast for each parameter and region, with its way back for
// gradients whichever call came first, and nothing larger or longer than needed.
#include "casts.h"
#include "td/autograd/engine.h"
#include "td/device/allocator.h"
#include "td/device/record.h"
#include "td/optim/optim.h"

using namespace td;
using amp::AutocastGuard;

namespace {

// Casts of parameters that `work` makes.
template <class F>
std::uint64_t casts(F work) {
  const std::uint64_t before = amp::autocast_casts();
  work();
  return amp::autocast_casts() - before;
}

Tensor parameter(IntArrayRef sizes, Device device) {
  return numbers(sizes).to(device).requires_grad_();
}

std::size_t bytes_written = 0;

void listen(const Record& record, Device) {
  if (std::string_view(record.name) == "convert")
    for (int i = 0; i < record.writes; ++i) bytes_written += record.extents[record.reads + i].bytes;
}

// Elements that autocast casts to float16 for `f` of these arguments. What f itself converts
// inside, of arguments that are float16 already, does not count.
std::size_t elements_cast(const std::function<void(const TensorList&)>& f, const TensorList& x) {
  const auto bytes = [&](const TensorList& arguments, bool enabled) {
    const AutocastGuard guard(kSIM, nullopt, enabled);
    bytes_written = 0;
    const RecordObserver listening(listen);
    f(arguments);
    return bytes_written;
  };
  TensorList half;
  for (const Tensor& argument : x) half.push_back(argument.to(kHalf));
  return (bytes(x, true) - bytes(half, false)) / element_size(kHalf);
}

}  // namespace

TEST_CASE("a parameter is cast once in a region") {
  for (const Device device : devices()) {
    INFO(device);
    nn::Linear layer(4, 3);
    layer->to(device);
    const Tensor x = numbers({2, 4}).to(device);
    for (int region = 0; region < 2; ++region) {
      const AutocastGuard guard(device.type());
      CHECK(casts([&] { layer(x); }) == 2);  // weight and bias
      CHECK(casts([&] { layer(x); }) == 0);
      {
        const AutocastGuard inner(device.type());
        CHECK(casts([&] { layer(x); }) == 0);
      }
      CHECK(casts([&] { layer(x); }) == 0);  // an inner region's end forgets nothing
      amp::clear_autocast_cache();
      CHECK(casts([&] { layer(x); }) == 2);
    }
    const AutocastGuard uncached(device.type(), nullopt, true, /*cache=*/false);
    CHECK(casts([&] { layer(x); }) == 2);
    CHECK(casts([&] { layer(x); }) == 2);
  }
}

TEST_CASE("a region of another type inside casts again") {
  const Tensor w = parameter({4, 3}, kCPU), x = numbers({3, 4});
  const AutocastGuard outer(kCPU, kBFloat16);
  CHECK(mm(x, w).dtype() == kBFloat16);
  {
    const AutocastGuard inner(kCPU, kHalf);
    CHECK(mm(x, w).dtype() == kHalf);
  }
  CHECK(mm(x, w).dtype() == kBFloat16);
}

TEST_CASE("only parameters are cached: no activations, views, constants or float16 ones") {
  const Tensor w = parameter({4, 4}, "sim:0"), x = numbers({4, 4}).to("sim:0");
  const Tensor half = numbers({4, 4}).to("sim:0", kHalf).requires_grad_();
  const AutocastGuard guard(kSIM);
  CHECK(casts([&] { mm(x, x); }) == 0);
  CHECK(casts([&] { mm(x, w + 1); }) == 0);
  CHECK(casts([&] { mm(x, w.t()); }) == 0);
  CHECK(casts([&] { mm(x, half); }) == 0);
  CHECK(casts([&] { mm(x, w); }) == 1);
}

TEST_CASE("evaluation first, then training in the same region: gradients arrive") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor w = parameter({4, 3}, device), x = numbers({2, 4}).to(device);
    const AutocastGuard guard(device.type());
    {
      const NoGradGuard no_grad;
      CHECK_FALSE(mm(x, w).requires_grad());
    }
    mm(x, w).sum().backward();
    REQUIRE(w.grad().defined());
    CHECK(w.grad().dtype() == kFloat);
    const Tensor again = parameter({4, 3}, device);
    mm(x, again).sum().backward();
    CHECK(same_bits(w.grad(), again.grad()));
  }
}

TEST_CASE("inference mode caches no casts, so that training after it gets its gradients") {
  const Tensor w = parameter({4, 3}, "sim:0"), x = numbers({2, 4}).to("sim:0");
  const AutocastGuard guard(kSIM);
  {
    const InferenceMode inference;
    CHECK(casts([&] { mm(x, w); }) == 1);
    CHECK(casts([&] { mm(x, w); }) == 1);
  }
  mm(x, w).sum().backward();
  CHECK(w.grad().defined());
}

TEST_CASE("a parameter that changes within a region is cast again") {
  const Tensor w = parameter({4, 3}, "sim:0"), x = numbers({2, 4}).to("sim:0");
  optim::SGD sgd({w}, optim::SGDOptions(0.5));
  const AutocastGuard guard(kSIM);
  mm(x, w).sum().backward();
  sgd.step();
  const Tensor after = mm(x, w);
  CHECK(same_bits(after, mm(x.to(kHalf), w.to(kHalf))));
  {
    const NoGradGuard no_grad;
    w.set_data(numbers({4, 3}, 1).to("sim:0"));
  }
  CHECK(same_bits(mm(x, w), mm(x.to(kHalf), w.to(kHalf))));
}

TEST_CASE("two uses share one cast, and their gradients are added in its type") {
  for (const Device device : devices()) {
    INFO(device);
    const AutocastGuard guard(device.type());
    const ScalarType fast = amp::get_autocast_dtype(device.type());
    const Tensor w = parameter({4, 4}, device), x = numbers({4, 4}).to(device);
    Tensor y;
    CHECK(casts([&] { y = mm(mm(x, w), w); }) == 1);
    y.sum().backward();
    const AutocastGuard off(device.type(), nullopt, false);
    const Tensor half = w.detach().to(fast).requires_grad_();
    mm(mm(x.to(fast), half), half).to(kFloat).sum().backward();
    CHECK(same_bits(w.grad(), half.grad().to(kFloat)));
  }
}

TEST_CASE("two graphs of one region have backward passes of their own") {
  const Tensor w = parameter({4, 3}, "sim:0"), x = numbers({2, 4}).to("sim:0");
  Tensor first, second;
  {
    const AutocastGuard guard(kSIM);
    first = mm(x, w).sum();
    second = mm(x, w).sum();
  }
  first.backward();
  const Tensor once = w.grad().clone();
  second.backward();
  CHECK(same_bits(w.grad(), once * 2));
}

TEST_CASE("repeated evaluation in regions does not grow memory, and cached memory is released") {
  nn::Linear layer(64, 64);
  layer->to(Device("sim:0"));
  const Tensor x = numbers({8, 64}).to("sim:0");
  const NoGradGuard no_grad;
  const std::size_t before = memory_stats("sim:0").allocated;
  std::size_t inside = 0;
  for (int region = 0; region < 3; ++region) {
    const AutocastGuard guard(kSIM);
    for (int i = 0; i < 5; ++i) {
      layer(x);
      const std::size_t now = memory_stats("sim:0").allocated;
      if (inside == 0) inside = now;
      CHECK(now == inside);
    }
    CHECK(inside > before);
  }
  CHECK(memory_stats("sim:0").allocated == before);
}

TEST_CASE("each argument is cast as it was given, never in the sizes it broadcasts to") {
  const auto layer = [](const TensorList& x) { linear(x[0], x[1], x[2]); };
  const auto twice = [&](const TensorList& x) {
    layer(x);
    layer(x);
  };
  const Tensor x = numbers({64, 5, 40}).to("sim:0");
  const TensorList arguments{x, parameter({30, 40}, "sim:0"), parameter({30}, "sim:0")};
  CHECK(elements_cast(layer, arguments) == 64 * 5 * 40 + 30 * 40 + 30);
  CHECK(elements_cast(twice, arguments) == 2 * 64 * 5 * 40 + 30 * 40 + 30);
  const auto conv = [](const TensorList& x) { conv2d(x[0], x[1], x[2]); };
  CHECK(elements_cast(conv, {numbers({8, 3, 10, 10}).to("sim:0"), parameter({6, 3, 3, 3}, "sim:0"),
                             parameter({6}, "sim:0")}) == 8 * 3 * 10 * 10 + 6 * 3 * 3 * 3 + 6);
  const auto product = [](const TensorList& x) { matmul(x[0], x[1]); };
  CHECK(elements_cast(product, {x, numbers({40, 7}).to("sim:0")}) == 64 * 5 * 40 + 40 * 7);
  const auto sums = [](const TensorList& x) { addmm(x[0], x[1], x[2]); };
  CHECK(elements_cast(sums, {parameter({7}, "sim:0"), numbers({9, 40}).to("sim:0"),
                             numbers({40, 7}).to("sim:0")}) == 7 + 9 * 40 + 40 * 7);
}
