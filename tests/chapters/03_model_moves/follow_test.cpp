// Tests of follow.
#include "models.h"

namespace {

std::vector<td::Tensor> random(const std::vector<std::int64_t>& sizes, td::Device device) {
  std::vector<td::Tensor> all;
  td::manual_seed(6);
  for (const std::int64_t n : sizes) all.push_back(td::randn({n}).to(device));
  return all;
}

}  // namespace

TEST_CASE("momentum moves to its parameter's device, values unchanged", "[follow]") {
  for (const td::Device from : check::devices())
    for (const td::Device to : check::devices()) {
      const auto parameters = random({1, 31, 33, 1023}, to);
      auto momentum = random({1, 31, 33, 1023}, from);
      const auto before = all_values(momentum);
      follow(momentum, parameters);
      for (std::size_t i = 0; i < momentum.size(); ++i) {
        check::expect_on(momentum[i], to, "momentum of " + name_of(i));
        check::expect_close(check::values(momentum[i]), before[i], 0, "momentum of " + name_of(i));
      }
    }
}

TEST_CASE("a model can be spread over several devices", "[follow]") {
  auto parameters = random({3, 5}, "sim:0");
  parameters[1] = parameters[1].to("cpu");
  auto momentum = random({3, 5}, "cpu");
  follow(momentum, parameters);
  check::expect_on(momentum[0], "sim:0", "momentum of tensor 0, whose parameter is on sim:0");
  check::expect_on(momentum[1], "cpu", "momentum of tensor 1, whose parameter is on cpu");
}

TEST_CASE("momentum that is on the device already stays the same tensor", "[follow]") {
  const auto parameters = random({3}, "sim:0");
  auto momentum = random({3}, "sim:0");
  const td::Tensor held = momentum[0];
  follow(momentum, parameters);
  check::expect(momentum[0].is_same(held), "the momentum was in place already and was copied");
  std::vector<td::Tensor> turned = {td::ones({2, 3}, "sim:0").t()};
  const td::Tensor view = turned[0];
  follow(turned, {td::ones({3, 2}, "sim:0")});
  check::expect(turned[0].is_same(view),
                "momentum that is a transposed view was in place already and was copied");
}

TEST_CASE("only the device changes, not the dtype", "[follow]") {
  const std::vector<td::Tensor> parameters = {td::ones({3}, td::kFloat16).to("sim:0")};
  std::vector<td::Tensor> momentum = {td::full({3}, 0.1)};
  follow(momentum, parameters);
  check::expect_dtype(momentum[0], td::kFloat32, "float32 momentum of a float16 parameter");
  check::expect_on(momentum[0], "sim:0", "the momentum of a float16 parameter");
}

TEST_CASE("pending work on the source is part of the momentum", "[follow]") {
  const td::StreamGuard guard(td::getStreamFromPool("sim:0"));
  std::vector<td::Tensor> momentum = {td::zeros({1023}, td::Device("sim:0"))};
  td::synchronize("sim:0");
  check::keep_busy(td::getCurrentStream("sim:0"));
  momentum[0].fill_(49);
  follow(momentum, {td::zeros({1023})});
  check::expect_close(momentum[0], td::full({1023}, 49), 0,
                      "momentum that a queued operation was still changing");
}

TEST_CASE("before the first step there is no momentum", "[follow]") {
  const auto parameters = random({3, 5}, "sim:0");
  auto momentum = random({3, 5}, "cpu");
  momentum[0] = td::Tensor();
  follow(momentum, parameters);
  check::expect(!momentum[0].defined(), "a momentum that did not exist yet exists after the move");
  check::expect_on(momentum[1], "sim:0", "momentum of tensor 1");
}

TEST_CASE("a model without parameters has no momentum", "[follow]") {
  std::vector<td::Tensor> none;
  follow(none, {});
  check::expect(none.empty(), "a model without parameters has momentum after the move");
}

TEST_CASE("counts that differ are rejected before anything moves", "[follow]") {
  const auto parameters = random({3, 5, 7}, "sim:0");
  auto momentum = random({3, 5}, "cpu");
  check::expect_throws<td::ShapeError>([&] { follow(momentum, parameters); }, {"2", "3"},
                                       "2 momentum tensors for 3 parameters");
  check::expect_on(momentum[0], "cpu", "momentum of tensor 0, after the error");
  auto more = random({3, 5, 7, 9}, "cpu");
  check::expect_throws<td::ShapeError>([&] { follow(more, parameters); }, {"4", "3"},
                                       "4 momentum tensors for 3 parameters");
  std::vector<td::Tensor> none;
  check::expect_throws<td::ShapeError>([&] { follow(none, parameters); }, {"0", "3"},
                                       "no momentum tensors for 3 parameters");
}
