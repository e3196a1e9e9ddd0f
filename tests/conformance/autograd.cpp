// The graph: leaves, backward with all its arguments, hooks, modes, custom functions, gradients of
// gradients, and errors.
#include "conformance.h"

using namespace conformance;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

namespace {

void properties() {
  const Tensor leaf = formula({2, 2}).requires_grad_();
  const Tensor result = leaf * 2;
  const Tensor plain = formula({2, 2});
  REPORT(leaf.is_leaf());
  REPORT(result.is_leaf());
  REPORT(plain.is_leaf());
  REPORT(leaf.requires_grad());
  REPORT(result.requires_grad());
  REPORT((plain * 2).requires_grad());
  REPORT(leaf.grad_fn() == nullptr);
  REPORT(result.grad_fn() == nullptr);
  REPORT(leaf.grad().defined());
  REPORT(result.detach().requires_grad());
  REPORT(result.detach().is_leaf());
  REPORT(shares_memory(result.detach(), result));
  REPORT(leaf.view({4}).requires_grad());
  REPORT((leaf > 0).requires_grad());
  REPORT(leaf.argmax().requires_grad());
  REPORT(leaf.to(torch::kFloat64).requires_grad());
  REPORT(leaf.to(torch::kInt64).requires_grad());
  REPORT(torch::zeros_like(leaf).requires_grad());
  REPORT(leaf.clone().is_leaf());
  REPORT(plain.clone().set_requires_grad(true).requires_grad());
  REPORT(plain.clone().requires_grad_().requires_grad_(false).requires_grad());
  REPORT_THROWS(torch::ones({2}, torch::kInt64).requires_grad_());
  REPORT_THROWS(result.requires_grad_(false));
}

void backward() {
  const Tensor x = formula({2, 3}).requires_grad_();
  (x * x).sum().backward();
  REPORT(x.grad());
  (x * 3).sum().backward();
  REPORT(x.grad());
  (x * x).backward(torch::ones({2, 3}));
  REPORT(x.grad());
  x.mutable_grad() = torch::zeros({2, 3});
  x.sum().backward();
  REPORT(x.grad());
  x.mutable_grad().zero_();
  REPORT(x.grad());
  const Tensor twice = (x * x).sum();
  twice.backward({}, /*retain_graph=*/true);
  twice.backward();
  REPORT(x.grad());
  REPORT_THROWS(twice.backward());
  REPORT_THROWS((x * x).backward());
  REPORT_THROWS(x.detach().sum().backward());
  REPORT_THROWS((x * x).backward(torch::ones({3})));
  REPORT_THROWS((x * x).backward(torch::ones({2, 3}, torch::kFloat64)));
  const Tensor scalar = torch::tensor(2.0).requires_grad_();
  scalar.backward();
  REPORT(scalar.grad());
  const Tensor shared = formula({3}).requires_grad_();
  const Tensor a = shared.exp();
  (a * a + a.sin() * shared).sum().backward();
  REPORT(shared.grad());
  const Tensor unused = formula({3}).requires_grad_();
  (unused.detach() * shared).sum().backward();
  REPORT(unused.grad());
  const Tensor half_used = formula({4}).requires_grad_();
  half_used.slice(0, 0, 2).sum().backward();
  REPORT(half_used.grad());
  const Tensor many = formula({2}).requires_grad_();
  Tensor sum = torch::zeros({});
  for (int i = 0; i < 50; ++i) sum = sum + (many * many).sum() * i;
  sum.backward();
  REPORT(many.grad());
  const Tensor image =
      formula({1, 2, 2, 2}).contiguous(torch::MemoryFormat::ChannelsLast).requires_grad_();
  (image * image).sum().backward();
  REPORT(image.grad());
  const Tensor turned = formula({2, 3}).t().requires_grad_();
  (turned * 2).sum().backward();
  REPORT(turned.grad());
  const Tensor spread = formula({3}).requires_grad_();
  spread.expand({2, 3}).sum().backward();
  REPORT(spread.grad());
  const Tensor mixed = formula({2}).requires_grad_();
  (mixed * torch::ones({2}, torch::kFloat64)).sum().backward();
  REPORT(mixed.grad());
}

void functions_of_gradients() {
  const Tensor x = formula({3}).requires_grad_();
  const Tensor y = formula({3}, torch::kFloat32, 1, 2).requires_grad_();
  const Tensor z = (x.exp() * y).sum();
  REPORT(torch::autograd::grad({z}, {x, y}, {}, true));
  REPORT(x.grad().defined());
  REPORT(torch::autograd::grad({x * y}, {y}, {torch::full({3}, 2.0)}));
  REPORT(torch::autograd::grad({z, (x * x).sum()}, {x}, {}, true));
  REPORT(torch::autograd::grad({z}, {x, formula({1}).requires_grad_()}, {}, true, false, true));
  REPORT_THROWS(torch::autograd::grad({z}, {x, formula({1}).requires_grad_()}, {}, true));
  REPORT_THROWS(torch::autograd::grad({z}, {x.detach()}, {}, true));
  const Tensor first = torch::autograd::grad({(x.pow(3) * y).sum()}, {x}, {}, true, true)[0];
  REPORT(first);
  const Tensor second = torch::autograd::grad({first.sum()}, {x}, {}, true, true)[0];
  REPORT(second);
  REPORT(torch::autograd::grad({second.sum()}, {x}, {}, true, true)[0]);
  torch::autograd::backward({z, (x * y).sum()}, {});
  REPORT(x.grad());
  REPORT(y.grad());
  const Tensor penalty = formula({2, 2}).requires_grad_();
  const Tensor loss = penalty.sigmoid().pow(2).sum();
  const Tensor inner = torch::autograd::grad({loss}, {penalty}, {}, true, true)[0];
  (loss + inner.norm()).backward();
  REPORT(penalty.grad());
  const Tensor middle = x * 2;
  REPORT(torch::autograd::grad({(middle * y).sum()}, {middle}));
}

void hooks() {
  const Tensor x = formula({3}).requires_grad_();
  int calls = 0;
  const auto counting = x.register_hook([&](const Tensor&) { ++calls; });
  x.sum().backward();
  REPORT(calls);
  x.remove_hook(counting);
  x.sum().backward();
  REPORT(calls);
  const Tensor y = x * 3;
  y.register_hook([](const Tensor& g) { return g * 10; });
  y.register_hook([](const Tensor& g) { return g + 1; });
  y.retain_grad();
  x.mutable_grad().zero_();
  (y * y).sum().backward();
  REPORT(x.grad());
  REPORT(y.grad());
  const Tensor kept = x * 2;
  kept.retain_grad();
  (kept * kept).sum().backward();
  REPORT(kept.grad());
  const Tensor not_kept = x * 2;
  not_kept.sum().backward();
  REPORT(not_kept.grad().defined());
  REPORT_THROWS(torch::ones({1}).remove_hook(1));
  REPORT_THROWS(x.remove_hook(counting + 100));
  REPORT_THROWS((x * 2).remove_hook(0));
  REPORT_THROWS(torch::ones({1}).register_hook([](const Tensor&) {}));
  REPORT_THROWS(torch::ones({1}).retain_grad());
}

void modes() {
  const Tensor x = formula({2}).requires_grad_();
  REPORT(torch::GradMode::is_enabled());
  {
    torch::NoGradGuard no_grad;
    REPORT(torch::GradMode::is_enabled());
    REPORT((x * 2).requires_grad());
    REPORT(x.view({2, 1}).requires_grad());
    REPORT(torch::ones({1}, torch::requires_grad()).requires_grad());
    {
      torch::AutoGradMode recording(true);
      REPORT((x * 2).requires_grad());
    }
    REPORT((x * 2).requires_grad());
  }
  REPORT((x * 2).requires_grad());
  {
    torch::AutoGradMode off(false);
    REPORT((x * 2).requires_grad());
  }
  torch::GradMode::set_enabled(false);
  REPORT((x * 2).requires_grad());
  torch::GradMode::set_enabled(true);
  Tensor made;
  {
    torch::InferenceMode inference;
    REPORT(torch::GradMode::is_enabled());
    made = x * 2;
    REPORT(made.requires_grad());
    made.add_(1);
    REPORT(made);
  }
  REPORT(made + 1);
  REPORT_THROWS(made._version());
  REPORT_THROWS(made.add_(1));
  REPORT_THROWS((made * x).sum().backward());
  REPORT((made.clone() * x).requires_grad());
}

// Views that were not recorded, and changes of them.
void unrecorded_views() {
  const Tensor x = formula({2, 3}).requires_grad_(), twice = x * 2, plain = formula({2, 3});
  for (const bool inference : {false, true}) {
    Context here(inference ? "inference mode" : "no_grad");
    const auto row = [&](const Tensor& t) {
      torch::NoGradGuard no_grad;
      if (!inference) return t[0];
      torch::InferenceMode mode;
      return t[0];
    };
    REPORT_THROWS(row(twice).mul_(2));
    REPORT_THROWS(row(x).fill_(2));
    REPORT_THROWS(row(twice.t()).zero_());
    REPORT_THROWS(row(twice.detach()).mul_(2));
    REPORT_THROWS(row(twice).detach().mul_(1));
    REPORT_THROWS(row(plain).mul_(2));
    REPORT_THROWS(row(plain).mul_(x[0]));
    REPORT_THROWS(row(plain).view({3, 1}).mul_(2));
    REPORT_THROWS(row(twice).clone().mul_(2));
    const Tensor base = formula({2, 3}), before = row(base), leaf = formula({2, 3});
    const Tensor of_leaf = row(leaf);
    base.mul_(x);
    leaf.requires_grad_();
    REPORT_THROWS(before.mul_(2));
    REPORT_THROWS(of_leaf.mul_(2));
    torch::NoGradGuard no_grad;
    REPORT_THROWS(before.mul_(2));
    REPORT_THROWS(row(x).mul_(1));
  }
  REPORT_THROWS(plain.view({3, 2}).requires_grad_().mul_(2));
  const torch::autograd::AutoGradMode on(true);
  const c10::InferenceMode mode;
  const torch::autograd::AutoGradMode inside(true);
  REPORT_THROWS(x.view({3, 2}).mul_(1));
  REPORT(c10::InferenceMode::is_enabled());
  REPORT(torch::autograd::GradMode::is_enabled());
}

// What inference mode switches off, and what may be done with a tensor that was made in it.
void inference() {
  const Tensor x = formula({2, 3}).requires_grad_(), plain = formula({2, 3});
  Tensor made, of_made, of_plain, of_x;
  {
    torch::InferenceMode mode;
    made = x * 2;
    of_made = made.view({3, 2});
    of_plain = plain.view({3, 2});
    of_x = x.view({3, 2});
    REPORT(torch::InferenceMode::is_enabled());
    REPORT(made.is_inference());
    REPORT(of_made.is_inference());
    REPORT(of_plain.is_inference());
    REPORT(of_x.is_inference());
    REPORT(plain.detach().is_inference());
    REPORT(plain.contiguous().is_inference());
    REPORT(plain.clone().is_inference());
    REPORT(plain.to(torch::kFloat64).is_inference());
    REPORT(torch::ones({2}, torch::requires_grad()).requires_grad());
    REPORT_THROWS(made.mul_(x));
    REPORT_THROWS((x * 2).sum().backward());
    {
      torch::InferenceMode off(false);
      REPORT(torch::InferenceMode::is_enabled());
      REPORT(torch::GradMode::is_enabled());
      REPORT((x * 2).requires_grad());
      REPORT((x * 2).is_inference());
      REPORT(made.clone().is_inference());
      REPORT_THROWS(made.add_(1));
    }
    {
      torch::AutoGradMode on(true);
      REPORT((x * 2).requires_grad());
      REPORT((x * made).is_inference());
    }
    REPORT(torch::GradMode::is_enabled());
  }
  {
    torch::NoGradGuard no_grad;
    {
      torch::InferenceMode off(false);
      REPORT(torch::GradMode::is_enabled());
    }
    REPORT(torch::GradMode::is_enabled());
    REPORT_THROWS(made.add_(1));
    REPORT_THROWS(made * x);
  }
  REPORT(torch::GradMode::is_enabled());
  REPORT(made.is_inference());
  REPORT(made.view({6}).is_inference());
  REPORT(made.contiguous().is_inference());
  REPORT(made.detach().is_inference());
  REPORT(made.clone().is_inference());
  REPORT((made + 1).is_inference());
  REPORT((made + x).requires_grad());
  REPORT_THROWS(torch::mm(made, x.t()));
  REPORT_THROWS(torch::cat({made, x}).sum().backward());
  REPORT_THROWS(made.requires_grad_());
  REPORT_THROWS(made.requires_grad_(false));
  REPORT_THROWS(made.copy_(plain));
  REPORT_THROWS(made[0].add_(1));
  REPORT_THROWS(of_made.add_(1));
  REPORT_THROWS(made.clone().add_(1));
  REPORT_THROWS((x * 2).add_(made));
  REPORT_THROWS((x * 2).mul_(made));
  REPORT_THROWS(of_plain.add_(1));
  REPORT_THROWS(of_plain.mul_(x.view({3, 2})));
  REPORT_THROWS(of_x.mul_(x.view({3, 2})));
  Tensor classes;
  {
    torch::InferenceMode mode;
    classes = x.argmax(1);
  }
  REPORT_THROWS(torch::nn::functional::cross_entropy(x, classes).backward());
  REPORT_THROWS(torch::nn::functional::cross_entropy(x, classes.clone()).backward());
}

struct Cube : public torch::autograd::Function<Cube> {
  static Tensor forward(AutogradContext* ctx, Tensor x, double scale) {
    ctx->save_for_backward({x});
    ctx->saved_data["scale"] = scale;
    return x * x * x * scale;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {grads[0] * 3 * x * x * ctx->saved_data["scale"].toDouble(), Tensor()};
  }
};
struct SumAndProduct : public torch::autograd::Function<SumAndProduct> {
  static tensor_list forward(AutogradContext* ctx, Tensor a, Tensor b) {
    ctx->save_for_backward({a, b});
    return {a + b, a * b};
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0] + grads[1] * saved[1], grads[0] + grads[1] * saved[0]};
  }
};
struct Straight : public torch::autograd::Function<Straight> {
  static Tensor forward(AutogradContext*, Tensor x) { return x.round(); }
  static tensor_list backward(AutogradContext*, tensor_list grads) { return {grads[0]}; }
};
struct TooFew : public torch::autograd::Function<TooFew> {
  static Tensor forward(AutogradContext*, Tensor a, Tensor b) { return a + b; }
  static tensor_list backward(AutogradContext*, tensor_list grads) { return {grads[0]}; }
};

// Results with a gradient and without, an argument among them.
struct Mixed : public torch::autograd::Function<Mixed> {
  static tensor_list forward(AutogradContext* ctx, Tensor x) {
    const Tensor marked = x * 2;
    ctx->mark_non_differentiable({marked});
    return {x.to(torch::kInt64), x * 3, marked, x, x * 5, x.argmax()};
  }
  static tensor_list backward(AutogradContext*, tensor_list grads) {
    for (const torch::autograd::Variable& g : grads) print("what backward gets", g);
    return {grads[1] * 3 + grads[3] * 100 + grads[4] * 5};
  }
};
struct Flat : public torch::autograd::Function<Flat> {
  static Tensor forward(AutogradContext*, Tensor x, bool copies) {
    return (copies ? x * 1 : x).view({-1});
  }
  static tensor_list backward(AutogradContext*, tensor_list grads) {
    return {grads[0].view({2, 1}) * 7, Tensor()};
  }
};

void results_of_functions() {
  const Tensor x = formula({2}, torch::kFloat32, 5).requires_grad_();
  const tensor_list results = Mixed::apply(x);
  for (const Tensor& result : results) {
    REPORT(result.requires_grad());
    REPORT(result.is_leaf());
    REPORT(result.is_same(x));
  }
  REPORT(torch::autograd::grad({(results[1] + results[4] * 2).sum()}, {x}, {}, true));
  REPORT(torch::autograd::grad({(results[3] * results[2]).sum()}, {x}, {}, true));
  REPORT(x.is_leaf());
  REPORT_THROWS(results[3].mul_(2));
  const Tensor image = formula({2, 1}).requires_grad_();
  for (const bool copies : {false, true}) {
    const Tensor middle = image * 1;
    const auto gradient = [&](const Tensor& result) {
      return torch::autograd::grad({result.sum()}, {image}, {}, true)[0];
    };
    REPORT(gradient(Flat::apply(middle, copies)));
    REPORT_THROWS(Flat::apply(middle, copies).mul_(2));
    REPORT(gradient(Flat::apply(middle, copies).clone().mul_(2)));
    REPORT_THROWS(Flat::apply(middle.detach(), copies).mul_(2));
    REPORT_THROWS(Flat::apply(middle.detach(), copies).mul_(x));
  }
  const Tensor middle = image * 1, flat = Flat::apply(middle, false);
  middle.mul_(2);
  REPORT_THROWS(flat.sum());
}

void own_functions() {
  report_gradients("cube", [](const Tensors& in) { return Cube::apply(in[0], 2.0); },
                   {formula({2, 2})});
  report_gradients("sum and product",
                   [](const Tensors& in) {
                     const auto both = SumAndProduct::apply(in[0], in[1]);
                     return both[0] * 2 + both[1];
                   },
                   {formula({3}), formula({3}, torch::kFloat32, 1, 1)});
  report_gradients(
      "only the product", [](const Tensors& in) { return SumAndProduct::apply(in[0], in[1])[1]; },
      {formula({3}), formula({3}, torch::kFloat32, 1, 1)}, false);
  report_gradients("straight", [](const Tensors& in) { return Straight::apply(in[0]) * in[0]; },
                   {formula({3}, torch::kFloat32, 3)});
  REPORT(Cube::apply(formula({2}), 1.0).requires_grad());
  const Tensor x = formula({2}).requires_grad_();
  REPORT_THROWS(TooFew::apply(x, x * 2).sum().backward());
  report_throws("a saved tensor that changed", [&] {
    const Tensor input = x * 1;
    const Tensor result = Cube::apply(input, 1.0);
    input.add_(1);
    result.sum().backward();
  });
}

}  // namespace

int main() {
  properties();
  backward();
  functions_of_gradients();
  hooks();
  modes();
  unrecorded_views();
  inference();
  own_functions();
  results_of_functions();
  return 0;
}
