// Tests of flip.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

simt::KernelReport flip_image(int rows, int cols, dim3 block = {32, 8}) {
  std::vector<float> in;
  std::vector<double> expected;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      in.push_back(static_cast<float>(r * cols + c));
      expected.push_back(r * cols + (cols - 1 - c));
    }
  const std::string what = std::to_string(rows) + " rows and " + std::to_string(cols) +
                           " columns with blocks of (" + std::to_string(block.x) + ", " +
                           std::to_string(block.y) + ")";
  const auto work = [&](td::Device device) -> std::vector<td::Tensor> {
    const td::Tensor image = check::tensor_of(in, device, {rows, cols});
    const td::Tensor out = check::poisoned_output({rows, cols}, device);
    simt::launch<flip>(
        {dim3(check::blocks_for(cols, block.x), check::blocks_for(rows, block.y)), block}, image,
        out, rows, cols);
    return {out, image};  // The argument stays as it is.
  };
  return check::run_kernels(what, work, {expected, {in.begin(), in.end()}}, {"`out`", "`in`"})[0];
}

}  // namespace

TEST_CASE("the image of the example", "[flip]") { flip_image(2, 3, {2, 2}); }

TEST_CASE("images of whole blocks: square, wide and high", "[flip]") {
  flip_image(32, 32);
  flip_image(16, 96);
  flip_image(64, 32);
}

TEST_CASE("images whose edges do not fill a block", "[flip]") {
  flip_image(31, 33);
  flip_image(33, 31);
  flip_image(1, 1023);
  flip_image(1023, 1);
}

TEST_CASE("an image in blocks of other sizes", "[flip]") {
  flip_image(20, 50, {16, 4});
  flip_image(50, 20, {4, 16});
  flip_image(3, 70, {64, 1});
}

TEST_CASE("neighboring threads access neighboring columns of an image", "[flip]") {
  const simt::KernelReport report = flip_image(64, 128);
  check::expect_coalesced(report);
  check::expect_at_most(report, "requests to global memory", report.profile.global().requests,
                        2 * 64 * 128 / 32);
}
