// Tests of gather.
#include "replicas.h"

namespace {

constexpr const char* kNonBlocking =
    " (a `non_blocking` copy to the cpu has not finished when it returns)";

}  // namespace

TEST_CASE("4 and 3 rows become 7 on the first device", "[gather]") {
  const td::Tensor all = counted(7, 10);
  const td::Tensor joined =
      gather({all.narrow(0, 0, 4).to("sim:0"), all.narrow(0, 4, 3).to("sim:1")}, "sim:0");
  check::expect_on(joined, "sim:0", "the joined tensor");
  check::expect_close(joined, all, 0, "the joined tensor");
}

TEST_CASE("the destination may be any device, also one without a part", "[gather]") {
  const td::Tensor all = counted(5, 3);
  for (const td::Device destination : {td::Device("sim:1"), td::Device("cpu")}) {
    const td::Tensor joined =
        gather({all.narrow(0, 0, 3).to("sim:0"), all.narrow(0, 3, 2).to("sim:0")}, destination);
    check::expect_on(joined, destination, "the joined tensor");
    check::expect_close(
        joined, all, 0,
        "the tensor joined on " + destination.str() + (destination.is_cpu() ? kNonBlocking : ""));
  }
}

TEST_CASE("a tensor on the cpu is complete when gather returns", "[gather]") {
  const td::Tensor first = counted(3, 3, "sim:0"), second = counted(2, 3, "sim:1");
  const LinkOf slow({1.0, 50e3});  // a copy takes 50 ms
  check::expect_close(gather({first, second}, "cpu"), td::cat({counted(3, 3), counted(2, 3)}), 0,
                      std::string("the tensor joined on cpu, over a slow link") + kNonBlocking);
}

TEST_CASE("parts of one to four dimensions, and a single part", "[gather]") {
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{3}, {3, 31}, {3, 2, 5}, {3, 2, 3, 4}}) {
    const td::Tensor part = counted(3, td::empty(sizes).numel() / 3).reshape(sizes);
    const td::Tensor joined = gather({part, (part + 100).to("sim:1"), part}, "sim:1");
    check::expect_close(joined, td::cat({part, part + 100, part}), 0, "three parts");
    check::expect_close(gather({part}, "sim:0"), part, 0, "one part");
  }
}

TEST_CASE("losses without dimensions become a vector", "[gather]") {
  const td::Tensor joined =
      gather({td::tensor(1.5).to("sim:0"), td::tensor(2.5).to("sim:1")}, "cpu");
  check::expect_sizes(joined, {2}, "two numbers joined");
  check::expect_close(joined, td::tensor(std::vector<float>{1.5F, 2.5F}), 0,
                      std::string("two numbers joined") + kNonBlocking);
}

TEST_CASE("each part gets its share of the gradient, on its device", "[gather]") {
  const td::Tensor a = counted(2, 2, "sim:0").requires_grad_();
  const td::Tensor b = counted(1, 2, "sim:1").requires_grad_();
  const td::Tensor joined = gather({a, b}, "sim:0");
  check::expect(joined.requires_grad(), "the joined tensor is outside the graph of the parts");
  (joined * counted(3, 2, "sim:0")).sum().backward();
  check::expect_on(b.grad(), "sim:1", "the gradient of part 1");
  check::expect_close(a.grad(), counted(2, 2), 0, "the gradient of part 0");
  check::expect_close(b.grad(), counted(3, 2).narrow(0, 2, 1), 0, "the gradient of part 1");
}

TEST_CASE("parts that do not fit are an error with number, device and sizes", "[gather]") {
  check::expect_throws<td::ShapeError>(
      [] {
        gather({td::ones({1, 6}).to("sim:0"), td::ones({1, 5}).to("sim:1")}, "sim:0");
      },
      {"part 1", "sim:1", "[1, 5]", "[1, 6]"}, "parts of 6 and 5 columns");
  check::expect_throws<td::ShapeError>(
      [] {
        gather({td::ones({2}), td::ones({2, 1})}, "cpu");
      },
      {"part 1", "[2, 1]", "[2]"}, "parts of 1 and 2 dimensions");
  check::expect_throws<td::Error>([] { gather({}, "cpu"); }, {}, "no parts");
}

TEST_CASE("labels stay integers, an empty part adds no row", "[gather]") {
  const td::Tensor labels = gather({td::arange(3), td::arange(2).to("sim:1")}, "sim:0");
  check::expect_dtype(labels, td::kInt64, "joined labels");
  check::expect_close(check::values(labels), std::vector<double>{0, 1, 2, 0, 1}, 0,
                      "joined labels");
  const td::Tensor joined = gather({counted(2, 3), td::empty({0, 3})}, "cpu");
  check::expect_close(joined, counted(2, 3), 0, "two rows and an empty part");
  check::expect_sizes(gather({td::empty({0, 3}), td::empty({0, 3}).to("sim:1")}, "sim:0"), {0, 3},
                      "two empty parts");
}

TEST_CASE("losses get their gradients, and a single loss becomes a vector", "[gather]") {
  const td::Tensor a = td::tensor(1.5).to("sim:0").requires_grad_();
  const td::Tensor b = td::tensor(2.5).to("sim:1").requires_grad_();
  (gather({a, b}, "sim:1") * td::tensor(std::vector<float>{2, 3}).to("sim:1")).sum().backward();
  check::expect_close(check::values(a.grad()), std::vector<double>{2}, 0, "the gradient of loss 0");
  check::expect_close(check::values(b.grad()), std::vector<double>{3}, 0, "the gradient of loss 1");
  check::expect_sizes(gather({td::tensor(1.5)}, "cpu"), {1}, "one loss alone");
}

TEST_CASE("the third part is named, and a number does not fit a vector", "[gather]") {
  check::expect_throws<td::ShapeError>(
      [] {
        gather({td::ones({2, 3}), td::ones({1, 3}), td::ones({2, 4}).to("sim:0")}, "cpu");
      },
      {"part 2", "sim:0", "[2, 4]", "[2, 3]"}, "part 2 has 4 columns instead of 3");
  std::vector<td::Tensor> many(12, td::ones({1, 3}));
  many[10] = td::ones({1, 2});
  check::expect_throws<td::ShapeError>([&] { gather(many, "cpu"); }, {"part 10", "[1, 2]"},
                                       "part 10 of 12 has 2 columns instead of 3");
  check::expect_throws<td::ShapeError>(
      [] {
        gather({td::tensor(1.5), td::ones({1})}, "cpu");
      },
      {"part 1", "[1]"}, "a number and a vector of one element");
  check::expect_throws<td::ShapeError>(
      [] {
        gather({td::ones({2, 3, 4}), td::ones({2, 3, 5})}, "cpu");
      },
      {"part 1", "[2, 3, 5]", "[2, 3, 4]"}, "parts that differ in dimension 2");
  check::expect_throws<td::ShapeError>(
      [] {
        gather({td::ones({2, 3, 4}), td::ones({2, 4, 3})}, "cpu");
      },
      {"part 1", "[2, 4, 3]", "[2, 3, 4]"}, "parts with equally many elements of other sizes");
}

TEST_CASE("parts on accelerators: each is copied once, and the host does not wait", "[gather]") {
  const td::Tensor a = counted(20, 50, "sim:0"), b = counted(30, 50, "sim:1");
  td::Tensor joined;
  const Traffic traffic = traffic_of([&] { joined = gather({a, b}, "sim:0"); });
  expect_traffic(traffic, 30 * 50 * 4, "30 rows of 200 bytes from sim:1 to sim:0");
  check::expect_close(joined, td::cat({counted(20, 50), counted(30, 50)}), 0, "the joined tensor");
}
