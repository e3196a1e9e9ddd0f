// Tests of move_view: views of many shapes, and how many bytes are copied to the device.
#include "exercises.h"
#include "forbidden_page.h"
#include "streams.h"

namespace {

using Ints = std::vector<std::int64_t>;

std::vector<float> numbered(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i) + 0.5F;
  return values;
}

/// The elements in logical order, by counting the indices up like an odometer.
std::vector<float> elements(const float* data, const Ints& sizes, const Ints& strides) {
  std::int64_t n = 1;
  for (const auto size : sizes) n *= size;
  std::vector<float> all;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t rest = i, at = 0;
    for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      at += rest % sizes[d] * strides[d];
    all.push_back(data[at]);
  }
  return all;
}

void expect_moved(const Ints& sizes, const Ints& strides, const std::string& what) {
  const auto memory = numbered(5000);
  const auto expected = elements(memory.data(), sizes, strides);
  for (const td::Device device : check::devices()) {
    td::Tensor moved;
    const Transfers transfers =
        transfers_of([&] { moved = move_view(memory.data(), sizes, strides, device); });
    const std::string where = what + " to " + device.str();
    check::expect_on(moved, device, where);
    check::expect_sizes(moved, sizes, where);
    check::expect_dtype(moved, td::kFloat, where);
    check::expect_close(check::values(moved), expected, 0, where);
    const bool crosses = device.is_sim() && moved.numel() > 0;  // sim's trace has every copy
    if (!device.is_cuda())
      expect_transfers(transfers, crosses ? 1 : 0, crosses ? moved.nbytes() : 0, where);
    const std::size_t kept = moved.impl().storage->bytes();
    check::expect(kept <= moved.nbytes() + 512,
                  where + ": its elements take " + std::to_string(moved.nbytes()) + " bytes, but " +
                      std::to_string(kept) + " were moved");
    check::expect(moved.is_contiguous(), where + ": the result should be contiguous");
  }
}

}  // namespace

TEST_CASE("a contiguous matrix", "[move_view]") {
  expect_moved({3, 5}, {5, 1}, "a contiguous matrix");
}

TEST_CASE("the transpose of the exercise", "[move_view]") {
  expect_moved({3, 2}, {1, 3}, "a transposed matrix of 2 rows and 3 columns");
}

TEST_CASE("transposed matrices of odd sizes", "[move_view]") {
  for (const std::int64_t n : check::odd_sizes())
    expect_moved({n, 3}, {1, n},
                 "a transposed matrix of 3 rows and " + std::to_string(n) + " columns");
}

TEST_CASE("every second column of a wide matrix", "[move_view]") {
  expect_moved({31, 33}, {100, 2}, "every second column of 31 rows");
}

TEST_CASE("one row that is expanded to many rows", "[move_view]") {
  expect_moved({33, 7}, {0, 1}, "a row that is shown 33 times");
  expect_moved({31, 3}, {1, 1}, "every three neighbors of a vector");
}

TEST_CASE("other numbers of dimensions", "[move_view]") {
  expect_moved({}, {}, "a single number");
  expect_moved({31}, {3}, "a vector with gaps");
  expect_moved({2, 3, 4}, {1, 8, 2}, "a permuted block of three dimensions");
  expect_moved({2, 3, 5, 7}, {3, 1, 42, 6}, "images with their colors last");
}

TEST_CASE("a view without elements", "[move_view]") {
  expect_moved({0}, {1}, "an empty vector");
  expect_moved({3, 0}, {7, 1}, "a matrix without columns");
}

TEST_CASE("the result is a copy", "[move_view]") {
  struct View {
    const char* what;
    Ints sizes, strides;
  };
  for (const td::Device device : check::devices())
    for (const auto& [what, sizes, strides] :
         {View{"a transposed matrix", {3, 2}, {1, 3}}, View{"a contiguous matrix", {2, 3}, {3, 1}},
          View{"a vector", {6}, {1}}, View{"a single number", {}, {}}}) {
      auto memory = numbered(6);
      const auto expected = elements(memory.data(), sizes, strides);
      const auto moved = move_view(memory.data(), sizes, strides, device);
      std::fill(memory.begin(), memory.end(), check::kPoison);
      check::expect_close(
          check::values(moved), expected, 0,
          std::string(what) + " on " + device.str() + " after the host's memory was overwritten");
    }
}

TEST_CASE("memory is read only where the view has elements", "[move_view]") {
  ForbiddenPage page;
  for (const td::Device device : check::devices()) {
    td::Tensor moved;
    page.expect_unread(
        [&] {
          moved = move_view(page.begin(), {3, 0}, {1, 3}, device);
        },
        "a view without elements to " + device.str());
    check::expect_sizes(moved, {3, 0}, "no element, to " + device.str());
    float* const first = page.begin() - 2;  // the last two numbers before the page
    const auto apart = page.end() - first;
    for (const int i : {0, 1}) first[i] = page.end()[i] = static_cast<float>(i);
    page.expect_unread(
        [&] {
          moved = move_view(first, {2, 2}, {apart, 1}, device);
        },
        "two rows with a gap between them to " + device.str());
    check::expect_close(check::values(moved), std::vector<double>{0, 1, 0, 1}, 0,
                        "two rows with a gap between them to " + device.str());
  }
}
