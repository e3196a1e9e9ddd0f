// Tests of unscale: values against float64 loops, and what passes between host and device.
#include <cmath>

#include "gradients.h"
#include "reads.h"

TEST_CASE("the loss is multiplied, and so are its gradients", "[unscale]") {
  for (const td::Device device : check::devices()) {
    const td::Tensor loss = td::full({}, 1.5, td::TensorOptions(device)).requires_grad_();
    const td::Tensor scaled = scale_loss(loss, 1024);
    check::expect_close(scaled, td::tensor(1536.0), 0, "the scaled loss on " + device.str());
    check::expect(scaled.requires_grad(),
                  "backward cannot begin with the scaled loss: not recorded");
    scaled.backward();
    check::expect_close(loss.grad(), td::tensor(1024.0), 0, "the gradient of the loss");
  }
}

TEST_CASE("a loss in 16 bits does not overflow", "[unscale]") {
  for (const td::ScalarType type : {td::kFloat16, td::kBFloat16}) {
    const td::Tensor loss = td::full({}, 2, td::TensorOptions(td::Device("sim:0")).dtype(type));
    const td::Tensor scaled = scale_loss(loss, 65536);
    check::expect_dtype(scaled, td::kFloat32, "the scaled loss");
    check::expect_close(scaled, td::tensor(131072.0), 0, "2 * 65536");
  }
}

TEST_CASE("a scaled gradient is divided by the scale", "[unscale]") {
  const std::vector<td::Tensor> parameters = {with_gradient({131072, 65536}, "cpu")};
  check::expect(!unscale(parameters, 65536), "no gradient overflowed, but an overflow was found");
  check::expect_close(gradient_of(parameters[0]), std::vector<double>{2, 1}, 0, "the gradient");
}

TEST_CASE("every gradient is divided, on every device", "[unscale]") {
  for (const td::Device device : check::devices())
    for (const std::int64_t n : check::odd_sizes())
      for (const float scale : {65536.0f, 3.0f, 0.25f}) {
        const std::vector<float> first = some_values(n, 1), second = some_values(7, 2);
        const std::vector<td::Tensor> parameters = {with_gradient(first, device),
                                                    with_gradient(second, device)};
        const std::string what = " of " + std::to_string(n) + " elements on " + device.str();
        check::expect(!unscale(parameters, scale), "an overflow was found in a gradient" + what);
        for (const auto& [parameter, gradient] :
             {std::pair(parameters[0], first), std::pair(parameters[1], second)}) {
          std::vector<double> expected;
          for (const float g : gradient) expected.push_back(double{g} / double{scale});
          check::expect_close(gradient_of(parameter), expected, 1e-6 / double{scale},
                              "the gradient" + what);
        }
      }
}

TEST_CASE("inf, -inf and NaN are found wherever they are", "[unscale]") {
  for (const td::Device device : check::devices())
    for (const float bad : {kInf, -kInf, kNaN})
      for (const std::size_t where : {0, 1, 2})
        for (const std::size_t element : {std::size_t{0}, std::size_t{32}, std::size_t{1022}}) {
          std::vector<td::Tensor> parameters;
          for (std::size_t p = 0; p < 3; ++p) {
            std::vector<float> gradient = some_values(1023, p);
            if (p == where) gradient[element] = bad;
            parameters.push_back(with_gradient(gradient, device));
          }
          check::expect(unscale(parameters, 1024), std::to_string(bad) + " in gradient " +
                                                       std::to_string(where) + " of 3 on " +
                                                       device.str() + " was not found");
        }
}

TEST_CASE("with a scale of 1, inf and NaN are found, too", "[unscale]") {
  const std::vector<td::Tensor> parameters = {with_gradient({1, kNaN}, "sim:0")};
  check::expect(unscale(parameters, 1), "NaN was not found with a scale of 1");
}

TEST_CASE("large finite gradients are no overflow", "[unscale]") {
  for (const td::Device device : check::devices()) {
    const std::vector<td::Tensor> parameters = {with_gradient({kLargest, kLargest, 1}, device),
                                                with_gradient({-kLargest, kLargest}, device)};
    check::expect(!unscale(parameters, 65536),
                  "finite gradients were taken for an overflow on " + device.str());
    check::expect(!unscale({with_gradient({kLargest, 1}, device)}, 0.5F),
                  "with a scale of 0.5, a large finite gradient was taken for an overflow on " +
                      device.str() + ": it is infinite only after the multiplication by 2");
  }
}

TEST_CASE("parameters without a gradient are left alone", "[unscale]") {
  const td::Tensor without = td::zeros({3}).requires_grad_();
  const td::Tensor with = with_gradient({8}, "cpu");
  check::expect(!unscale({without, with}, 8), "an overflow was found");
  check::expect_close(gradient_of(with), std::vector<double>{1}, 0, "the one gradient");
  check::expect(!without.grad().defined(), "a parameter without a gradient has one now");
  check::expect(!unscale({without}, 8), "an overflow was found where there is no gradient at all");
}

TEST_CASE("the gradient stays the tensor it was", "[unscale]") {
  const td::Tensor parameter = with_gradient({8, 16}, "sim:0");
  const td::Tensor held = parameter.grad();
  unscale({parameter}, 8);
  check::expect_close(check::values(held), std::vector<double>{1, 2}, 0,
                      "the gradient as a bucket holds it");
}

TEST_CASE("gradients in 16 bits are rejected, and nothing is changed", "[unscale]") {
  const td::Tensor first = with_gradient({8}, "cpu");
  const td::Tensor parameter = td::zeros({2}, td::TensorOptions(td::kFloat16)).requires_grad_();
  parameter.mutable_grad() = td::ones({2}, td::TensorOptions(td::kFloat16));
  check::expect_throws<td::DtypeError>(
      [&] {
        unscale({first, parameter}, 8);
      },
      {"float16"}, "a float16 gradient");
  check::expect_close(gradient_of(first), std::vector<double>{8}, 0,
                      "the gradient before the refused one");
}

TEST_CASE("the host reads the device once at most for all gradients", "[unscale]") {
  std::vector<td::Tensor> parameters;
  for (int i = 0; i < 20; ++i) parameters.push_back(with_gradient({1, 2, 3}, "sim:0"));
  const int reads = copies_in([&] { unscale(parameters, 2); });
  check::expect(reads <= 1, "20 gradients were read by the host " + std::to_string(reads) +
                                " times; ask the device once, at the end");
}

TEST_CASE("the loss itself does not change", "[unscale]") {
  const td::Tensor loss = td::full({}, 1.5);
  scale_loss(loss, 1024);
  check::expect_close(loss, td::tensor(1.5), 0, "the loss after scale_loss");
}

TEST_CASE("a gradient that is a view of a bucket changes in the bucket", "[unscale]") {
  const td::Tensor bucket = td::tensor(std::vector<float>{8, 16, 24, 32, 40, 48}).to("sim:0");
  const td::Tensor row = td::zeros({2}, "sim:0").requires_grad_();
  const td::Tensor table = td::zeros({2, 2}, "sim:0").requires_grad_();
  row.mutable_grad() = bucket.narrow(0, 0, 2);
  table.mutable_grad() = bucket.narrow(0, 2, 4).view({2, 2}).t();
  check::expect(!unscale({row, table}, 8), "an overflow was found");
  check::expect_close(check::values(bucket), std::vector<double>{1, 2, 3, 4, 5, 6}, 0,
                      "the bucket whose views the gradients are, one of them transposed");
}

TEST_CASE("gradients without elements and of one element", "[unscale]") {
  const std::vector<td::Tensor> parameters = {with_gradient({}, "sim:0"),
                                              with_gradient({16}, "sim:0")};
  check::expect(!unscale(parameters, 8), "a gradient without elements was taken for an overflow");
  check::expect_close(gradient_of(parameters[1]), std::vector<double>{2}, 0, "the other gradient");
  check::expect(!unscale({}, 8), "without parameters there is no overflow");
}

TEST_CASE("a float64 gradient is rejected, also after a valid one", "[unscale]") {
  const td::Tensor first = with_gradient({8}, "cpu");
  const td::Tensor parameter = td::zeros({2}, td::TensorOptions(td::kFloat64)).requires_grad_();
  parameter.mutable_grad() = td::ones({2}, td::TensorOptions(td::kFloat64));
  check::expect_throws<td::DtypeError>(
      [&] {
        unscale({first, parameter}, 8);
      },
      {"float64"}, "a float64 gradient");
  check::expect_close(gradient_of(first), std::vector<double>{8}, 0,
                      "the gradient before the rejected one, which must not change");
}

TEST_CASE("an overflow leaves no gradient scaled", "[unscale]") {
  for (const td::Device device : check::devices())
    for (std::size_t where = 0; where < 3; ++where) {
      std::vector<td::Tensor> parameters;
      for (std::size_t p = 0; p < 3; ++p)
        parameters.push_back(with_gradient({8, p == where ? kInf : 16, 24}, device));
      const std::string what = "infinity in gradient " + std::to_string(where) + " of 3 on " +
                               device.str() + ", scale 8: ";
      check::expect(unscale(parameters, 8), what + "it was not found");
      for (std::size_t p = 0; p < 3; ++p) {
        const td::Tensor gradient = parameters[p].grad();
        const std::string which = what + "gradient " + std::to_string(p) +
                                  " must be multiplied by 1/8, as every gradient: its ";
        check::expect_close(gradient[0].item<double>(), 1, 0, which + "element 0");
        check::expect_close(gradient[2].item<double>(), 3, 0, which + "element 2");
      }
    }
}

TEST_CASE("the gradient of a 16-bit loss goes back to it", "[unscale]") {
  for (const td::ScalarType type : {td::kFloat16, td::kBFloat16}) {
    const td::Tensor loss = td::full({}, 2, td::TensorOptions(type)).requires_grad_();
    scale_loss(loss, 1024).backward();
    check::expect(loss.grad().defined(), std::string("a loss in ") + td::dtype_name(type) +
                                             " gets no gradient: scale_loss is not recorded");
    check::expect_close(loss.grad(), td::tensor(1024.0), 0, "its gradient");
  }
}

TEST_CASE("a 16-bit parameter without a gradient is no error", "[unscale]") {
  const td::Tensor frozen = td::zeros({2}, td::TensorOptions(td::kFloat16));
  const td::Tensor with = with_gradient({8}, "cpu");
  try {
    unscale({frozen, with}, 8);
  } catch (const td::DtypeError& error) {
    check::expect(false, std::string("a float16 parameter without a gradient is left as it is; "
                                     "only gradients must be float32. The error was: ") +
                             error.what());
  }
  check::expect_close(gradient_of(with), std::vector<double>{1}, 0,
                      "the gradient of the parameter after it");
}
