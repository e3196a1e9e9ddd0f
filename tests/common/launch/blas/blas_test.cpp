// launch/blas.h: products by columns, and the exact texts of its errors.
#include "launch/blas.h"

#include "catch.h"
#include "td/td.h"

namespace blas = td::simt::blas;
using blas::Operation;

namespace {

const float kOne = 1, kZero = 0, kTwo = 2;

/// 1, 2, 3 ... in one dimension.
td::Tensor counted(std::int64_t n, td::Device device) {
  return (td::arange(n).to(td::kFloat32) + 1).to(device);
}

std::vector<td::Device> devices() {
  std::vector<td::Device> found = {"cpu", "sim:0"};
  if (td::device_count(td::kCUDA) > 0) found.emplace_back("cuda:0");
  return found;
}

bool holds(const td::Tensor& tensor, const std::vector<float>& expected) {
  return td::equal(tensor.cpu(), td::tensor(expected));
}

}  // namespace

TEST_CASE("a product of matrices that are stored by columns") {
  for (const td::Device device : devices()) {
    // A = {{1, 3, 5}, {2, 4, 6}}, B = {{1, 4}, {2, 5}, {3, 6}}.
    const td::Tensor a = counted(6, device), b = counted(6, device), c = td::empty({4}, device);
    const blas::Handle handle(device);
    blas::sgemm(handle, Operation::kNone, Operation::kNone, 2, 2, 3, &kOne, a, 2, b, 3, &kZero, c,
                2);
    CHECK(holds(c, {22, 28, 49, 64}));
  }
}

TEST_CASE("transposed factors, distances between columns, alpha and beta") {
  for (const td::Device device : devices()) {
    // A is stored 3 x 2 with columns 4 apart, and transposed; B is stored 2 x 3, and transposed.
    const td::Tensor a = counted(8, device), b = counted(6, device);
    const td::Tensor c = td::ones({5}, device);
    blas::sgemm(blas::Handle(device), Operation::kTranspose, Operation::kTranspose, 2, 2, 3, &kTwo,
                a, 4, b, 2, &kTwo, c, 3);
    CHECK(holds(c, {46, 118, 1, 58, 154}));
  }
}

TEST_CASE("a batch of products, with one matrix for all of them") {
  for (const td::Device device : devices()) {
    const td::Tensor a = counted(8, device), b = td::ones({2}, device), c = td::empty({4}, device);
    blas::sgemm_strided_batched(blas::Handle(device), Operation::kNone, Operation::kNone, 2, 1, 2,
                                &kOne, a, 2, 4, b, 2, 0, &kZero, c, 2, 2, 2);
    CHECK(holds(c, {4, 6, 12, 14}));
  }
}

TEST_CASE("where beta is 0, C is not read") {
  for (const td::Device device : devices()) {
    const td::Tensor c = td::full({4}, std::numeric_limits<double>::quiet_NaN(), device);
    const td::Tensor ones = td::ones({4}, device);
    blas::sgemm(blas::Handle(device), Operation::kNone, Operation::kNone, 2, 2, 2, &kOne, ones, 2,
                ones, 2, &kZero, c, 2);
    CHECK(holds(c, {2, 2, 2, 2}));
  }
}

TEST_CASE("calls that cuBLAS does not allow are rejected with name and number") {
  const td::Tensor six = td::ones({6}), four = td::ones({4});
  const blas::Handle handle("cpu");
  const auto multiply = [&](int m, int n, int k, const td::Tensor& a, int lda, const td::Tensor& b,
                            int ldb, const td::Tensor& c, int ldc) {
    blas::sgemm(handle, Operation::kNone, Operation::kNone, m, n, k, &kOne, a, lda, b, ldb, &kZero,
                c, ldc);
  };
  CHECK_THROWS_WITH(multiply(2, 2, 0, six, 2, six, 3, four, 2),
                    "sgemm: k (parameter 6) is 0; expected at least 1");
  CHECK_THROWS_WITH(multiply(2, 2, 3, six, 1, six, 3, four, 2),
                    "sgemm: lda (parameter 9) is 1, but a stored column of A has 2 elements; "
                    "columns are stored 1 elements apart, so it must be at least 2");
  CHECK_THROWS_WITH(multiply(2, 2, 3, six, 2, six, 4, four, 2),
                    "sgemm: B (parameter 10) has 6 elements from its first to its last, but 2 "
                    "columns of 3 elements that are stored 4 apart take 7; check m, n, k and ldb");
  CHECK_THROWS_WITH(multiply(2, 2, 3, six, 2, six, 3, four, 3),
                    "sgemm: C (parameter 13) has 4 elements from its first to its last, but 2 "
                    "columns of 2 elements that are stored 3 apart take 5; check m, n, k and ldc");
  CHECK_THROWS_WITH(multiply(2, 2, 3, td::Tensor(), 2, six, 3, four, 2),
                    "sgemm: A (parameter 8) is an undefined tensor");
  CHECK_THROWS_WITH(multiply(2, 2, 3, six.to("sim:0"), 2, six, 3, four, 2),
                    "sgemm: A (parameter 8) is on sim:0 but the handle is for cpu; use "
                    "A.to(\"cpu\")");
  CHECK_THROWS_WITH(multiply(2, 2, 3, six, 2, six.to(td::kDouble), 3, four, 2),
                    "sgemm: B (parameter 10) is float64; expected float32");
  CHECK_THROWS_WITH(blas::sgemm(handle, Operation::kNone, Operation::kNone, 2, 2, 3, nullptr, six,
                                2, six, 3, &kZero, four, 2),
                    "sgemm: alpha (parameter 7) and beta (parameter 12) must point at numbers on "
                    "the host");
  blas::Handle on_sim("sim:0");
  CHECK_THROWS_WITH(blas::set_stream(on_sim, td::getDefaultStream("sim:1")),
                    "set_stream: the stream is on sim:1 but the handle is for sim:0");
}
