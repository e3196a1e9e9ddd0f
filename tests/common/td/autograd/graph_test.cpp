// The graph: gradients against closed forms, the rules of leaves and versions, views changed in
// place, graphs of several threads, and the text of every error. Hooks are in hooks_test.cpp.
#include <cmath>
#include <thread>

#include "../tensor/values.h"
#include "captured_warnings.h"
#include "sim_work.h"
#include "td/autograd/engine.h"
#include "td/autograd/function.h"
#include "td/autograd/record.h"
#include "td/device/stream.h"

using namespace td;
using List = std::vector<double>;

namespace {

Tensor ones_like_result(const Tensor& y) { return empty(y.sizes(), y.options()).fill_(1); }
void backward_ones(const Tensor& y) { y.backward(ones_like_result(y)); }

}  // namespace

TEST_CASE("reading the gradient of a result that keeps none writes a warning") {
  const Tensor x = leaf({1, 2}), y = x * 2, kept = x * 3;
  kept.retain_grad();
  const test::CapturedWarnings captured;
  (y + kept).sum().backward();
  CHECK(x.grad().defined());
  CHECK(kept.grad().defined());
  CHECK_FALSE(y.detach().grad().defined());
  CHECK(captured.text().empty());
  for (int twice = 0; twice < 2; ++twice) CHECK_FALSE(y.grad().defined());
  CHECK(
      captured.text() ==
      "Warning: grad: this tensor is the result of an operation, and backward() keeps the "
      "gradients of leaves only. Call retain_grad() on it before backward(), or ask the leaf that "
      "it was made from\n");
}

TEST_CASE(
    "the gradient of a number on the cpu arrives on the cpu, whatever device the result is on") {
  for (const Device device : devices()) {
    const Tensor x = of({2, 4}, device);
    using Operation = Tensor (*)(const Tensor&, const Tensor&);
    const std::pair<Operation, double> cases[] = {
        {[](const Tensor& a, const Tensor& x) { return a + x; }, 2},
        {[](const Tensor& a, const Tensor& x) { return x - a; }, -2},
        {[](const Tensor& a, const Tensor& x) { return a * x; }, 6},
        {[](const Tensor& a, const Tensor& x) { return x / a; }, -6. / 9},
        {[](const Tensor& a, const Tensor& x) { return a / x; }, 0.75},
        {[](const Tensor& a, const Tensor& x) { return a.pow(x); }, 2 * 3 + 4 * 27}};
    for (const auto& [operation, expected] : cases) {
      const Tensor a = tensor(3.f).requires_grad_();
      operation(a, x).sum().backward();
      REQUIRE(a.grad().defined());
      CHECK(a.grad().device() == a.device());
      CHECK(a.grad().item<double>() == Approx(expected));
    }
  }
}

TEST_CASE("products and sums, on every device") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor a = leaf({1, 2, 3}, device), b = leaf({4, 5, 6}, device);
    backward_ones(a * b + a);
    CHECK(values(a.grad()) == List{5, 6, 7});
    CHECK(values(b.grad()) == List{1, 2, 3});
    CHECK(a.grad().device() == device);
    backward_ones(a * 2);  // adds to what is there
    CHECK(values(a.grad()) == List{7, 8, 9});
  }
}

TEST_CASE("broadcast arguments get their gradient summed") {
  const Tensor column = leaf({1, 2, 3}, {3, 1}), row = leaf({10, 20});
  backward_ones(column * row);
  CHECK(values(column.grad()) == List{30, 30, 30});
  CHECK(column.grad().sizes() == IntArrayRef({3, 1}));
  CHECK(values(row.grad()) == List{6, 6});
}

TEST_CASE("one tensor used many times, and a deep graph") {
  const Tensor x = leaf({3});
  (x * x * x).backward();
  CHECK(values(x.grad()) == List{27});
  const Tensor y = leaf({1});
  Tensor deep = y;
  for (int i = 0; i < 100000; ++i) deep = deep * 1.0;
  deep.backward();
  CHECK(values(y.grad()) == List{1});
}

TEST_CASE("gradients of gradients") {
  const Tensor x = leaf({2});
  const Tensor first = autograd::grad({x * x * x}, {x}, {}, nullopt, /*create_graph=*/true)[0];
  CHECK(values(first) == List{12});
  const Tensor second = autograd::grad({first}, {x}, {}, nullopt, true)[0];
  CHECK(values(second) == List{12});
  CHECK(values(autograd::grad({second}, {x})[0]) == List{6});
  // Through a fused kernel's expression: tanh'' = -2 tanh (1 - tanh^2).
  const Tensor z = leaf({0.5});
  const Tensor g = autograd::grad({z.tanh()}, {z}, {}, nullopt, true)[0];
  const double t = std::tanh(0.5);
  CHECK(values(autograd::grad({g}, {z})[0])[0] == Approx(-2 * t * (1 - t * t)));
  CHECK_FALSE(z.grad().defined());  // autograd::grad leaves grad() alone
}

TEST_CASE("grad for inputs inside the graph, unused inputs, backward for chosen inputs") {
  const Tensor x = leaf({2}), w = leaf({5});
  const Tensor h = x * x, y = h * w;
  const TensorList g = autograd::grad({y}, {h, w}, {}, /*retain_graph=*/true);
  CHECK(values(g[0]) == List{5});
  CHECK(values(g[1]) == List{4});
  const Tensor unused = leaf({1});
  CHECK(message<AutogradError>([&] { autograd::grad({y}, {unused}, {}, true); }) ==
        "grad: inputs[0] was not used to compute the outputs. Pass allow_unused=true to get an "
        "undefined gradient for it.");
  CHECK_FALSE(autograd::grad({y}, {unused}, {}, true, false, /*allow_unused=*/true)[0].defined());
  autograd::backward({y}, {}, nullopt, false, {w});
  CHECK(values(w.grad()) == List{4});
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("a graph is used once unless it is retained") {
  const Tensor x = leaf({3});
  const Tensor y = x * x;
  y.backward({}, /*retain_graph=*/true);
  y.backward();
  CHECK(values(x.grad()) == List{12});
  CHECK(message<AutogradError>([&] { y.backward(); }) ==
        "backward: the graph of \"mul\" was already used and its saved tensors are freed. Pass "
        "retain_graph=true to the first backward, or run the forward pass again.");
}

TEST_CASE("a saved value changed in place is found") {
  const Tensor x = leaf({1, 2});
  Tensor y = x.exp();
  y.mul_(2);
  CHECK(message<AutogradError>([&] { backward_ones(y); }) ==
        "backward: a tensor of sizes [2] that was saved for the gradient has been changed in place "
        "since (version 1, expected 0). Use the operation without the trailing underscore, or "
        "change a clone().");
  Tensor z = x * 2;  // saves x, not z: z may change
  z.mul_(3);
  backward_ones(z);
  CHECK(values(x.grad()) == List{6, 6});
}

TEST_CASE("leaves are not changed in place while recording") {
  Tensor x = leaf({1, 2});
  const std::string text =
      " is about to be changed in place, which would lose its value for backward. Put the change "
      "under a NoGradGuard, or use the operation that makes a new tensor.";
  CHECK(message<AutogradError>([&] { x.add_(1); }) ==
        "add: a leaf that requires a gradient" + text);
  CHECK(message<AutogradError>([&] {
          x.view({2, 1}).zero_();
        }) == "zero_: a view of a leaf that requires a gradient" + text);
  NoGradGuard no_grad;
  x.add_(1);
  CHECK(values(x) == List{2, 3});
}

TEST_CASE("a change in place through a view reaches the base's graph") {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor h = x * 1;
  h.view({2, 2}).select(0, 1).mul_(10);  // h = x0 x1 10x2 10x3
  backward_ones(h * h);
  CHECK(values(x.grad()) == List{2, 4, 600, 800});

  Tensor rows = empty({2, 2}).fill_(1);  // a base that wanted no gradient until now
  const Tensor w = leaf({5, 7});
  rows[0] = w;
  backward_ones(rows * rows);
  CHECK(values(w.grad()) == List{10, 14});

  const Tensor u = leaf({1, 2});  // a view made before the change sees it, gradient included
  Tensor base = u * 1;
  const Tensor before = base.view({2, 1});
  base.mul_(3);
  backward_ones(before * 1);
  CHECK(values(u.grad()) == List{3, 3});
}

TEST_CASE("an argument that shares the changed memory is not used for a wrong gradient") {
  const Tensor x = leaf({3, 4});
  const auto refused = [&](auto change) {
    Tensor y = x * 1;
    change(y);
    CHECK_THROWS_AS(backward_ones(y), AutogradError);
  };
  refused([](Tensor& y) { y.mul_(y); });
  refused([](Tensor& y) { y.mul_(y.detach()); });
  refused([](Tensor& y) { y.div_(y.view({2})); });
  refused([](Tensor& y) { y.addcmul_(y, y); });
  refused([](Tensor& y) { y.addcdiv_(y, y.detach()); });
  refused([](Tensor& y) { y.lerp_(ones({2}), y); });
}

TEST_CASE("a view that was an argument of its base's change follows the change") {
  const Tensor x = leaf({1, 2});
  Tensor base = x * 1;
  const Tensor view = base.view({2});
  base.add_(view);
  backward_ones(view * 1);
  CHECK(values(x.grad()) == List{2, 2});
}

TEST_CASE("a view made before its base joins a graph joins it, too") {
  const Tensor x = leaf({1, 2});
  Tensor base = zeros({2});
  Tensor view = base.slice(0, 0, 1);
  const Tensor same = base.view({2, 1});
  CHECK_FALSE(view.requires_grad());
  base.copy_(x);
  CHECK(view.requires_grad());
  CHECK_FALSE(view.is_leaf());
  CHECK(view.grad_fn() != nullptr);
  (view.sum() + base.sum()).backward();
  CHECK(values(x.grad()) == List{2, 1});
  CHECK((same * 2).requires_grad());
  CHECK(cat({same, same}).requires_grad());

  x.mutable_grad().zero_();
  Tensor other = zeros({2}), part = other.slice(0, 0, 1);
  other.add_(x);
  part.mul_(3);  // of the graph, although the view was made outside of it
  other.sum().backward();
  CHECK(values(x.grad()) == List{3, 1});
}

TEST_CASE("masks and indices that are changed before backward are found") {
  const Tensor x = leaf({1, 2});
  const auto refused = [&](auto forward) {
    Tensor at = tensor({1, 0});
    const Tensor y = forward(at);
    at.zero_();
    CHECK_THROWS_AS(backward_ones(y), AutogradError);
  };
  const auto mask = [](const Tensor& at) { return at.to(kBool); };
  refused([&](Tensor& at) { return at = mask(at), where(at, x, x * 10); });
  refused([&](Tensor& at) { return at = mask(at), x.masked_fill(at, 5); });
  refused([&](Tensor& at) { return at = mask(at), (x * 1).masked_fill_(at, 5); });
  refused([&](Tensor& at) { return x.index_select(0, at); });
  refused([&](Tensor& at) { return x.gather(0, at); });
  refused([&](Tensor& at) { return x.index({at}); });
  refused([&](Tensor& at) { return zeros({2}).index_add_(0, at, x); });
  refused([&](Tensor& at) { return zeros({2}).scatter_(0, at, x); });
  refused([&](Tensor& at) { return zeros({2}).scatter_add_(0, at, x); });
  refused([&](Tensor& at) { return zeros({2}).index_put_({at}, x); });
  refused([&](Tensor& at) { return embedding(x.view({2, 1}), at); });
  refused([&](Tensor& at) {
    const auto [sorted, order] = x.sort(0, true);
    at = order;
    return sorted;
  });
  refused([&](Tensor& at) {
    const auto [largest, where_it_is] = x.max(0);
    at = where_it_is;
    return largest;
  });
  refused([&](Tensor& at) {
    at = ones({2});
    return nll_loss(x.view({1, 2}), tensor({1}), at);
  });
}

TEST_CASE("a gradient in a gradient buffer stays there, and is zeroed without being written") {
  const Tensor x = leaf({1, 2}), memory = zeros({4});
  {
    NoGradGuard no_grad;
    meta_of(x).grad_buffer = memory.narrow(0, 1, 2);
  }
  backward_ones(x * 3);
  CHECK(values(memory) == List{0, 3, 3, 0});
  clear_gradient(x, false);
  CHECK(values(memory) == List{0, 3, 3, 0});
  backward_ones(x * 4);
  CHECK(values(memory) == List{0, 4, 4, 0});
  const Tensor held = x.grad();
  clear_gradient(x, false);
  CHECK(values(held) == List{0, 0});
}

TEST_CASE("the gradient takes the leaf's memory format") {
  const Tensor x = of({1, 2, 3, 4, 5, 6}, {2, 3}).t().requires_grad_();
  const Tensor weights = of({1, 2, 3, 4, 5, 6}, {3, 2});
  backward_ones(x * weights);
  CHECK(values(x.grad()) == values(weights));
  CHECK(x.grad().strides() == x.strides());
}

TEST_CASE("graphs recorded by several threads are joined in one backward pass") {
  const Tensor x = leaf({1, 2});
  std::vector<Tensor> parts(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Tensor y = x * (i + 1);
      for (int k = 0; k < 20 * i; ++k) y = y * 1.0;  // numbers made in threads do not compare
      parts[i] = y;
    });
  for (std::thread& t : threads) t.join();
  backward_ones(parts[0] + parts[1] + parts[2] + parts[3]);
  CHECK(values(x.grad()) == List{10, 10});
}

TEST_CASE("threads may run backward into one leaf at the same time") {
  const Tensor x = leaf({1});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) (x * 1.0).backward();
    });
  for (std::thread& t : threads) t.join();
  CHECK(values(x.grad()) == List{400});
}

TEST_CASE("a leaf has one node for all its graphs, which hold the leaf") {
  Tensor x = leaf({1, 2});
  int finished = 0;
  x.register_hook([&](const Tensor&) {
    ++finished;
    return Tensor();
  });
  const Tensor first = x * 2, second = x * 3;
  const intrusive_ptr<Node> node = first.grad_fn()->edges[0].node;
  CHECK(node == second.grad_fn()->edges[0].node);
  const Edge edge = first.grad_fn()->edges[0];
  CHECK(edge.leaf.is_same(x));
  x = Tensor();  // the graphs still know it
  backward_ones(first);
  CHECK(values(edge.leaf.grad()) == List{2, 2});
  backward_ones(second);
  CHECK(values(edge.leaf.grad()) == List{5, 5});
  CHECK(finished == 2);
}

TEST_CASE("the node of a leaf may outlive it") {
  intrusive_ptr<Node> node;
  {
    const Tensor y = leaf({1, 2}) * 2;
    node = y.grad_fn()->edges[0].node;
    CHECK(node->use_count() > 1);
  }
  CHECK(node->use_count() == 1);
  CHECK(node->name() == "AccumulateGrad");
  CHECK(node->device() == Device(kCPU));
}

TEST_CASE("work on a side stream: backward runs there and the caller waits") {
  const Device device("sim:0");
  const Tensor x = leaf(std::vector<float>(1000, 1.0f), device);
  const Stream side = getStreamFromPool(device);
  Tensor y;
  side.wait(getCurrentStream(device));
  {
    StreamGuard guard(side);
    y = x * 2;
  }
  backward_ones(y);
  CHECK(values(x.grad()) == List(1000, 2));
}

namespace {

struct Cube : autograd::Function<Cube> {
  static Tensor forward(autograd::AutogradContext* ctx, Tensor x, double factor) {
    ctx->saved_data["factor"] = factor;
    ctx->save_for_backward({x});
    return x * x * x * factor;
  }
  static TensorList backward(autograd::AutogradContext* ctx, TensorList g) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {g[0] * x * x * 3 * ctx->saved_data["factor"].toDouble(), Tensor()};
  }
};

}  // namespace

TEST_CASE("a custom function, twice differentiable") {
  const Tensor x = leaf({2});
  const Tensor y = Cube::apply(x, 5.0);
  CHECK(values(y) == List{40});
  const Tensor g = autograd::grad({y}, {x}, {}, nullopt, true)[0];
  CHECK(values(g) == List{60});
  CHECK(values(autograd::grad({g}, {x})[0]) == List{60});
}

TEST_CASE("a backward pass that is not possible is a clear error") {
  CHECK(message<AutogradError>([] { of({1}).backward(); }) ==
        "backward: the tensor does not require a gradient and has no grad_fn. Was it made under "
        "NoGradGuard, or from parameters without requires_grad?");
  CHECK(message<AutogradError>([] {
          (leaf({1, 2}) * 2).backward();
        }) ==
        "backward: a gradient can be left out only for a single element, but the tensor has sizes "
        "[2]. Reduce it first (sum, mean) or pass a gradient.");
  CHECK(message<ShapeError>([] {
          (leaf({1, 2}) * 2).backward(of({1}));
        }) == "backward: a gradient of sizes [1] for a tensor of sizes [2]; they must be equal");
  CHECK(message<AutogradError>([] { empty({1}, kInt64).requires_grad_(); }) ==
        "requires_grad_: only floating point tensors can have a gradient, but this one is int64; "
        "convert it with to(kFloat32)");
}

TEST_CASE("gradients of one tensor are added on the stream that made them") {
  const Stream side = getStreamFromPool("sim:0");
  const Tensor x = leaf({1, 2, 3}, "sim:0");
  synchronize("sim:0");
  Tensor y;
  {
    StreamGuard guard(side);
    const Tensor twice = x * 2;  // two gradients meet in its node
    y = (twice * twice + twice).sum();
  }
  test::Gate gate;
  gate.hold(side);  // an addition elsewhere would run now, on memory that is not written yet
  y.backward();
  gate.open();
  CHECK(values(x.grad()) == List{10, 18, 26});
}
