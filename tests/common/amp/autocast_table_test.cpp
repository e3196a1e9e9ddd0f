// Every line of autocast's table: under a guard the operation is bitwise identical to casting by
// hand, forward and backward, in the table's type. A line without a sample here fails.
#include <map>

#include "casts.h"
#include "td/autograd/engine.h"
#include "td/ops/autocast.h"
#include "td_more/td_more.h"

using namespace td;
using autocast::Policy;

namespace {

using Run = std::function<Tensor(const TensorList&)>;
struct Sample {
  TensorList inputs;  // float32 ones are cast to and fro; others are indices and classes
  Run run;
};
using Samples = std::multimap<std::string, Sample>;

Tensor classes() { return tensor({2, 0, 3}, kLong); }

void add_products(Samples& s) {
  s.insert({"linear", {{numbers({3, 4}), numbers({5, 4}), numbers({5})}, [](const auto& x) {
                         return linear(x[0], x[1], x[2]);
                       }}});
  s.insert({"linear", {{numbers({2, 3, 4}), numbers({5, 4})}, [](const auto& x) {
                         return linear(x[0], x[1]);
                       }}});
  for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{4}, {3, 4}, {2, 3, 4}})
    s.insert({"matmul", {{numbers(sizes), numbers({4, 5})}, [](const auto& x) {
                           return x[0].matmul(x[1]);
                         }}});
  s.insert(
      {"matmul", {{numbers({4}), numbers({4})}, [](const auto& x) { return matmul(x[0], x[1]); }}});
  s.insert(
      {"mm", {{numbers({3, 4}), numbers({4, 5})}, [](const auto& x) { return mm(x[0], x[1]); }}});
  s.insert({"bmm", {{numbers({2, 3, 4}), numbers({2, 4, 5})}, [](const auto& x) {
                      return bmm(x[0], x[1]);
                    }}});
  s.insert({"addmm", {{numbers({5}), numbers({3, 4}), numbers({4, 5})}, [](const auto& x) {
                        return addmm(x[0], x[1], x[2], 0.5, 2);
                      }}});
  s.insert({"mv", {{numbers({3, 4}), numbers({4})}, [](const auto& x) { return mv(x[0], x[1]); }}});
  s.insert(
      {"dot", {{numbers({4}), numbers({4}, 0.7)}, [](const auto& x) { return dot(x[0], x[1]); }}});
  s.insert({"conv2d",
            {{numbers({2, 2, 5, 5}), numbers({3, 2, 3, 3}), numbers({3})},
             [](const auto& x) { return conv2d(x[0], x[1], x[2], 2, 1); }}});
}

void add_functions(Samples& s) {
  const std::map<std::string, Tensor (*)(const Tensor&)> unary{
      {"exp", td::exp},       {"log", td::log},     {"log1p", td::log1p},
      {"square", td::square}, {"rsqrt", td::rsqrt}, {"reciprocal", td::reciprocal}};
  for (const auto& [name, f] : unary)
    s.insert({name, {{numbers({3, 4})}, [f = f](const auto& x) { return f(x[0]); }}});
  s.insert({"exp", {{numbers({3, 4})}, [](const auto& x) { return x[0].exp(); }}});
  s.insert({"softplus", {{numbers({7})}, [](const auto& x) { return softplus(x[0], 2); }}});
  s.insert(
      {"pow", {{numbers({5}), numbers({5}, 1)}, [](const auto& x) { return pow(x[0], x[1]); }}});
  for (const double exponent : {2.0, 2.5})
    s.insert({"pow", {{numbers({5})}, [exponent](const auto& x) { return pow(x[0], exponent); }}});
  s.insert({"pow", {{numbers({5})}, [](const auto& x) { return pow(Scalar(2.5), x[0]); }}});
  s.insert({"layer_norm", {{numbers({3, 4}), numbers({4}), numbers({4}, 0.1)}, [](const auto& x) {
                             return layer_norm(x[0], 4, x[1], x[2]);
                           }}});
  s.insert({"logsumexp", {{numbers({3, 4})}, [](const auto& x) { return logsumexp(x[0], 1); }}});
  s.insert({"addcmul", {{numbers({4}), numbers({3, 4}), numbers({3, 1})}, [](const auto& x) {
                          return addcmul(x[0], x[1], x[2], 3);
                        }}});
  s.insert({"addcdiv", {{numbers({4}), numbers({3, 4}), numbers({3, 1})}, [](const auto& x) {
                          return x[0].addcdiv(x[1], x[2]);
                        }}});
  s.insert({"scatter_add", {{numbers({4}), classes(), numbers({3}, 1)}, [](const auto& x) {
                              return scatter_add(x[0], 0, x[1], x[2]);
                            }}});
  s.insert({"cat", {{numbers({2, 3}), numbers({4, 3}, 1)}, [](const auto& x) {
                      return cat({x[0], x[1]});
                    }}});
  s.insert({"stack", {{numbers({2, 3}), numbers({2, 3}, 1)}, [](const auto& x) {
                        return stack({x[0], x[1]}, 1);
                      }}});
}

void add_losses(Samples& s) {
  using Elementwise = Tensor (*)(const Tensor&, const Tensor&, Reduction::Reduction);
  const std::map<std::string, Elementwise> losses{{"mse_loss", mse_loss}, {"l1_loss", l1_loss}};
  for (const auto& [name, f] : losses)
    for (const auto reduction : {Reduction::None, Reduction::Mean, Reduction::Sum})
      s.insert({name, {{numbers({6}), numbers({6}, 0.5)}, [f = f, reduction](const auto& x) {
                         return f(x[0], x[1], reduction);
                       }}});
  s.insert({"smooth_l1_loss", {{numbers({6}), numbers({6}, 0.5)}, [](const auto& x) {
                                 return smooth_l1_loss(x[0], x[1], kSum, 0.3);
                               }}});
  s.insert({"nll_loss", {{numbers({3, 4}), classes(), numbers({4}, 1)}, [](const auto& x) {
                           return nll_loss(x[0], x[1], x[2].detach());
                         }}});
  s.insert({"cross_entropy_loss", {{numbers({3, 4}), classes()}, [](const auto& x) {
                                     return cross_entropy_loss(x[0], x[1], {}, kMean, -100, 0.1);
                                   }}});
  s.insert({"cross_entropy_loss", {{numbers({3, 4}), numbers({3, 4}, 0.1)}, [](const auto& x) {
                                     return cross_entropy_loss(x[0], x[1]);
                                   }}});
  s.insert({"binary_cross_entropy_with_logits",
            {{numbers({6}), numbers({6}, 0.1), numbers({6}), numbers({1})}, [](const auto& x) {
               return binary_cross_entropy_with_logits(x[0], x[1], x[2], x[3]);
             }}});
  s.insert({"binary_cross_entropy", {{numbers({6}, 0.1), numbers({6}, 0.1)}, [](const auto& x) {
                                       return binary_cross_entropy(x[0], x[1]);
                                     }}});
}

void add_sums(Samples& s) {
  const std::vector<std::pair<const char*, Run>> runs{
      {"softmax", [](const auto& x) { return softmax(x[0], 1); }},
      {"softmax", [](const auto& x) { return x[0].softmax(0); }},
      {"log_softmax", [](const auto& x) { return log_softmax(x[0], 1); }},
      {"sum", [](const auto& x) { return sum(x[0]); }},
      {"sum", [](const auto& x) { return x[0].sum(1, true); }},
      {"prod", [](const auto& x) { return prod(x[0]); }},
      {"prod", [](const auto& x) { return prod(x[0], 1); }},
      {"cumsum", [](const auto& x) { return cumsum(x[0], 0); }},
      {"cumprod", [](const auto& x) { return x[0].cumprod(1); }},
      {"norm", [](const auto& x) { return norm(x[0]); }},
      {"norm", [](const auto& x) { return x[0].norm(3, 1, true); }}};
  for (const auto& [name, run] : runs) s.insert({name, {{numbers({3, 4})}, run}});
}

const Samples& samples() {
  static const Samples all = [] {
    Samples s;
    add_products(s);
    add_functions(s);
    add_losses(s);
    add_sums(s);
    return s;
  }();
  return all;
}

// The inputs on a device, the first real one in type `first` and the others in type `rest`.
TensorList typed(const TensorList& inputs, Device device, ScalarType first, ScalarType rest) {
  TensorList list;
  ScalarType next = first;
  for (const Tensor& x : inputs) {
    list.push_back(x.is_floating_point() ? x.to(device, next) : x.to(device));
    if (x.is_floating_point()) next = rest;
  }
  return list;
}

TensorList all_to(const TensorList& inputs, ScalarType type) {
  TensorList list;
  for (const Tensor& x : inputs) list.push_back(x.is_floating_point() ? x.to(type) : x);
  return list;
}

// What a policy does to the arguments, by hand.
TensorList by_hand(Policy policy, const TensorList& inputs, ScalarType fast) {
  if (policy == Policy::kLowerPrecision) return all_to(inputs, fast);
  if (policy == Policy::kFloat || policy == Policy::kFloatOutput) return all_to(inputs, kFloat);
  if (policy != Policy::kPromote) return inputs;
  for (const Tensor& x : inputs)
    if (x.dtype() == kFloat) return all_to(inputs, kFloat);
  return all_to(inputs, fast);
}

// The result and the gradients of the real inputs, or the text of the error.
struct Outcome {
  TensorList results;
  std::string error;
};

void add_gradients(Outcome& o, const TensorList& inputs) {
  if (!o.error.empty()) return;
  TensorList leaves;
  for (const Tensor& x : inputs)
    if (x.requires_grad()) leaves.push_back(x);
  const Tensor y = o.results[0];
  const Tensor weights = numbers(y.sizes()).to(y.device(), y.dtype());
  for (const Tensor& g : autograd::grad({y}, leaves, {weights}, nullopt, false, true))
    o.results.push_back(g);
}

TensorList leaves_of(const TensorList& inputs) {
  TensorList list;
  for (const Tensor& x : inputs)
    list.push_back(x.is_floating_point() ? x.detach().clone().requires_grad_() : x);
  return list;
}

template <class F>
Outcome attempt(const F& run, const TensorList& inputs) {
  Outcome o;
  try {
    o.results.push_back(run());
  } catch (const Error& error) {
    o.error = error.what();
  }
  add_gradients(o, inputs);
  return o;
}

void check_same(const Outcome& actual, const Outcome& expected) {
  CHECK(actual.error == expected.error);
  REQUIRE(actual.results.size() == expected.results.size());
  for (std::size_t i = 0; i < actual.results.size(); ++i) {
    INFO((i == 0 ? "result" : "gradient") << ' ' << i);
    CHECK(same_bits(actual.results[i], expected.results[i]));
  }
}

void check_line(const autocast::Rule& rule, const Sample& s, Device device, ScalarType fast,
                ScalarType first, ScalarType rest) {
  INFO(rule.operation << " on " << device << " in " << fast << ", inputs " << first << ", "
                      << rest);
  const Policy policy = autocast::policy_on(device.type(), rule);
  const TensorList inputs = leaves_of(typed(s.inputs, device, first, rest));
  const auto under_guard = [&] {
    const amp::AutocastGuard guard(device.type(), fast);
    return s.run(inputs);
  };
  const Outcome actual = attempt(under_guard, inputs);
  if (policy == Policy::kBanned) {
    CHECK(actual.error.find("refused under autocast") != std::string::npos);
    return;
  }
  const bool real = first != kDouble;
  const TensorList again = leaves_of(inputs);
  const Outcome expected =
      attempt([&] { return s.run(real ? by_hand(policy, again, fast) : again); }, again);
  check_same(actual, expected);
  if (policy == Policy::kUnlisted) return;
  REQUIRE(actual.error.empty());
  const bool promotes_down = policy == Policy::kPromote && first == fast && rest == fast;
  const bool lower = policy == Policy::kLowerPrecision || promotes_down;
  CHECK(actual.results[0].dtype() == (!real ? kDouble : lower ? fast : kFloat));
}

}  // namespace

TEST_CASE("each operation of the table gives the bits of casting by hand, in the table's type") {
  for (const autocast::Rule& rule : autocast::table) {
    const auto [begin, end] = samples().equal_range(rule.operation);
    INFO(rule.operation << " has a sample");
    CHECK(begin != end);
    for (auto s = begin; s != end; ++s)
      for (const Device device : devices())
        for (const ScalarType fast : kFastTypes) {
          check_line(rule, s->second, device, fast, kFloat, kFloat);
          check_line(rule, s->second, device, fast, fast, fast);
          check_line(rule, s->second, device, fast, fast, kFloat);
          check_line(rule, s->second, device, fast, kFloat, fast);
          check_line(rule, s->second, device, fast, kDouble, kDouble);
        }
  }
}

TEST_CASE("no operation is in the table twice, and every sample belongs to a line") {
  std::map<std::string, int> lines;
  for (const autocast::Rule& rule : autocast::table) ++lines[rule.operation];
  for (const auto& [name, count] : lines) {
    INFO(name);
    CHECK(count == 1);
  }
  for (const auto& [name, sample] : samples()) {
    INFO(name);
    CHECK(lines.count(name) == 1);
  }
}
