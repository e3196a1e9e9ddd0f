// Tests of gemm.
#include <atomic>

#include "products.h"
#include "sim/sim.h"
#include "td/device/record.h"

namespace {

std::atomic<int> products_seen, copies_seen;

/// Counts what is enqueued while it exists.
struct RecordCounter {
  RecordCounter() { products_seen = copies_seen = 0; }
  const td::RecordObserver counting{[](const td::Record& record, td::Device) {
    const bool product = std::string(record.name).find("sgemm") == 0;
    // What reads nothing is no copy: td::zeros for the result is allowed.
    if (product)
      ++products_seen;
    else if (record.reads > 0)
      ++copies_seen;
  }};
};

/// How a factor is stored in memory.
enum class Layout { kWhole, kSlice, kTransposed, kTransposedSlice };
constexpr Layout kLayouts[] = {Layout::kWhole, Layout::kSlice, Layout::kTransposed,
                               Layout::kTransposedSlice};
const char* const kNames[] = {"whole", "a slice", "transposed", "a transposed slice"};

/// A view with these elements: a part of a larger matrix, the transpose of one, or both.
td::Tensor lay_out(const std::vector<float>& elements, int rows, int columns, Layout layout,
                   td::Device device) {
  const td::Tensor whole = td::tensor(elements).reshape({rows, columns}).to(device);
  const bool transposed = layout == Layout::kTransposed || layout == Layout::kTransposedSlice;
  const td::Tensor stored = transposed ? whole.t().contiguous() : whole;
  const bool slice = layout == Layout::kSlice || layout == Layout::kTransposedSlice;
  if (!slice) return transposed ? stored.t() : stored;
  const std::int64_t height = stored.size(0), width = stored.size(1);
  const td::Tensor larger = check::poisoned_output({height + 2, width + 3}, device);
  td::Tensor part = larger.narrow(0, 1, height).narrow(1, 2, width);
  part.copy_(stored);
  return transposed ? part.t() : part;
}

void expect_product(int m, int n, int k, Layout layout_a, Layout layout_b, td::Device device) {
  const std::vector<float> left = factor(m, k, 0), right = factor(k, n, 4);
  const std::string what = sizes_text(m, n, k) + " on " + device.str() + ", a " +
                           kNames[static_cast<int>(layout_a)] + ", b " +
                           kNames[static_cast<int>(layout_b)];
  const td::Tensor a = lay_out(left, m, k, layout_a, device);
  const td::Tensor b = lay_out(right, k, n, layout_b, device);
  const td::Tensor c = gemm(a, b);
  check::expect_on(c, device, what);
  check::expect_sizes(c, {m, n}, what);
  check::expect(c.is_contiguous(), what + ": the result is not contiguous");
  const std::string problem = check::difference(check::values(c), product(left, right, m, n, k), 0);
  check::expect(problem.empty(), what + ": " + problem);
}

}  // namespace

TEST_CASE("square matrices by rows", "[gemm]") {
  for (const td::Device device : check::devices())
    expect_product(4, 4, 4, Layout::kWhole, Layout::kWhole, device);
}

TEST_CASE("matrices of any sizes", "[gemm]") {
  for (const td::Device device : check::devices()) {
    expect_product(2, 1, 2, Layout::kWhole, Layout::kWhole, device);
    expect_product(5, 7, 3, Layout::kWhole, Layout::kWhole, device);
    expect_product(1, 33, 31, Layout::kWhole, Layout::kWhole, device);
    expect_product(65, 48, 130, Layout::kWhole, Layout::kWhole, device);
  }
}

TEST_CASE("slices and transposed views, in all pairs", "[gemm]") {
  for (const td::Device device : check::devices())
    for (const Layout a : kLayouts)
      for (const Layout b : kLayouts) expect_product(5, 7, 3, a, b, device);
}

TEST_CASE("one row, one column, and their transposes", "[gemm]") {
  for (const Layout a : kLayouts)
    for (const Layout b : kLayouts) {
      expect_product(1, 6, 5, a, b, "sim:0");
      expect_product(6, 1, 5, a, b, "sim:0");
      expect_product(6, 5, 1, a, b, "sim:0");
    }
}

TEST_CASE("the transpose of a column, whose strides are both 1", "[gemm]") {
  for (const td::Device device : check::devices()) {
    const td::Tensor row = td::ones({5, 1}, device).t(), b = td::ones({5, 7}, device);
    check::expect_close(gemm(row, b), td::full({1, 7}, 5.0), 0, "a transposed column times b");
    check::expect_close(gemm(td::ones({3, 1}, device), row), td::ones({3, 5}), 0,
                        "a column times a transposed column");
  }
}

TEST_CASE("what the memory of the result held before does not matter", "[gemm]") {
  for (const td::Device device : check::devices()) {
    const td::Tensor a = td::ones({64, 32}, device), b = td::ones({32, 64}, device);
    // The allocator gives the result the block that this tensor gives back.
    td::full({64, 64}, std::numeric_limits<double>::quiet_NaN(), device);
    const td::Tensor c = gemm(a, b);
    check::expect_close(c, td::full({64, 64}, 32.0), 0,
                        "ones on " + device.str() + ", after a tensor of NaN");
  }
}

TEST_CASE("one product, and no copies", "[gemm]") {
  for (const td::Device device : check::devices())
    for (const Layout layout : kLayouts) {
      const td::Tensor a = lay_out(factor(5, 3, 0), 5, 3, layout, device);
      const td::Tensor b = lay_out(factor(3, 7, 4), 3, 7, layout, device);
      const RecordCounter counter;
      gemm(a, b);
      check::expect(products_seen == 1,
                    std::to_string(products_seen) + " calls of sgemm, expected one");
      check::expect(copies_seen == 0,
                    std::to_string(copies_seen) + " operations on " + device.str() +
                        " besides sgemm read a matrix, expected none: give sgemm the views as "
                        "they are, with their strides, and make no copies");
    }
}

TEST_CASE("the product runs on the current stream", "[gemm]") {
  td::sim::find_races(true);
  td::sim::take_races();
  {
    const td::StreamGuard guard(td::getStreamFromPool("sim:0"));
    const td::Tensor a = td::ones({40, 40}, "sim:0"), b = td::ones({40, 40}, "sim:0");
    const td::Tensor c = gemm(a, b);
    check::expect_close(c, td::full({40, 40}, 40.0), 0, "a product on a stream of the pool");
  }
  const std::vector<td::sim::Race> races = td::sim::take_races();
  td::sim::find_races(false);
  check::expect(races.empty(),
                races.empty() ? ""
                              : "the product is not on the current stream, see blas::set_stream: " +
                                    races[0].text);
}
