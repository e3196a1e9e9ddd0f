// Hooks: in which order they run, what they may change and release, and callbacks at the end of a
// backward pass.
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../tensor/values.h"
#include "td/autograd/engine.h"
#include "td/autograd/function.h"

using namespace td;
using List = std::vector<double>;

TEST_CASE("hooks, retained gradients, and hooks after accumulation") {
  const Tensor x = leaf({1});
  std::vector<std::string> order;
  const Tensor y = x * 2;
  y.retain_grad();
  y.register_hook([&](const Tensor&) {
    order.push_back("y");
    return Tensor();
  });
  const unsigned number = x.register_hook([&](const Tensor& g) {
    order.push_back("x");
    return g * 10;
  });
  const unsigned after = x.register_post_accumulate_grad_hook([&](const Tensor& l) {
    order.push_back("after");
    CHECK(l.grad().defined());
  });
  (y * 3).backward({}, true);
  CHECK(order == std::vector<std::string>{"y", "x", "after"});
  CHECK(values(y.grad()) == List{3});
  CHECK(values(x.grad()) == List{60});
  x.remove_hook(number);
  x.remove_hook(after);
  (y * 3).backward();
  CHECK(values(x.grad()) == List{66});
  CHECK(order.size() == 4);  // only y's hook ran again
  CHECK_THROWS_WITH(y.register_post_accumulate_grad_hook([](const Tensor&) {}),
                    Catch::Contains("only a leaf that requires a gradient accumulates one"));
}

TEST_CASE("a hook that a tensor does not have cannot be removed") {
  const Tensor x = leaf({1}), y = x * 2;
  const auto none = [](const Tensor&) { return Tensor(); };
  const unsigned of_x = x.register_hook(none), of_y = y.register_hook(none);
  const auto refusal = [](unsigned number) {
    return "remove_hook: this tensor has no hook of number " + std::to_string(number) +
           ". Was it removed before, or registered with another tensor, or before a change in "
           "place?";
  };
  CHECK(message<AutogradError>([&] { x.remove_hook(of_y); }) == refusal(of_y));
  CHECK(message<AutogradError>([&] { y.remove_hook(of_x); }) == refusal(of_x));
  CHECK(message<AutogradError>([&] { of({1}).remove_hook(of_x); }) == refusal(of_x));
  CHECK_NOTHROW(x.remove_hook(of_x));
  CHECK_NOTHROW(y.remove_hook(of_y));
  CHECK(message<AutogradError>([&] { x.remove_hook(of_x); }) == refusal(of_x));
}

TEST_CASE("a hook may remove itself or others and add hooks while hooks run") {
  const Tensor x = leaf({1}), y = x * 2;
  for (const Tensor& t : {x, y}) {
    std::string order;
    unsigned numbers[4] = {};
    const auto hook = [&](char name, auto work) {
      const std::string captured(64, name);  // on the heap, so that a use after its end is noticed
      return t.register_hook([&order, captured, work](const Tensor&) {
        work();
        order += captured[0];
        return Tensor();
      });
    };
    numbers[0] = hook('a', [&] { t.remove_hook(numbers[0]); });
    numbers[1] = hook('b', [&] { hook('n', [] {}); });
    numbers[2] = hook('c', [&] {
      t.remove_hook(numbers[1]);
      t.remove_hook(numbers[3]);
    });
    numbers[3] = hook('d', [] {});
    hook('e', [] {});
    y.backward({}, /*retain_graph=*/true);
    CHECK(order == "abce");
    order.clear();
    CHECK_THROWS(t.remove_hook(numbers[0]));
    t.remove_hook(numbers[2]);
    y.backward({}, /*retain_graph=*/true);
    CHECK(order == "en");
    order.clear();
    // These refer to this scope.
    for (unsigned number = numbers[3] + 1; number <= numbers[3] + 2; ++number)
      t.remove_hook(number);
  }
}

TEST_CASE("a hook after accumulation may remove itself") {
  const Tensor x = leaf({1});
  std::string order;
  unsigned first = 0;
  first = x.register_post_accumulate_grad_hook([&](const Tensor& t) {
    t.remove_hook(first);
    order += 'a';
  });
  x.register_post_accumulate_grad_hook([&](const Tensor&) { order += 'b'; });
  (x * 2).backward();
  (x * 2).backward();
  CHECK(order == "abb");
}

TEST_CASE("hooks of all threads have different numbers") {
  const Tensor x = leaf({1});
  const auto none = [](const Tensor&) { return Tensor(); };
  const unsigned here = x.register_hook(none);
  unsigned there = here;
  std::thread([&] { there = x.register_hook(none); }).join();
  CHECK(there != here);
  CHECK_NOTHROW(x.remove_hook(here));
  CHECK_NOTHROW(x.remove_hook(there));
}

TEST_CASE("a hook must return a gradient of the same sizes, type and device") {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6}, {2, 3}), y = x.softmax(1);
  const std::pair<Tensor, const char*> wrong[] = {{ones({5, 3}), "sizes [5, 3]"},
                                                  {ones({3}), "sizes [3]"},
                                                  {ones({2, 3}, kFloat64), "float64"},
                                                  {ones({2, 3}, Device("sim:0")), "sim:0"}};
  for (const bool of_leaf : {false, true})
    for (const auto& [gradient, part] : wrong) {
      const Tensor& t = of_leaf ? x : y;
      const unsigned number = t.register_hook([g = gradient](const Tensor&) { return g; });
      const std::string text =
          message<AutogradError>([&] { y.sum().backward({}, /*retain_graph=*/true); });
      CHECK_THAT(text, Catch::Contains(part) && Catch::Contains("hook " + std::to_string(number)) &&
                           Catch::Contains("sizes [2, 3], float32, cpu") &&
                           Catch::Contains(of_leaf ? "a leaf" : "\"softmax\""));
      CHECK_FALSE(x.grad().defined());
      t.remove_hook(number);
    }
}

TEST_CASE("a queued callback runs once, when all gradients of its backward pass are complete") {
  const Tensor x = leaf({1}), y = leaf({2});
  std::vector<std::string> order;
  const auto later = [&](const char* text) {
    autograd::queue_callback([&order, text] { order.emplace_back(text); });
  };
  x.register_post_accumulate_grad_hook([&](const Tensor&) {
    order.emplace_back("x");
    later("first");
    autograd::queue_callback([&] { later("from a callback"); });
    const AutoGradMode recording(true);
    const Tensor inner = leaf({3});
    inner.register_hook([&](const Tensor&) { later("end of inner"); });
    (inner * 2).backward();
  });
  y.register_post_accumulate_grad_hook([&](const Tensor&) { order.emplace_back("y"); });
  (x * y).backward();
  CHECK(std::vector<std::string>(order.end() - 2, order.end()) ==
        std::vector<std::string>{"first", "from a callback"});
  CHECK(std::count(order.begin(), order.end(), "end of inner") == 1);
  CHECK(order.size() == 5);
  (leaf({1}) * 2).backward();  // nothing is left behind
  CHECK(order.size() == 5);
  CHECK_THROWS_WITH(autograd::queue_callback([] {}),
                    Catch::Contains("this thread runs no backward"));
}

TEST_CASE("a callback is dropped with the backward pass that failed") {
  const Tensor x = leaf({1});
  bool called = false;
  x.register_post_accumulate_grad_hook([&](const Tensor&) {
    autograd::queue_callback([&] { called = true; });
    throw Error("stop here");
  });
  CHECK_THROWS_WITH((x * 2).backward(), "stop here");
  (leaf({1}) * 2).backward();
  CHECK_FALSE(called);
}

TEST_CASE("a retained gradient does not outlive its tensor's handle") {
  const Tensor x = leaf({1});
  Tensor z;
  {
    const Tensor y = x * 2;
    y.retain_grad();
    z = y * 3;
  }
  z.backward();
  CHECK(values(x.grad()) == List{6});
}

TEST_CASE("a hook may release the graph that backward is running") {
  const Tensor x = leaf({2});
  Tensor middle = x * 3, end = middle * 2;
  end.register_hook([&](const Tensor&) {
    middle = Tensor();
    end.detach_();
    return Tensor();
  });
  end.backward();
  CHECK(end.is_leaf());
  CHECK(values(x.grad()) == List{6});
}

TEST_CASE("a hook may return nothing; saved_data keeps values of any kind") {
  const Tensor x = leaf({2});
  double seen = 0;
  x.register_hook([&](const Tensor& g) { seen = g.item<double>(); });
  (x * 3).backward();
  CHECK(seen == 3);
  CHECK(values(x.grad()) == List{3});
  const IValue number = 2.5, text = "relu", tensor = x;
  CHECK(number.toDouble() == 2.5);
  CHECK(number.toInt() == 2);
  CHECK(IValue(true).toBool());
  CHECK(text.toStringRef() == "relu");
  CHECK(tensor.toTensor().is_same(x));
  CHECK(IValue(std::vector<int>{1, 2}).as<std::vector<int>>()[1] == 2);
  CHECK(message<Error>([&] { text.toInt(); }) == "saved_data: the value is not a number");
  CHECK(Scalar(2.5).toInt() == 2);
  CHECK(Scalar(7).toFloat() == 7.f);
}

TEST_CASE("backward for some inputs runs the hooks of these leaves alone") {
  const Tensor a = ones({2}).requires_grad_(), b = ones({2}).requires_grad_();
  int of_a = 0, after_a = 0, of_b = 0;
  a.register_hook([&](const Tensor& g) { return ++of_a, g * 2; });
  a.register_post_accumulate_grad_hook([&](const Tensor& leaf) {
    ++after_a;
    CHECK(leaf.grad().defined());
  });
  b.register_hook([&](const Tensor& g) { return ++of_b, g; });
  for (int round = 1; round <= 2; ++round) {
    const Tensor middle = a * b;
    autograd::backward({(middle * 3).sum()}, {}, nullopt, false, {a, middle});
    CHECK(values(a.grad()) == List{6.0 * round, 6.0 * round});
    CHECK(values(middle.grad()) == List{3, 3});
    CHECK_FALSE(b.grad().defined());
    CHECK(of_a == round);
    CHECK(after_a == round);
    CHECK(of_b == 0);
  }
}
