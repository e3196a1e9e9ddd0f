// Changes in place: results, dtypes that fit or do not, aliasing views, gradients, and the checks
// that reject a change which would spoil a gradient.
#include "conformance.h"

using namespace conformance;

namespace {

struct Change {
  const char* name;
  std::function<Tensor(const Tensor&, const Tensor&)> apply;  // changes its first argument
};
const std::vector<Change> changes = {
    {"add_", [](const Tensor& x, const Tensor& y) { return x.add_(y); }},
    {"add_ alpha", [](const Tensor& x, const Tensor& y) { return x.add_(y, 2); }},
    {"sub_", [](const Tensor& x, const Tensor& y) { return x.sub_(y); }},
    {"mul_", [](const Tensor& x, const Tensor& y) { return x.mul_(y); }},
    {"div_", [](const Tensor& x, const Tensor& y) { return x.div_(y); }},
    {"div_ trunc", [](const Tensor& x, const Tensor& y) { return x.div_(y, "trunc"); }},
    {"copy_", [](const Tensor& x, const Tensor& y) { return x.copy_(y); }},
    {"masked_fill_", [](const Tensor& x, const Tensor& y) { return x.masked_fill_(y > 1, 5); }},
    {"addcmul_", [](const Tensor& x, const Tensor& y) { return x.addcmul_(y, y, 2); }},
    {"addcdiv_", [](const Tensor& x, const Tensor& y) { return x.addcdiv_(y, y + 1, 2); }},
    {"lerp_", [](const Tensor& x, const Tensor& y) { return x.lerp_(y, 0.25); }},
    {"fill_ tensor", [](const Tensor& x, const Tensor& y) { return x.fill_(y.sum()); }},
    {"add_ 1", [](const Tensor& x, const Tensor&) { return x.add_(1); }},
    {"add_ 1.5", [](const Tensor& x, const Tensor&) { return x.add_(1.5); }},
    {"sub_ 1 alpha", [](const Tensor& x, const Tensor&) { return x.sub_(1, 2); }},
    {"mul_ 2", [](const Tensor& x, const Tensor&) { return x.mul_(2); }},
    {"mul_ 2.5", [](const Tensor& x, const Tensor&) { return x.mul_(2.5); }},
    {"div_ 2", [](const Tensor& x, const Tensor&) { return x.div_(2); }},
    {"clamp_", [](const Tensor& x, const Tensor&) { return x.clamp_(1, 2); }},
    {"clamp_min_", [](const Tensor& x, const Tensor&) { return x.clamp_min_(1.5); }},
    {"clamp_max_", [](const Tensor& x, const Tensor&) { return x.clamp_max_(1); }},
    {"fill_", [](const Tensor& x, const Tensor&) { return x.fill_(3); }},
    {"fill_ 2.5", [](const Tensor& x, const Tensor&) { return x.fill_(2.5); }},
    {"zero_", [](const Tensor& x, const Tensor&) { return x.zero_(); }},
    {"sqrt_", [](const Tensor& x, const Tensor&) { return x.sqrt_(); }},
    {"relu_", [](const Tensor& x, const Tensor&) { return x.relu_(); }},
};

void types() {
  for (const NamedType& left : all_types())
    for (const NamedType& right : all_types()) {
      Context here(left.name + " and " + right.name);
      for (const Change& change : changes)
        report(change.name, [&] {
          const Tensor x = whole({2, 3}, 4, left.type);
          const Tensor result = change.apply(x, whole({3}, 3, right.type));
          return std::make_tuple(x, result.is_same(x));
        });
    }
}

void through_layouts() {
  for (const Named& input : layouts(torch::kFloat32)) {
    Context here(input.name);
    for (const Change& change : changes)
      report(change.name, [&] {
        const Tensor base = formula({2, 6, 4}, torch::kFloat32, 1, 2);
        const Tensor x = base.select(0, 1).slice(0, 0, 6, 2);  // 3 rows with steps between them
        change.apply(x, input.tensor);
        return base;
      });
  }
}

void gradients() {
  const Tensors inputs = {formula({2, 3}, torch::kFloat32, 1, 2),
                          formula({3}, torch::kFloat32, 1, 3, 1)};
  for (const Change& change : changes) {
    report_gradients(
        change.name,
        [&](const Tensors& in) {
          const Tensor x = in[0] * 1;
          return change.apply(x, in[1]) * x;
        },
        inputs, false);
    report_gradients(
        std::string(change.name) + " through a view",
        [&](const Tensors& in) {
          const Tensor x = in[0] * 1;
          change.apply(x.t()[1], in[1][0]);
          return x * x;
        },
        inputs, false);
  }
  Tensor x = formula({3});
  x += 1;
  x -= torch::ones({3});
  x *= 2;
  x /= torch::full({3}, 4.0);
  REPORT(x);
}

// Whether backward() notices that what it needs was changed after it was saved.
void versions() {
  struct Saves {
    const char* name;
    std::function<Tensor(const Tensor&)> apply;
  };
  const std::vector<Saves> all = {
      {"exp", [](const Tensor& x) { return x.exp(); }},
      {"sin", [](const Tensor& x) { return x.sin(); }},
      {"add", [](const Tensor& x) { return x + 1; }},
      {"mul", [](const Tensor& x) { return x * x; }},
      {"mul number", [](const Tensor& x) { return x * 2; }},
      {"div", [](const Tensor& x) { return 1 / x; }},
      {"relu", [](const Tensor& x) { return x.relu(); }},
      {"sigmoid", [](const Tensor& x) { return x.sigmoid(); }},
      {"tanh", [](const Tensor& x) { return x.tanh(); }},
      {"sqrt", [](const Tensor& x) { return x.sqrt(); }},
      {"log", [](const Tensor& x) { return x.log(); }},
      {"pow", [](const Tensor& x) { return x.pow(2); }},
      {"mm", [](const Tensor& x) { return x.mm(x); }},
      {"sum", [](const Tensor& x) { return x.sum(); }},
      {"mean", [](const Tensor& x) { return x.mean(); }},
      {"prod", [](const Tensor& x) { return x.prod(); }},
      {"softmax", [](const Tensor& x) { return x.softmax(1); }},
      {"clone", [](const Tensor& x) { return x.clone(); }},
      {"view", [](const Tensor& x) { return x.view({4}); }},
      {"max", [](const Tensor& x) { return x.max(); }},
      {"norm", [](const Tensor& x) { return x.norm(); }},
  };
  for (const Saves& f : all) {
    report_throws(std::string(f.name) + " with its input changed", [&] {
      const Tensor leaf = formula({2, 2}, torch::kFloat32, 1, 2).requires_grad_();
      const Tensor x = leaf * 1;
      const Tensor y = f.apply(x);
      x.add_(1);
      y.sum().backward();
    });
    report_throws(std::string(f.name) + " with its result changed", [&] {
      const Tensor leaf = formula({2, 2}, torch::kFloat32, 1, 2).requires_grad_();
      const Tensor y = f.apply(leaf * 1);
      y.add_(1);
      y.sum().backward();
    });
  }
}

void refused() {
  const Tensor leaf = torch::ones({2}).requires_grad_();
  REPORT_THROWS(leaf.add_(1));
  REPORT_THROWS(leaf.zero_());
  REPORT_THROWS(leaf.view({2}).add_(1));
  REPORT_THROWS(leaf.detach().add_(1));
  report_throws("leaf without recording", [&] {
    torch::NoGradGuard no_grad;
    leaf.add_(1);
  });
  REPORT(leaf);
  REPORT_THROWS(torch::ones({2}).add_(torch::ones({3})));
  REPORT_THROWS(torch::ones({1}).add_(torch::ones({3})));
  REPORT_THROWS(torch::ones({2}).expand({3, 2}).add_(1));
  REPORT_THROWS(torch::ones({2}).expand({3, 2}).zero_());
  REPORT_THROWS(torch::ones({2}).expand({3, 2}).copy_(torch::ones({3, 2})));
  REPORT_THROWS(torch::ones({2}).fill_(torch::ones({2})));
  REPORT_THROWS(torch::ones({2}).masked_fill_(torch::ones({3}, torch::kBool), 1));
  REPORT_THROWS(torch::ones({2}).masked_fill_(torch::ones({2}), 1));
  REPORT_THROWS(torch::ones({2}).add_(Tensor()));
  REPORT_THROWS(torch::ones({3}).lerp_(torch::ones({2}), 0.5));
  const Tensor x = torch::ones({4});
  REPORT_THROWS(x.slice(0, 1, 4).add_(x.slice(0, 0, 3)));
  REPORT_THROWS(x.add_(x));
  REPORT(x);
}

}  // namespace

int main() {
  types();
  through_layouts();
  gradients();
  versions();
  refused();
  return 0;
}
