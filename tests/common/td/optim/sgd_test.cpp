// SGD against loops written from the formula in double precision, over all its options, devices
// and types; which updates are one launch, and which parameters do not change.
#include "../tensor/values.h"
#include "td/device/record.h"
#include "td/nn/nn.h"
#include "td/optim/optim.h"

using namespace td;

namespace {

struct Case {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
};
const std::vector<Case> kCases = {{0.1, 0, 0, 0, false},        {0.1, 0, 0, 0.3, false},
                                  {0.1, 0.9, 0, 0, false},      {0.1, 0.9, 0.5, 0, false},
                                  {0.1, 0.9, 0, 0.3, false},    {0.1, 0.9, 0, 0.3, true},
                                  {0.05, 0.5, 0.25, 0.1, false}};

double gradient_at(int step, std::size_t i) {
  return 0.25 * step - 0.125 * static_cast<double>(i % 7) + 0.5;
}

// The formula of the class's comment, element by element.
std::vector<double> expected(std::vector<double> p, const Case& c, int steps) {
  std::vector<double> v(p.size());
  for (int step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < p.size(); ++i) {
      double g = gradient_at(step, i) + c.weight_decay * p[i];
      if (c.momentum != 0) {
        v[i] = step == 0 ? g : c.momentum * v[i] + (1 - c.dampening) * g;
        g = c.nesterov ? g + c.momentum * v[i] : v[i];
      }
      p[i] -= c.lr * g;
    }
  return p;
}

std::vector<float> start(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 0.125f * static_cast<float>(i % 11) - 0.5f;
  return values;
}

Tensor gradient_tensor(int step, const Tensor& like) {
  std::vector<float> g(static_cast<std::size_t>(like.numel()));
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = static_cast<float>(gradient_at(step, i));
  return of(g, like.sizes()).to(like.device(), like.dtype());
}

optim::SGDOptions options(const Case& c) {
  return optim::SGDOptions(c.lr)
      .momentum(c.momentum)
      .dampening(c.dampening)
      .weight_decay(c.weight_decay)
      .nesterov(c.nesterov);
}

void check_close(const std::vector<double>& actual, const std::vector<double>& wanted,
                 double tolerance) {
  REQUIRE(actual.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    INFO("element " << i);
    REQUIRE(std::abs(actual[i] - wanted[i]) <= tolerance);
  }
}

int launches = 0;
void count_steps(const Record& record, Device) { launches += std::string(record.name) == "sgd"; }

}  // namespace

TEST_CASE("SGD takes the steps of its formula") {
  for (const Device device : devices())
    for (const Case& c : kCases)
      for (const ScalarType type : {kFloat32, kFloat64, kBFloat16, kHalf}) {
        INFO(device << " " << type << " momentum " << c.momentum << " decay " << c.weight_decay);
        std::vector<float> from = start(33);
        Tensor p = of(from, {3, 11}).to(device, type).requires_grad_();
        optim::SGD sgd({p}, options(c));
        for (int step = 0; step < 4; ++step) {
          p.mutable_grad() = gradient_tensor(step, p);
          sgd.step();
        }
        const bool narrow = type == kHalf || type == kBFloat16;
        check_close(values(p), expected({from.begin(), from.end()}, c, 4),
                    narrow             ? 0.06
                    : type == kFloat32 ? 1e-5
                                       : 1e-12);
      }
}

TEST_CASE("many parameters of all sizes are divided among threads and launches") {
  const Case c = kCases[4];
  for (const Device device : devices()) {
    TensorList params;
    std::vector<std::vector<double>> wanted;
    const std::vector<std::size_t> sizes = {1, 31, 33, 1023, 100000, 0, 7, 40000, 2,
                                            3, 5,  1,  1,    1,      1, 1, 1,     1};
    for (std::size_t n : sizes) {
      const std::vector<float> from = start(n);
      params.push_back(leaf(from, device));
      wanted.push_back(expected({from.begin(), from.end()}, c, 2));
    }
    optim::SGD sgd(params, options(c));
    launches = 0;
    for (int step = 0; step < 2; ++step) {
      for (Tensor& p : params) p.mutable_grad() = gradient_tensor(step, p);
      const RecordObserver counting(count_steps);
      sgd.step();
    }
    CHECK(launches == 2 * 2);  // 18 parameters: a list of 16 and one of 2, in each step
    for (std::size_t k = 0; k < params.size(); ++k) check_close(values(params[k]), wanted[k], 1e-5);
  }
}

TEST_CASE("a parameter without a gradient, and a non-contiguous parameter") {
  Tensor whole = of(start(12), {3, 4});
  Tensor columns = whole.t().detach().requires_grad_();  // dense, another order
  Tensor gaps = of(start(12), {3, 4}).slice(1, 0, 2).detach().requires_grad_();
  Tensor idle = leaf({1, 2});
  const std::vector<double> before = values(columns), before_gaps = values(gaps);
  optim::SGD sgd({columns, gaps, idle}, optim::SGDOptions(1.0).momentum(0.9));
  for (int step = 0; step < 2; ++step) {
    columns.mutable_grad() = ones({4, 3});
    gaps.mutable_grad() = ones({3, 2});
    sgd.step();
  }
  // v = 1, then 1.9: 2.9 in all.
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(values(columns)[i] == Approx(before[i] - 2.9));
  for (std::size_t i = 0; i < before_gaps.size(); ++i)
    CHECK(values(gaps)[i] == Approx(before_gaps[i] - 2.9));
  CHECK(values(idle) == std::vector<double>{1, 2});
}

TEST_CASE("a channels-last weight with a contiguous gradient") {
  Tensor w = of(start(2 * 3 * 2 * 2), {2, 3, 2, 2})
                 .contiguous(MemoryFormat::ChannelsLast)
                 .requires_grad_();
  const std::vector<double> before = values(w);
  optim::SGD sgd({w}, optim::SGDOptions(1.0).momentum(0.5));
  w.mutable_grad() = gradient_tensor(0, w);
  sgd.step();
  CHECK(w.is_contiguous(MemoryFormat::ChannelsLast));
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(values(w)[i] == Approx(before[i] - gradient_at(0, i)).margin(1e-6));
}

TEST_CASE("the optimizer follows a model that moves after the first step") {
  nn::Linear net(nn::LinearOptions(3, 1).bias(false));
  std::vector<float> from = start(3);
  {
    NoGradGuard no_grad;
    net->weight.copy_(of(from, {1, 3}));
  }
  const Case c = kCases[5];
  optim::SGD sgd(net->parameters(), options(c));
  const std::vector<Device> road = devices();
  int step = 0;
  for (const Device device : road) {
    net->to(device);
    net->weight.mutable_grad() = gradient_tensor(step++, net->weight);
    sgd.step();
    CHECK(net->weight.device() == device);
  }
  check_close(values(net->weight), expected({from.begin(), from.end()}, c, step), 1e-5);
}

TEST_CASE("a step counts as an in-place change") {
  Tensor p = leaf({1, 2});
  const Tensor y = (p * p).sum();
  optim::SGD sgd({p}, 0.1);
  p.mutable_grad() = ones({2});
  const auto version = p._version();
  sgd.step();
  CHECK(p._version() == version + 1);
  CHECK_THROWS_AS(y.backward(), AutogradError);
}

TEST_CASE("a closure computes the loss with recording on") {
  Tensor p = leaf({2});
  optim::SGD sgd({p}, 0.25);
  NoGradGuard no_grad;
  const Tensor loss = sgd.step([&] {
    sgd.zero_grad();
    Tensor l = (p * p).sum();
    l.backward();
    return l;
  });
  CHECK(loss.item<double>() == 4);
  CHECK(values(p) == std::vector<double>{1});
}
