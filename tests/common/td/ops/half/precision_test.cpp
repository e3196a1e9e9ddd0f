// The switch for TF32: its names, and that it changes nothing without Tensor Cores.
#include "../reference.h"
#include "catch.h"
#include "td/td.h"

using namespace td;
using namespace reference;

TEST_CASE("float32 products are exact unless asked otherwise") {
  CHECK(get_float32_matmul_precision() == "highest");
  CHECK_FALSE(allow_tf32());
  for (const char* word : {"high", "medium"}) {
    set_float32_matmul_precision(word);
    CHECK(get_float32_matmul_precision() == word);
    CHECK(allow_tf32());
  }
  set_float32_matmul_precision("highest");
  CHECK_FALSE(allow_tf32());
}

TEST_CASE("an unknown precision is a clear error") {
  CHECK_THROWS_WITH(
      set_float32_matmul_precision("tf32"),
      "set_float32_matmul_precision: expected \"highest\", \"high\" or \"medium\" but "
      "got \"tf32\"; \"high\" lets GPUs use TF32");
  CHECK(get_float32_matmul_precision() == "highest");
}

TEST_CASE("\"high\" changes float32 products on a GPU alone, and there within TF32's rounding") {
  for (const Device device : all_devices()) {
    INFO(device);
    const Tensor a = filled({64, 512}, kFloat).to(device),
                 b = filled({512, 64}, kFloat, 2).to(device);
    const Tensor image = filled({2, 32, 8, 8}, kFloat, 3).to(device),
                 kernel = filled({32, 32, 3, 3}, kFloat, 4).to(device);
    const auto run = [&] {
      Values all = values(mm(a, b)), of_conv = values(conv2d(image, kernel, {}, 1, 1));
      all.insert(all.end(), of_conv.begin(), of_conv.end());
      return all;
    };
    const Values exact = run();
    set_float32_matmul_precision("high");
    const Values fast = run();
    set_float32_matmul_precision("highest");
    if (device.is_cuda())  // each of 512 products is 2^-10 off at most, of about 7 in size together
      CHECK(distance(exact, fast) < 0.1);
    else
      CHECK(exact == fast);
    CHECK(run() == exact);
  }
}
