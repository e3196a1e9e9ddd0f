// Tests of scatter.
#include "replicas.h"

namespace {

std::vector<double> rows_of(const std::vector<td::Tensor>& parts) {
  std::vector<double> rows;
  for (const td::Tensor& part : parts) rows.push_back(static_cast<double>(part.size(0)));
  return rows;
}

}  // namespace

TEST_CASE("7 rows on two devices are 4 and 3", "[scatter]") {
  const td::Tensor input = counted(7, 2);
  const auto parts = scatter(input, {"sim:0", "sim:1"});
  check::expect_close(rows_of(parts), std::vector<double>{4, 3}, 0, "rows of the parts");
  check::expect_on(parts[0], "sim:0", "part 0");
  check::expect_on(parts[1], "sim:1", "part 1");
  check::expect_close(parts[1], input.narrow(0, 4, 3), 0, "part 1");
}

TEST_CASE("few rows leave devices without a part", "[scatter]") {
  struct Case {
    std::int64_t rows;
    std::size_t devices;
    std::vector<double> expected;
  };
  for (const Case& c : {Case{9, 4, {3, 3, 3}}, Case{10, 4, {3, 3, 3, 1}}, Case{1, 3, {1}},
                        Case{9, 8, {2, 2, 2, 2, 1}}, Case{6, 3, {2, 2, 2}}}) {
    const auto parts = scatter(counted(c.rows, 3), std::vector<td::Device>(c.devices, "cpu"));
    check::expect_close(rows_of(parts), c.expected, 0,
                        "rows of the parts of " + std::to_string(c.rows) + " rows on " +
                            std::to_string(c.devices) + " devices");
  }
}

TEST_CASE("every row arrives once, for odd sizes and on all devices", "[scatter]") {
  for (const auto& devices : device_lists())
    for (const auto rows : check::odd_sizes()) {
      const td::Tensor input = counted(static_cast<std::int64_t>(rows), 2);
      std::vector<double> all;
      for (const td::Tensor& part : scatter(input, devices))
        for (const double value : check::values(part)) all.push_back(value);
      check::expect_close(all, check::values(input), 0,
                          std::to_string(rows) + " rows on " + named(devices) + " put together");
    }
}

TEST_CASE("no rows: every device gets an empty part", "[scatter]") {
  const auto parts = scatter(counted(0, 5), {"sim:0", "sim:1"});
  check::expect(parts.size() == 2, "2 empty parts were expected, " + std::to_string(parts.size()) +
                                       " came: a batch of 0 rows still runs through the model");
  for (const td::Tensor& part : parts) check::expect_sizes(part, {0, 5}, "an empty part");
}

TEST_CASE("gradients go back to the input", "[scatter]") {
  for (const auto& devices : device_lists()) {
    const td::Tensor input = counted(5, 2).requires_grad_();
    const auto parts = scatter(input, devices);
    td::Tensor total = td::zeros({});
    for (std::size_t i = 0; i < parts.size(); ++i)
      total = total + (parts[i].sum() * static_cast<double>(i + 1)).cpu();
    check::expect(total.requires_grad(),
                  "the parts are outside the graph of the input: no gradient "
                  "can go back");
    total.backward();
    const std::int64_t chunk = parts[0].size(0);
    std::vector<double> expected;
    for (std::int64_t row = 0; row < 5; ++row)
      for (int column = 0; column < 2; ++column)
        expected.push_back(1.0 + static_cast<double>(row / chunk));
    check::expect_close(check::values(input.grad()), expected, 0,
                        "the gradient through " + named(devices));
  }
}

TEST_CASE("no devices is an error", "[scatter]") {
  check::expect_throws<td::Error>([] { scatter(counted(2, 2), {}); }, {},
                                  "scatter without devices");
}

TEST_CASE("labels of one dimension, and a view that is not contiguous", "[scatter]") {
  for (const auto& devices : device_lists()) {
    const td::Tensor labels = td::arange(5);  // int64
    std::vector<double> all;
    for (const td::Tensor& part : scatter(labels, devices)) {
      check::expect_dtype(part, td::kInt64, "a part of int64 labels");
      for (const double value : check::values(part)) all.push_back(value);
    }
    check::expect_close(all, check::values(labels), 0, "5 labels on " + named(devices));
    const td::Tensor images = counted(5, 12).reshape({5, 3, 2, 2});
    const auto parts = scatter(images, devices);
    for (std::size_t i = 0; i < parts.size(); ++i)
      check::expect_sizes(parts[i], {parts[i].size(0), 3, 2, 2},
                          "part " + std::to_string(i) + " of images of sizes [5, 3, 2, 2]");
    const td::Tensor columns = counted(3, 7).t();
    all.clear();
    for (const td::Tensor& part : scatter(columns, devices))
      for (const double value : check::values(part)) all.push_back(value);
    check::expect_close(all, check::values(columns), 0, "a transposed batch on " + named(devices));
  }
}

TEST_CASE("one device gets the whole batch", "[scatter]") {
  const auto parts = scatter(counted(3, 2), {"sim:1"});
  check::expect(parts.size() == 1,
                "one device: expected 1 part, got " + std::to_string(parts.size()));
  check::expect_on(parts[0], "sim:1", "the only part");
  check::expect_close(parts[0], counted(3, 2), 0, "the only part");
}

TEST_CASE("a batch on sim:0: only rows of other devices are copied, without a wait", "[scatter]") {
  const td::Tensor input = counted(100, 50, "sim:0");
  std::vector<td::Tensor> parts;
  const Traffic traffic = traffic_of([&] { parts = scatter(input, {"sim:0", "sim:1"}); });
  expect_traffic(traffic, 50 * 50 * 4, "100 rows of 200 bytes on sim:0, 50 of them for sim:1");
  check::expect_close(parts[1], counted(100, 50).narrow(0, 50, 50), 0, "part 1");
}

TEST_CASE("a part on the cpu is complete when scatter returns", "[scatter]") {
  const td::Tensor input = counted(4, 3, "sim:0");
  const LinkOf slow({1.0, 50e3});  // a copy takes 50 ms
  const auto parts = scatter(input, {"cpu", "sim:0"});
  check::expect_close(parts[0].clone(), counted(2, 3), 0,
                      "a part that was copied from sim:0 to the cpu, read after scatter returned "
                      "(a `non_blocking` copy to the cpu has not finished when it returns)");
}

TEST_CASE("a batch that a side stream still computes is split after that work", "[scatter]") {
  const td::Stream side = td::getStreamFromPool("sim:0");
  std::vector<td::Tensor> parts;
  {
    const td::StreamGuard current(side);
    td::Tensor input = td::zeros({4, 3}).to("sim:0");
    td::synchronize("sim:0");
    Gate gate(kSoon);
    gate.hold(side);
    input.copy_(counted(4, 3, "sim:0"));
    parts = scatter(input, {"sim:0", "sim:1"});
  }
  td::synchronize("sim:0");
  check::expect_close(parts[1], counted(4, 3).narrow(0, 2, 2), 0,
                      "part 1 of a batch that the current stream was still computing");
}
