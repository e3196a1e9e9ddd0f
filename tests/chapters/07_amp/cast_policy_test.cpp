// Tests of cast_policy: types, values and gradients of arguments under each policy.
#include "gradients.h"

namespace {

constexpr td::ScalarType kFast[] = {td::kFloat16, td::kBFloat16};

td::Tensor typed(const std::vector<std::int64_t>& sizes, td::ScalarType type,
                 td::Device device = "sim:0") {
  return td::ones(sizes).to(device).to(type);
}

void expect_types(const std::string& operation, const std::vector<td::Tensor>& arguments,
                  const std::vector<td::ScalarType>& expected, td::ScalarType fast) {
  const std::vector<td::Tensor> cast = cast_arguments(operation, arguments, td::kSIM, fast);
  check::expect(cast.size() == expected.size(), operation + ": " + std::to_string(expected.size()) +
                                                    " arguments were given, " +
                                                    std::to_string(cast.size()) + " came back");
  for (std::size_t i = 0; i < expected.size(); ++i)
    check::expect_dtype(cast[i], expected[i], operation + ", argument " + std::to_string(i));
}

}  // namespace

TEST_CASE("linear, matmul and conv2d: all arguments to the fast type", "[cast_policy]") {
  for (const td::ScalarType fast : kFast)
    for (const char* operation : {"linear", "matmul", "conv2d"}) {
      const td::Tensor x = typed({2, 3}, td::kFloat32), bias = typed({2}, td::kFloat32);
      expect_types(operation, {x, x, bias}, {fast, fast, fast}, fast);
      expect_types(operation, {typed({2}, td::kFloat16), typed({2}, td::kBFloat16)}, {fast, fast},
                   fast);
    }
}

TEST_CASE("exp, log, layer_norm and losses: to float32", "[cast_policy]") {
  for (const td::ScalarType fast : kFast)
    for (const char* operation : {"exp", "log", "layer_norm", "mse_loss", "cross_entropy_loss"})
      expect_types(operation, {typed({3}, fast), typed({3}, td::kFloat32)},
                   {td::kFloat32, td::kFloat32}, fast);
}

TEST_CASE("promote: float32 if any argument is float32, in any position", "[cast_policy]") {
  for (const td::ScalarType fast : kFast)
    for (const char* operation : {"addcmul", "dot"}) {
      const td::Tensor half = typed({3}, fast), full = typed({3}, td::kFloat32);
      expect_types(operation, {half, half}, {fast, fast}, fast);
      expect_types(operation, {half, full}, {td::kFloat32, td::kFloat32}, fast);
      expect_types(operation, {full, half}, {td::kFloat32, td::kFloat32}, fast);
      expect_types(operation, {half, half, full}, {td::kFloat32, td::kFloat32, td::kFloat32}, fast);
    }
}

TEST_CASE("float64 does not take part, and does not promote", "[cast_policy]") {
  const td::Tensor exact = typed({3}, td::kFloat64), half = typed({3}, td::kFloat16);
  for (const char* operation : {"linear", "exp", "addcmul"})
    expect_types(operation, {exact}, {td::kFloat64}, td::kFloat16);
  expect_types("addcmul", {exact, half}, {td::kFloat64, td::kFloat16}, td::kFloat16);
}

TEST_CASE("integers and bool do not take part", "[cast_policy]") {
  const td::Tensor output = typed({3, 2}, td::kFloat16), target = typed({3}, td::kInt64);
  const td::Tensor mask = typed({3}, td::kBool);
  expect_types("cross_entropy_loss", {output, target, mask}, {td::kFloat32, td::kInt64, td::kBool},
               td::kFloat16);
  expect_types("linear", {target, mask}, {td::kInt64, td::kBool}, td::kFloat16);
}

TEST_CASE("unlisted operations and float output: arguments as they are", "[cast_policy]") {
  for (const char* operation : {"relu", "add", "max_pool2d", "softmax", "sum"}) {
    const std::vector<td::Tensor> given = {typed({3}, td::kFloat16), typed({3}, td::kFloat32)};
    const std::vector<td::Tensor> cast = cast_arguments(operation, given, td::kSIM, td::kFloat16);
    check::expect(cast.size() == 2, std::string(operation) + ": two arguments were given");
    for (std::size_t i = 0; i < 2; ++i)
      check::expect(cast[i].is_same(given[i]), std::string(operation) + ", argument " +
                                                   std::to_string(i) + " is another tensor");
  }
}

TEST_CASE("arguments on another kind of device, and missing ones", "[cast_policy]") {
  const td::Tensor here = typed({3}, td::kFloat32), scalar = td::ones({});
  const auto cast = cast_arguments("linear", {here, scalar, td::Tensor()}, td::kSIM, td::kFloat16);
  check::expect(cast.size() == 3, "three arguments were given");
  check::expect_dtype(cast[0], td::kFloat16, "linear, argument 0");
  check::expect(cast[1].is_same(scalar), "an argument on the cpu was cast under sim's autocast");
  check::expect(!cast[2].defined(), "a missing bias is there now");
  // Arguments on other devices do not affect the promotion, either.
  expect_types("addcmul", {typed({3}, td::kFloat16), scalar}, {td::kFloat16, td::kFloat32},
               td::kFloat16);
}

TEST_CASE("an argument that has the type already is returned itself", "[cast_policy]") {
  const td::Tensor half = typed({3}, td::kFloat16), full = typed({3}, td::kFloat32);
  check::expect(cast_arguments("matmul", {half, half}, td::kSIM, td::kFloat16)[0].is_same(half),
                "a float16 argument of matmul was copied");
  check::expect(cast_arguments("log", {full}, td::kSIM, td::kFloat16)[0].is_same(full),
                "a float32 argument of log was copied");
}

TEST_CASE("values are rounded, and the gradient comes back in float32", "[cast_policy]") {
  for (const td::ScalarType fast : kFast) {
    const td::Tensor weight = td::tensor({1.0009765625, 70000.0, 3.0}).to(td::kFloat32).to("sim:0");
    weight.requires_grad_();
    const td::Tensor cast = cast_arguments("linear", {weight}, td::kSIM, fast).at(0);
    check::expect_close(cast, weight.detach().to(fast), 0, "the values in 16 bits");
    check::expect(cast.requires_grad(), "the cast is not recorded: the weight gets no gradient");
    (cast.to(td::kFloat32).narrow(0, 0, 1) * 3).sum().backward();
    check::expect_dtype(weight.grad(), td::kFloat32, "the gradient of the weight");
    check::expect_close(weight.grad(), td::tensor({3.0, 0.0, 0.0}), 0, "the gradient");
  }
}

TEST_CASE("the cpu has a different list", "[cast_policy]") {
  struct Case {
    const char* operation;
    td::ScalarType given, expected;
  };
  for (const Case& c :
       {Case{"linear", td::kFloat32, td::kBFloat16}, Case{"exp", td::kBFloat16, td::kBFloat16},
        Case{"mv", td::kFloat32, td::kFloat32}, Case{"prod", td::kBFloat16, td::kFloat32},
        Case{"binary_cross_entropy", td::kBFloat16, td::kFloat32}}) {
    const td::Tensor x = typed({3}, c.given, "cpu");
    check::expect_dtype(cast_arguments(c.operation, {x}, td::kCPU, td::kBFloat16).at(0), c.expected,
                        std::string(c.operation) + " on cpu, argument 0");
  }
  const td::Tensor half = typed({3}, td::kBFloat16, "cpu"), full = typed({3}, td::kFloat32, "cpu");
  check::expect_dtype(cast_arguments("cat", {half, full}, td::kCPU, td::kBFloat16).at(0),
                      td::kFloat32, "cat on cpu of bfloat16 and float32, argument 0");
}

TEST_CASE("arguments are cast as td's autocast casts them", "[cast_policy]") {
  for (const td::Device device : check::devices())
    for (const td::ScalarType fast : kFast) {
      const td::Tensor x = td::tensor(some_values(93)).to(device).view({31, 3});
      const td::Tensor weight = td::tensor(some_values(15, 2)).to(device).view({5, 3});
      const auto cast = cast_arguments("linear", {x, weight}, device.type(), fast);
      const td::Tensor by_hand = td::linear(cast.at(0), cast.at(1));
      const td::amp::AutocastGuard autocast(device.type(), fast);
      const td::Tensor expected = td::linear(x, weight);
      check::expect_dtype(by_hand, expected.scalar_type(), "linear on " + device.str());
      check::expect_close(by_hand, expected, 0, "linear on " + device.str());
    }
}

TEST_CASE("a banned operation is an error that says how to fix it", "[cast_policy]") {
  const td::Tensor x = typed({3}, td::kFloat16);
  check::expect_throws<td::Error>(
      [&] {
        cast_arguments("binary_cross_entropy", {x, x}, td::kSIM, td::kFloat16);
      },
      {"binary_cross_entropy", "binary_cross_entropy_with_logits"}, "binary_cross_entropy");
  const td::Tensor exact = typed({3}, td::kFloat64), half = typed({3}, td::kFloat16, "cpu");
  for (const td::Tensor& argument : {exact, half})
    check::expect_throws<td::Error>(
        [&] { cast_arguments("binary_cross_entropy", {argument}, td::kSIM, td::kFloat16); },
        {"binary_cross_entropy_with_logits"},
        std::string("binary_cross_entropy with one argument, which is ") +
            td::dtype_name(argument.scalar_type()) + " on " + argument.device().str() +
            ": a banned operation is an error whatever its arguments are");
}

TEST_CASE("promote: two different 16-bit types become the fast type", "[cast_policy]") {
  for (const td::ScalarType fast : kFast)
    expect_types("addcmul", {typed({3}, td::kFloat16), typed({3}, td::kBFloat16)}, {fast, fast},
                 fast);
}

TEST_CASE("no arguments, unknown operations, and autocast for another kind of device",
          "[cast_policy]") {
  check::expect(cast_arguments("linear", {}, td::kSIM, td::kFloat16).empty(),
                "no arguments were given, and some came back");
  const td::Tensor x = typed({3}, td::kFloat32);
  check::expect(cast_arguments("my_operation", {x}, td::kSIM, td::kFloat16).at(0).is_same(x),
                "an operation that is not in the table is unlisted: its argument stays as it is");
  check::expect(cast_arguments("linear", {x}, td::kCUDA, td::kFloat16).at(0).is_same(x),
                "a tensor on sim was cast under cuda's autocast");
}
