// Reductions over all dims, some, none: dtypes, layouts, keepdim, NaN, ties, empty tensors,
// gradients.
#include "conformance.h"

#include <limits>

using namespace conformance;

namespace {

// Braces with a 0 could be a list of names to libtorch.
using Dims = std::vector<std::int64_t>;

struct Reduction {
  const char* name;
  std::function<Tensor(const Tensor&)> apply;
};

#define REDUCTION(...)                                        \
  {                                                           \
#__VA_ARGS__, [](const Tensor& x) { return __VA_ARGS__; } \
  }
// All of these take a tensor of two or more dimensions, or throw.
const std::vector<Reduction> reductions = {
    REDUCTION(x.sum()),
    REDUCTION(torch::sum(x, 0)),
    REDUCTION(x.sum(Dims{0, 1})),
    REDUCTION(x.sum(Dims{-1}, true)),
    REDUCTION(x.sum(1, false, torch::kFloat64)),
    REDUCTION(x.sum(torch::kInt64)),
    REDUCTION(x.mean()),
    REDUCTION(x.mean(0)),
    REDUCTION(torch::mean(x, Dims{0, 1}, true)),
    REDUCTION(x.mean(torch::kFloat64)),
    REDUCTION(x.prod()),
    REDUCTION(x.prod(1)),
    REDUCTION(torch::prod(x, 0, true)),
    REDUCTION(x.max()),
    REDUCTION(x.min()),
    REDUCTION(std::get<0>(x.max(0))),
    REDUCTION(std::get<1>(x.max(1, true))),
    REDUCTION(std::get<0>(torch::min(x, -1))),
    REDUCTION(std::get<1>(x.min(0))),
    REDUCTION(x.argmax()),
    REDUCTION(x.argmax(0)),
    REDUCTION(torch::argmin(x)),
    REDUCTION(x.argmin(1, true)),
    REDUCTION(x.amax()),
    REDUCTION(x.amax(Dims{0})),
    REDUCTION(torch::amin(x, Dims{1}, true)),
    REDUCTION(x.amin(Dims{0, 1})),
    REDUCTION(x.var()),
    REDUCTION(x.var(false)),
    REDUCTION(x.var(Dims{0})),
    REDUCTION(x.var(Dims{0, 1}, false, true)),
    REDUCTION(torch::std(x)),
    REDUCTION(x.std(true)),
    REDUCTION(x.std(Dims{1}, true)),
    REDUCTION(x.std(Dims{1}, false, true)),
    REDUCTION(x.norm()),
    REDUCTION(x.norm(1)),
    REDUCTION(x.norm(0)),
    REDUCTION(x.norm(3)),
    REDUCTION(torch::norm(x, std::numeric_limits<double>::infinity())),
    REDUCTION(x.norm(-std::numeric_limits<double>::infinity())),
    REDUCTION(x.norm(2, Dims{1})),
    REDUCTION(x.norm(1, Dims{0}, true)),
    REDUCTION(x.norm(2.5, Dims{0, 1})),
    REDUCTION(torch::logsumexp(x, 0)),
    REDUCTION(x.logsumexp(Dims{0, 1}, true)),
    REDUCTION(x.any()),
    REDUCTION(x.all()),
    REDUCTION(x.any(0)),
    REDUCTION(x.all(-1, true)),
    REDUCTION(torch::softmax(x, 0)),
    REDUCTION(x.softmax(-1)),
    REDUCTION(x.softmax(1, torch::kFloat64)),
    REDUCTION(torch::log_softmax(x, 1)),
    REDUCTION(x.log_softmax(0)),
};

void values() {
  for (const NamedType& type : all_types())
    for (const Named& input : layouts(type.type)) {
      Context here(type.name + ", " + input.name);
      for (const Reduction& f : reductions) report(f.name, [&] { return f.apply(input.tensor); });
    }
}

void edges() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Named> inputs = {
      {"nan inside", torch::tensor({{1.0, nan, 3.0}, {4.0, 5.0, 6.0}})},
      {"infinities", torch::tensor({{1.0, inf, 3.0}, {-inf, 5.0, -inf}})},
      {"all minus infinity", torch::full({2, 2}, -inf)},
      {"large", torch::tensor({{1000.0, 1001.0}, {-1000.0, -1001.0}})},
      {"ties", torch::tensor({{1.0, 2.0, 2.0}, {2.0, 1.0, 1.0}})},
      {"zeros", torch::tensor({{0.0, -0.0}, {-0.0, 0.0}})},
      {"one element", torch::ones({1, 1})},
      {"no rows", torch::zeros({0, 3})},
      {"no columns", torch::zeros({3, 0})},
      {"whole no rows", torch::zeros({0, 3}, torch::kInt64)},
      {"three dims", formula({2, 3, 4}).transpose(0, 2)},
      {"many", formula({40, 70}, torch::kFloat32, 1, 0.5)},
      {"very many", formula({3, 20000}, torch::kFloat32, 1, 0.5)},
  };
  for (const Named& input : inputs) {
    Context here(input.name);
    for (const Reduction& f : reductions)
      if (input.tensor.numel() < 3000 || f.apply(input.tensor).numel() < 3000)
        report(f.name, [&] { return f.apply(input.tensor); });
  }
  const Tensor x = formula({2, 3, 4});
  REPORT(x.sum(Dims{0, 2}));
  REPORT(x.sum(Dims{2, 0}, true));
  REPORT(x.sum(torch::IntArrayRef{}));
  REPORT(x.mean(Dims{0, 2}));
  REPORT(x.amax(Dims{0, 2}));
  REPORT(x.var(Dims{0, 2}));
  REPORT(x.norm(2, Dims{0, 2}));
  REPORT(x.permute({2, 0, 1}).sum(Dims{0, 1}));
  REPORT(torch::max(x, x * 2));
  REPORT(torch::min(x, x * 2));
  REPORT(torch::tensor({true, true}).sum());
  REPORT(torch::tensor({200, 100}, torch::kUInt8).sum());
  REPORT(torch::tensor({200, 100}, torch::kUInt8).prod());
  REPORT(torch::tensor({2, 3}, torch::kInt32).prod());
  REPORT(torch::full({4096}, 0.1, torch::kBFloat16).sum());
  REPORT(torch::full({4096}, 0.1, torch::kBFloat16).mean());
}

void gradients() {
  for (const NamedType& type :
       {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}}) {
    const std::vector<Named> inputs = {
        {"dense", formula({3, 4}, type.type)},
        {"transposed", formula({4, 3}, type.type).t()},
        {"ties", torch::tensor({{1.0, 2.0, 2.0}, {2.0, 1.0, 1.0}}).to(type.type)},
        {"one zero", torch::tensor({{1.0, 0.0, 2.0}, {3.0, 4.0, 5.0}}).to(type.type)},
        {"zeros", torch::zeros({2, 3}, type.type)},
        {"three dims", formula({2, 3, 2}, type.type)},
    };
    for (const Named& input : inputs) {
      Context here(type.name + ", " + input.name);
      for (const Reduction& f : reductions) {
        if (!f.apply(input.tensor).is_floating_point()) continue;
        report_gradients(
            f.name, [&](const Tensors& x) { return f.apply(x[0]); }, {input.tensor},
            input.name != "ties" && input.name != "zeros");
      }
    }
  }
}

void refused() {
  const Tensor x = formula({2, 3});
  const Tensor numbers = torch::ones({2}, torch::kInt64);
  const Tensor nothing = torch::zeros({0});
  REPORT_THROWS(x.sum(2));
  REPORT_THROWS(x.sum(Dims{0, 0}));
  REPORT_THROWS(x.sum(Dims{0, -2}));
  REPORT_THROWS(numbers.mean());
  REPORT_THROWS(numbers.var());
  REPORT_THROWS(numbers.std());
  REPORT_THROWS(numbers.norm());
  REPORT_THROWS(numbers.softmax(0));
  REPORT_THROWS(numbers.logsumexp(0));
  REPORT_THROWS(nothing.max());
  REPORT_THROWS(nothing.min());
  REPORT_THROWS(nothing.argmax());
  REPORT_THROWS(nothing.amax());
  REPORT_THROWS(nothing.max(0));
  REPORT_THROWS(nothing.argmin(0));
  REPORT_THROWS(x.max(2));
  REPORT_THROWS(x.prod(2));
  REPORT_THROWS(x.softmax(2));
  REPORT_THROWS(x.log_softmax(-3));
  REPORT_THROWS(x.argmax(2));
  REPORT_THROWS(x.amax(Dims{0, 0}));
  REPORT(torch::tensor(3.0).sum(0));
  REPORT(torch::tensor(3.0).max(0));
  REPORT(torch::tensor(3.0).softmax(0));
  REPORT(torch::tensor(3.0).var());
  REPORT(nothing.sum());
  REPORT(nothing.prod());
  REPORT(nothing.mean());
  REPORT(nothing.var());
  REPORT(nothing.norm());
  REPORT(nothing.softmax(0));
  REPORT(nothing.logsumexp(0));
}

}  // namespace

int main() {
  values();
  edges();
  gradients();
  refused();
  return 0;
}
