// Adam and AdamW against loops written from the papers' formulas in double precision.
#include "../tensor/values.h"
#include "td/optim/optim.h"

using namespace td;

namespace {

struct Case {
  double lr, beta1, beta2, eps, weight_decay;
  bool amsgrad;
};
const std::vector<Case> kCases = {{0.1, 0.9, 0.999, 1e-8, 0, false},
                                  {0.1, 0.8, 0.9, 1e-3, 0.2, false},
                                  {0.01, 0.9, 0.5, 1e-8, 0, true},
                                  {0.05, 0.5, 0.9, 1e-8, 0.1, true}};

// Falls and rises, so that amsgrad's largest average matters.
double gradient_at(int step, std::size_t i) {
  return (step == 0 ? 3.0 : 0.25 * step - 0.5) + 0.125 * static_cast<double>(i % 5);
}

std::vector<double> expected(std::vector<double> p, const Case& c, bool decoupled, int steps) {
  const std::size_t n = p.size();
  std::vector<double> m(n), v(n), largest(n);
  for (int t = 1; t <= steps; ++t)
    for (std::size_t i = 0; i < n; ++i) {
      double g = gradient_at(t - 1, i);
      if (decoupled)
        p[i] *= 1 - c.lr * c.weight_decay;
      else
        g += c.weight_decay * p[i];
      m[i] = c.beta1 * m[i] + (1 - c.beta1) * g;
      v[i] = c.beta2 * v[i] + (1 - c.beta2) * g * g;
      largest[i] = std::max(largest[i], v[i]);
      const double m_hat = m[i] / (1 - std::pow(c.beta1, t));
      const double v_hat = (c.amsgrad ? largest[i] : v[i]) / (1 - std::pow(c.beta2, t));
      p[i] -= c.lr * m_hat / (std::sqrt(v_hat) + c.eps);
    }
  return p;
}

template <class Optimizer, class Options>
void check_all(bool decoupled) {
  for (const Device device : devices())
    for (const Case& c : kCases)
      for (const ScalarType type : {kFloat32, kFloat64}) {
        INFO(device << " " << type << " amsgrad " << c.amsgrad << " decay " << c.weight_decay);
        TensorList params;
        std::vector<std::vector<double>> wanted;
        for (std::size_t n : {1u, 33u, 50000u, 7u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u}) {
          std::vector<float> from(n);
          for (std::size_t i = 0; i < n; ++i) from[i] = 0.25f * static_cast<float>(i % 9) - 1;
          params.push_back(of(from).to(device, type).requires_grad_());
          wanted.push_back(expected({from.begin(), from.end()}, c, decoupled, 4));
        }
        Optimizer adam(params, Options(c.lr)
                                   .betas({c.beta1, c.beta2})
                                   .eps(c.eps)
                                   .weight_decay(c.weight_decay)
                                   .amsgrad(c.amsgrad));
        for (int step = 0; step < 4; ++step) {
          for (Tensor& p : params) {
            std::vector<float> g(static_cast<std::size_t>(p.numel()));
            for (std::size_t i = 0; i < g.size(); ++i)
              g[i] = static_cast<float>(gradient_at(step, i));
            p.mutable_grad() = of(g).to(device, type);
          }
          adam.step();
        }
        for (std::size_t k = 0; k < params.size(); ++k) {
          const std::vector<double> actual = values(params[k]);
          for (std::size_t i = 0; i < actual.size(); ++i)
            if (!(std::abs(actual[i] - wanted[k][i]) <= (type == kFloat32 ? 2e-5 : 1e-10)))
              FAIL("parameter " << k << " element " << i << ": " << actual[i] << " instead of "
                                << wanted[k][i]);
        }
      }
}

}  // namespace

TEST_CASE("Adam takes the steps of its formula") {
  check_all<optim::Adam, optim::AdamOptions>(false);
}
TEST_CASE("AdamW takes the steps of its formula") {
  check_all<optim::AdamW, optim::AdamWOptions>(true);
}

TEST_CASE("defaults are PyTorch's") {
  CHECK(optim::AdamOptions().lr() == 1e-3);
  CHECK(optim::AdamOptions().weight_decay() == 0);
  CHECK(optim::AdamWOptions().weight_decay() == 1e-2);
  CHECK(optim::AdamOptions().betas() == std::tuple(0.9, 0.999));
  CHECK(optim::AdamOptions().eps() == 1e-8);
}
