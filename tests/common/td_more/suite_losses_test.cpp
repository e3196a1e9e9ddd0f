// The operation suite over losses of single elements, and their special cases: extreme logits,
// inputs that are no probability, sizes that do not fit.
#include <cmath>
#include <limits>

#include "../td/ops/suite.h"
#include "../td/tensor/values.h"
#include "captured_warnings.h"
#include "td_more/td_more.h"

using namespace suite;
using td::Tensor;
using td::TensorList;
using td::Reduction::Reduction;
using List = std::vector<double>;

namespace {

const std::vector<Reduction> reductions{td::kNone, td::kMean, td::kSum};

Array reduced(const Array& losses, Reduction reduction) {
  if (reduction == td::kNone) return losses;
  double sum = 0;
  for (double x : losses.values) sum += x;
  const auto count = static_cast<double>(losses.values.size());
  return {{}, {reduction == td::kMean ? sum / count : sum}};
}

void check_element_loss(const std::string& name, double low, double high,
                        const std::function<Tensor(const Tensor&, const Tensor&, Reduction)>& run,
                        double (*f)(double x, double t)) {
  for (const Reduction reduction : reductions)
    check_operation(
        {name,
         {"input", "target"},
         {spread({3, 4}, low, high), spread({3, 4}, low, high, 2)},
         [&](const TensorList& x) { return run(x[0], x[1], reduction); },
         [&](const std::vector<Array>& x) { return reduced(each(x[0], x[1], f), reduction); },
         {spread({0, 4}), spread({0, 4})}});
}

}  // namespace

TEST_CASE("losses of single elements") {
  check_element_loss(
      "l1_loss", -2, 2,
      [](const Tensor& x, const Tensor& t, Reduction r) { return l1_loss(x, t, r); },
      [](double x, double t) { return std::fabs(x - t); });
  check_element_loss(
      "smooth_l1_loss", -2, 2,
      [](const Tensor& x, const Tensor& t, Reduction r) { return smooth_l1_loss(x, t, r, 0.8); },
      [](double x, double t) {
        const double d = std::fabs(x - t);
        return d < 0.8 ? 0.5 * d * d / 0.8 : d - 0.4;
      });
  check_element_loss(
      "binary_cross_entropy", 0.1, 0.9,
      [](const Tensor& x, const Tensor& t, Reduction r) {
        return binary_cross_entropy(x, t, {}, r);
      },
      [](double x, double t) { return -(t * std::log(x) + (1 - t) * std::log(1 - x)); });
  check_element_loss(
      "binary_cross_entropy_with_logits", -2, 2,
      [](const Tensor& x, const Tensor& t, Reduction r) {
        return binary_cross_entropy_with_logits(x, t, {}, {}, r);
      },
      [](double x, double t) {
        const double p = 1 / (1 + std::exp(-x));
        return -(t * std::log(p) + (1 - t) * std::log(1 - p));
      });
}

TEST_CASE("pos_weight and extreme logits") {
  const Tensor x = td::tensor({-200.0, 0.0, 300.0}).requires_grad_(),
               t = td::tensor({1.0, 0.0, 0.0});
  const Tensor loss = binary_cross_entropy_with_logits(x, t, {}, td::tensor(3.0), td::kNone);
  CHECK(values(loss)[0] == Approx(600));
  CHECK(values(loss)[1] == Approx(std::log(2)));
  CHECK(values(loss)[2] == Approx(300));
  loss.sum().backward();
  CHECK(values(x.grad())[0] == Approx(-3));
  CHECK(values(x.grad())[1] == Approx(0.5));
  CHECK(values(x.grad())[2] == Approx(1));
}

TEST_CASE("smooth_l1_loss has a gradient where the difference is infinite") {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = td::tensor({infinity, -infinity, 0.5f, -3.0f}).requires_grad_();
  td::smooth_l1_loss(x, td::zeros({4}), td::kSum, 2.0).backward();
  CHECK(x.grad().eq(td::tensor({1.0f, -1.0f, 0.25f, -1.0f})).all().item<bool>());
}

TEST_CASE("an input of binary_cross_entropy that is no probability is an error on sim, too") {
  const std::string text =
      "binary_cross_entropy: \"input\" must hold probabilities between 0 and 1; apply sigmoid(), "
      "or use binary_cross_entropy_with_logits";
  for (const td::Device device : devices()) {
    INFO(device);
    const auto error = [&](double value, td::ScalarType type) {
      const Tensor x = td::full({2}, value).to(device, type), t = td::zeros({2}).to(device, type);
      return message<td::Error>([&] {
        binary_cross_entropy(x, t);
        td::synchronize(device);
      });
    };
    for (const td::ScalarType type : {td::kFloat, td::kDouble, td::kHalf})
      for (const double value : {-0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
        INFO(value);
        // On cuda the kernel stops, and the process cannot use the GPU any more.
        if (!device.is_cuda()) CHECK(error(value, type).find(text) != std::string::npos);
      }
    for (const double value : {0.0, 1.0})
      CHECK_NOTHROW(
          binary_cross_entropy(td::full({2}, value).to(device), td::ones({2}).to(device)).cpu());
    const Tensor x = td::full({2}, 0.25).to(device), t = td::tensor({0, 1}).to(device);
    CHECK(std::abs(binary_cross_entropy(x, t).cpu().item<double>() - 0.8369882) < 1e-6);
  }
}

TEST_CASE("sizes that do not fit are errors that name the loss") {
  const Tensor x = td::ones({2, 3}), five = td::ones({5});
  const auto names = [](const std::string& loss, const std::function<void()>& work) {
    CHECK(message<td::ShapeError>(work).find(loss + ": ") == 0);
  };
  names("l1_loss", [&] { l1_loss(x, five); });
  names("smooth_l1_loss", [&] { smooth_l1_loss(x, five); });
  names("binary_cross_entropy", [&] { binary_cross_entropy(x, x, five); });
  const std::string logits = "binary_cross_entropy_with_logits";
  names(logits, [&] { binary_cross_entropy_with_logits(x, x, five); });
  names(logits, [&] { binary_cross_entropy_with_logits(x, x, Tensor(), five); });
}

TEST_CASE("l1_loss and smooth_l1_loss of tensors with different sizes write a warning") {
  const auto warns = [](const std::string& name, Tensor (*loss)(const Tensor&, const Tensor&)) {
    const test::CapturedWarnings captured;
    loss(td::ones({4, 1}), td::ones({4, 1}));
    CHECK(captured.text().empty());
    loss(td::ones({4, 1}), td::ones({4}));
    CHECK(captured.text().find("Warning: " + name + ": \"target\" has sizes [4]") == 0);
  };
  warns("l1_loss", [](const Tensor& x, const Tensor& t) { return l1_loss(x, t); });
  warns("smooth_l1_loss", [](const Tensor& x, const Tensor& t) { return smooth_l1_loss(x, t); });
}

TEST_CASE("the gradient of pos_weight is the sum over what it broadcasts to") {
  for (const td::Device device : devices()) {
    const Tensor x = of({0, 2}, device), t = of({1, 0.5}, device);
    for (const Tensor& p : {leaf({3}, device), leaf({3, 3}, device)}) {
      binary_cross_entropy_with_logits(x, t, Tensor(), p, td::kSum).backward();
      // The derivative is t log(1 + exp(-x)).
      const List by_element{std::log(2.0), 0.5 * std::log1p(std::exp(-2.0))};
      const List wanted = p.numel() == 2 ? by_element : List{by_element[0] + by_element[1]};
      for (std::size_t i = 0; i < wanted.size(); ++i)
        CHECK(std::abs(values(p.grad())[i] - wanted[i]) < 1e-6);
    }
  }
}
