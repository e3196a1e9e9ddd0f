// Losses as functions, with every option, in torch:: and in torch::nn::functional, values and
// gradients.
#include "conformance.h"

#include <limits>

using namespace conformance;
namespace F = torch::nn::functional;

namespace {

void losses() {
  const auto reductions = {torch::Reduction::Mean, torch::Reduction::Sum, torch::Reduction::None};
  for (const NamedType& type :
       {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}})
    for (const auto reduction : reductions) {
      Context here(type.name + ", reduction " + std::to_string(static_cast<int>(reduction)));
      const Tensor x = formula({4, 3}, type.type, 2);
      const Tensor t = formula({4, 3}, type.type, 2, 0.1, 0.9);
      const Tensor p = torch::sigmoid(x);
      const Tensor q = torch::sigmoid(t);
      const Tensor classes = torch::tensor({0, 2, 1, 2});
      const Tensor w = formula({3}, type.type, 0.5, 1);
      const auto check = [&](const char* name, const TensorFunction& f, const Tensors& in) {
        report_gradients(name, f, in);
      };
      check("mse", [&](const Tensors& in) { return torch::mse_loss(in[0], in[1], reduction); },
            {x, t});
      check("smooth_l1",
            [&](const Tensors& in) { return torch::smooth_l1_loss(in[0], in[1], reduction); },
            {x, t});
      check("smooth_l1 beta",
            [&](const Tensors& in) { return torch::smooth_l1_loss(in[0], in[1], reduction, 0.3); },
            {x, t});
      check("nll",
            [&](const Tensors& in) {
              return torch::nll_loss(in[0].log_softmax(1), classes, {}, reduction);
            },
            {x});
      check("nll weight",
            [&](const Tensors& in) {
              return torch::nll_loss(in[0].log_softmax(1), classes, w, reduction, 1);
            },
            {x});
      check("nll images",
            [&](const Tensors& in) {
              return torch::nll_loss(in[0], whole({2, 2, 2}, 3), {}, reduction);
            },
            {formula({2, 3, 2, 2}, type.type)});
      check("binary_cross_entropy",
            [&](const Tensors& in) { return torch::binary_cross_entropy(in[0], q, {}, reduction); },
            {p});
      check("binary_cross_entropy weight",
            [&](const Tensors& in) { return torch::binary_cross_entropy(in[0], q, w, reduction); },
            {p});
    }
}

template <class Value>
void functional_losses(const char* name, Value reduction) {
  Context here(std::string("F, ") + name);
  const Tensor x = formula({4, 3}, torch::kFloat32, 2);
  const Tensor t = formula({4, 3}, torch::kFloat32, 2, 0.1, 0.9);
  const Tensor q = torch::sigmoid(t);
  const Tensor classes = torch::tensor({0, 2, 1, 2});
  const Tensor w = formula({3}, torch::kFloat32, 0.5, 1);
  const auto check = [&](const char* what, const TensorFunction& f) {
    report_gradients(what, f, {x});
  };
  check("mse", [&](const Tensors& in) {
    return F::mse_loss(in[0], t, F::MSELossFuncOptions().reduction(reduction));
  });
  check("l1", [&](const Tensors& in) {
    return F::l1_loss(in[0], t, F::L1LossFuncOptions().reduction(reduction));
  });
  check("smooth_l1", [&](const Tensors& in) {
    return F::smooth_l1_loss(in[0], t, F::SmoothL1LossFuncOptions().reduction(reduction));
  });
  check("nll", [&](const Tensors& in) {
    return F::nll_loss(in[0], classes,
                       F::NLLLossFuncOptions().weight(w).ignore_index(2).reduction(reduction));
  });
  check("cross_entropy", [&](const Tensors& in) {
    return F::cross_entropy(in[0], classes, F::CrossEntropyFuncOptions().reduction(reduction));
  });
  check("cross_entropy weight", [&](const Tensors& in) {
    return F::cross_entropy(in[0], classes,
                            F::CrossEntropyFuncOptions().weight(w).reduction(reduction));
  });
  check("cross_entropy ignore", [&](const Tensors& in) {
    return F::cross_entropy(in[0], classes,
                            F::CrossEntropyFuncOptions().ignore_index(2).reduction(reduction));
  });
  check("cross_entropy smooth", [&](const Tensors& in) {
    return F::cross_entropy(in[0], classes,
                            F::CrossEntropyFuncOptions().label_smoothing(0.1).reduction(reduction));
  });
  check("cross_entropy smooth weight ignore", [&](const Tensors& in) {
    return F::cross_entropy(
        in[0], classes,
        F::CrossEntropyFuncOptions().weight(w).ignore_index(0).label_smoothing(0.2).reduction(
            reduction));
  });
  check("cross_entropy probabilities", [&](const Tensors& in) {
    return F::cross_entropy(in[0], t.softmax(1), F::CrossEntropyFuncOptions().reduction(reduction));
  });
  check("cross_entropy probabilities smooth weight", [&](const Tensors& in) {
    return F::cross_entropy(
        in[0], t.softmax(1),
        F::CrossEntropyFuncOptions().weight(w).label_smoothing(0.2).reduction(reduction));
  });
  check("with logits", [&](const Tensors& in) {
    return F::binary_cross_entropy_with_logits(
        in[0], q, F::BinaryCrossEntropyWithLogitsFuncOptions().reduction(reduction));
  });
  check("with logits weights", [&](const Tensors& in) {
    return F::binary_cross_entropy_with_logits(
        in[0], q,
        F::BinaryCrossEntropyWithLogitsFuncOptions().weight(w).pos_weight(w + 1).reduction(
            reduction));
  });
}

void odd_losses() {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = formula({4, 3});
  const Tensor classes = torch::tensor({0, 2, 1, 2});
  REPORT(F::cross_entropy(x, classes));
  REPORT(F::cross_entropy(x[0], torch::tensor(1)));
  REPORT(F::cross_entropy(formula({2, 3, 2, 2}), whole({2, 2, 2}, 3)));
  REPORT(F::nll_loss(x[0], torch::tensor(1)));
  REPORT(F::cross_entropy(x, torch::full({4}, -100, torch::kInt64)));
  REPORT(F::cross_entropy(torch::tensor({{1000.0, -1000.0}, {inf, 0.0}}), torch::tensor({1, 1})));
  REPORT(F::cross_entropy(torch::zeros({0, 3}), torch::zeros({0}, torch::kInt64)));
  REPORT(F::mse_loss(x, torch::ones({3})));
  REPORT(F::mse_loss(torch::zeros({0}), torch::zeros({0})));
  REPORT(torch::binary_cross_entropy(torch::tensor({0.0, 1.0}), torch::tensor({1.0, 0.0})));
  REPORT(torch::mse_loss(x, x.to(torch::kFloat64)));
  REPORT_THROWS(F::cross_entropy(x, torch::tensor({0, 2, 1, 3})));
  REPORT_THROWS(F::cross_entropy(x, torch::tensor({0, 2, 1, -1})));
  REPORT_THROWS(F::cross_entropy(x, torch::tensor({0, 2, 1})));
  REPORT_THROWS(F::cross_entropy(x, classes.to(torch::kFloat32)));
  REPORT_THROWS(
      F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().weight(torch::ones({2}))));
  REPORT_THROWS(F::cross_entropy(x, classes, F::CrossEntropyFuncOptions().label_smoothing(1.5)));
  REPORT_THROWS(F::nll_loss(x, torch::tensor({{0}, {1}, {2}, {0}})));
  REPORT_THROWS(F::mse_loss(x, torch::ones({2})));
  REPORT_THROWS(torch::binary_cross_entropy(torch::tensor({1.5}), torch::tensor({1.0})));
  REPORT_THROWS(torch::binary_cross_entropy(torch::tensor({0.5, 0.5}), torch::tensor({1.0})));
  REPORT_THROWS(F::binary_cross_entropy_with_logits(x, torch::ones({4})));
  REPORT_THROWS(F::smooth_l1_loss(x, x, F::SmoothL1LossFuncOptions(), -1));
}

}  // namespace

int main() {
  losses();
  functional_losses("mean", torch::kMean);
  functional_losses("sum", torch::kSum);
  functional_losses("none", torch::kNone);
  odd_losses();
  return 0;
}
