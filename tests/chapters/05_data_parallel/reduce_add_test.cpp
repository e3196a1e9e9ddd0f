// Tests of reduce_add.
#include "replicas.h"

namespace {

// One parameter with a gradient of one number, or none for NaN.
td::Tensor parameter(double gradient, td::Device device) {
  const td::Tensor p = td::zeros({2}).to(device).requires_grad_();
  if (gradient == gradient) p.mutable_grad() = td::full({2}, gradient).to(device);
  return p;
}
const double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> twice(double value) { return {value, value}; }

}  // namespace

TEST_CASE("1 and 2 and 3 are 6, on the model's device", "[reduce_add]") {
  for (const auto& devices : device_lists()) {
    std::vector<std::vector<td::Tensor>> parameters;
    double sum = 0;
    for (std::size_t r = 0; r < devices.size(); ++r) {
      parameters.push_back({parameter(static_cast<double>(r + 1), devices[r])});
      sum += static_cast<double>(r + 1);
    }
    reduce_add(parameters);
    check::expect_on(parameters[0][0].grad(), devices[0], "the model's gradient");
    check::expect_close(check::values(parameters[0][0].grad()), twice(sum), 0,
                        "the model's gradient on " + named(devices));
    check::expect(parameters[1][0].grad().defined(),
                  "replica 1's own gradient, which stays, is undefined afterwards");
    check::expect_close(check::values(parameters[1][0].grad()), twice(2), 0,
                        "replica 1's own gradient, which stays");
  }
}

TEST_CASE("each parameter for itself, with and without gradients", "[reduce_add]") {
  // Columns: all have one; only the model; only replica 1; only replica 2; none.
  const std::vector<std::vector<double>> gradients{
      {1, 10, kNone, kNone, kNone}, {2, kNone, 20, kNone, kNone}, {4, kNone, kNone, 30, kNone}};
  const std::vector<td::Device> devices{"sim:0", "sim:1", "sim:0"};
  std::vector<std::vector<td::Tensor>> parameters;
  for (std::size_t r = 0; r < 3; ++r) {
    parameters.emplace_back();
    for (const double g : gradients[r]) parameters[r].push_back(parameter(g, devices[r]));
  }
  reduce_add(parameters);
  const std::vector<double> expected{7, 10, 20, 30};
  for (std::size_t p = 0; p < expected.size(); ++p) {
    check::expect(
        parameters[0][p].grad().defined(),
        "parameter " + std::to_string(p) + " of the model has no gradient, a replica has");
    check::expect_close(check::values(parameters[0][p].grad()), twice(expected[p]), 0,
                        "parameter " + std::to_string(p));
  }
  for (std::size_t r = 1; r < 3; ++r)
    for (std::size_t p = 0; p < 5; ++p) {
      const td::Tensor own = parameters[r][p].grad();
      const std::string what =
          "the gradient of parameter " + std::to_string(p) + " of replica " + std::to_string(r);
      check::expect(own.defined() == (gradients[r][p] == gradients[r][p]),
                    what + " appeared or disappeared");
      if (own.defined())
        check::expect_close(check::values(own), twice(gradients[r][p]), 0,
                            what + ", which must not change");
    }
  check::expect(!parameters[0][4].grad().defined(),
                "no replica had a gradient for the last parameter, and now the model has one");
}

TEST_CASE("a gradient that only one replica has is copied", "[reduce_add]") {
  const td::Tensor mine = parameter(kNone, "cpu"), other = parameter(5, "cpu");
  reduce_add({{mine}, {other}});
  {
    const td::NoGradGuard no_grad;
    other.grad().zero_();
  }
  check::expect_close(check::values(mine.grad()), twice(5), 0,
                      "the model's gradient, after the replica's was set to zero");
}

TEST_CASE("uneven parts of a batch give the gradient of the whole batch", "[reduce_add]") {
  // A mean over 7 rows, 4 of them on sim:0 and 3 on sim:1: the parts' gradients add up to it.
  const td::Tensor x = counted(7, 3);
  td::nn::Linear whole(3, 1), first(3, 1), second(3, 1);
  first->load_state_dict(whole->state_dict());
  second->load_state_dict(whole->state_dict());
  first->to("sim:0");
  second->to("sim:1");
  whole->forward(x).square().mean().backward();
  const td::Tensor parts = td::cat({first->forward(x.narrow(0, 0, 4).to("sim:0")),
                                    second->forward(x.narrow(0, 4, 3).to("sim:1")).to("sim:0")});
  parts.square().mean().backward();
  reduce_add({first->parameters(), second->parameters()});
  for (std::size_t p = 0; p < 2; ++p) {
    const td::Tensor expected = whole->parameters()[p].grad();
    check::expect_close(first->parameters()[p].grad(), expected,
                        1e-5 * expected.abs().max().item<double>(),
                        "the gradient of the whole batch, parameter " + std::to_string(p));
  }
}

TEST_CASE("only replicas on one device have a gradient: theirs do not change", "[reduce_add]") {
  for (const char* device : {"cpu", "sim:0"}) {
    const td::Tensor mine = parameter(kNone, device), b = parameter(5, device),
                     c = parameter(7, device);
    c.grad().requires_grad_();  // as after backward with create_graph
    reduce_add({{mine}, {b}, {c}});
    check::expect_close(check::values(mine.grad()), twice(12), 0,
                        "the gradient of the model on " + std::string(device));
    check::expect_close(
        check::values(b.grad()), twice(5), 0,
        "the gradient of replica 1 on " + std::string(device) + ", which must not change");
    check::expect(!mine.grad().requires_grad(), "the sum was recorded by autograd");
  }
}

TEST_CASE("each sum is on the device of its parameter", "[reduce_add]") {
  const td::Tensor first = parameter(1, "sim:0"), second = parameter(kNone, "sim:1");
  reduce_add({{first, second}, {parameter(2, "sim:1"), parameter(4, "sim:0")}});
  check::expect_on(first.grad(), "sim:0", "the gradient of parameter 0, which is on sim:0");
  check::expect_on(second.grad(), "sim:1", "the gradient of parameter 1, which is on sim:1");
  check::expect_close(check::values(second.grad()), twice(4), 0, "the gradient of parameter 1");
}

TEST_CASE("a model on the cpu waits for the gradients of its replicas", "[reduce_add]") {
  const td::Tensor both = parameter(1, "cpu"), none = parameter(kNone, "cpu");
  const std::vector<std::vector<td::Tensor>> parameters = {
      {both, none}, {parameter(2, "sim:0"), parameter(4, "sim:0")}};
  const LinkOf slow({1.0, 50e3});  // a copy takes 50 ms
  reduce_add(parameters);
  check::expect_close(both.grad().clone(), td::full({2}, 3.0), 0,
                      "the gradient of a model on cpu and of a replica on sim:0, added (a "
                      "`non_blocking` copy to the cpu has not finished when it returns)");
  check::expect_close(none.grad().clone(), td::full({2}, 4.0), 0,
                      "the gradient that only the replica on sim:0 has");
}

TEST_CASE("a single model keeps its gradient", "[reduce_add]") {
  const td::Tensor mine = parameter(3, "sim:0");
  reduce_add({{mine, parameter(kNone, "sim:0")}});
  check::expect_close(check::values(mine.grad()), twice(3), 0, "the gradient without replicas");
}

TEST_CASE("types and sizes may differ from parameter to parameter", "[reduce_add]") {
  std::vector<std::vector<td::Tensor>> parameters;
  for (int r = 0; r < 2; ++r) {
    const td::Device device(td::kSIM, r);
    const td::Tensor scale = td::zeros({}).to(device).requires_grad_();
    scale.mutable_grad() = td::full({}, 2.0 + r).to(device);
    const td::Tensor weight = td::zeros({3, 2}, td::kDouble).to(device).requires_grad_();
    weight.mutable_grad() = counted(3, 2).to(td::kDouble).to(device);
    parameters.push_back({scale, weight});
  }
  reduce_add(parameters);
  check::expect_close(check::values(parameters[0][0].grad()), std::vector<double>{5}, 0,
                      "a parameter without dimensions");
  check::expect_dtype(parameters[0][1].grad(), td::kDouble, "the gradient of a double weight");
  check::expect_close(parameters[0][1].grad(), counted(3, 2) * 2, 0, "the gradient of a weight");
}

TEST_CASE("each gradient is copied once, and the host does not wait", "[reduce_add]") {
  std::vector<std::vector<td::Tensor>> parameters;
  for (int r = 0; r < 2; ++r) {
    const td::Device device(td::kSIM, r);
    const td::Tensor weight = td::zeros({50, 100}).to(device).requires_grad_();
    weight.mutable_grad() = td::full({50, 100}, r + 1.0).to(device);
    parameters.push_back({weight});
  }
  expect_traffic(traffic_of([&] { reduce_add(parameters); }), 50 * 100 * 4,
                 "a gradient of 20000 bytes on sim:0 and on sim:1");
}
