// dropout: what is kept is scaled, the share of zeros is p, one seed gives one mask on every device
// and layout, and the gradient passes where the value passed.
#include "reference.h"

using namespace td;
using namespace reference;

TEST_CASE("dropout keeps 1 - p of the elements and scales them") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      manual_seed(7);
      const Tensor x = empty({100, 101}, TensorOptions(dtype).device(device)).fill_(1);
      const Values y = values(dropout(x, 0.25, true));
      std::size_t zeros = 0;
      for (double v : y) {
        if (v == 0)
          ++zeros;
        else
          REQUIRE(v == Approx(1 / 0.75).epsilon(4e-3));
      }
      // 10100 draws of probability 1/4: five standard deviations are 218.
      CHECK(std::abs(static_cast<double>(zeros) - 2525) < 218);
      CHECK(values(dropout(x, 0.25, true)) != y);  // the next mask is another one
    }
}

TEST_CASE("one seed gives one mask, whatever the device and the layout") {
  const Tensor x = filled({2, 5, 4, 3}, kFloat);
  manual_seed(3);
  const Values first = values(dropout(x, 0.5, true));
  for (const Device device : all_devices())
    for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
      manual_seed(3);
      const Tensor y = dropout(x.to(device).to(format), 0.5, true);
      CHECK(values(y) == first);
      CHECK(y.is_contiguous(format));
    }
  manual_seed(4);
  CHECK(values(dropout(x, 0.5, true)) != first);
}

TEST_CASE("dropout's gradient passes where the value passed") {
  for (const Device device : all_devices()) {
    const Function seeded = [](const TensorList& in) {
      manual_seed(11);
      return dropout(in[0], 0.5, true);
    };
    check_gradients(seeded, {filled({4, 5}).to(device)});
  }
}

TEST_CASE("dropout with p of 0 and 1, in evaluation, and with invalid p") {
  const Tensor x = filled({50}, kFloat);
  CHECK(dropout(x, 0.5, false).is_same(x));
  CHECK(dropout(x, 0, true).is_same(x));
  CHECK(values(dropout(x, 1, true)) == Values(50, 0.0));
  CHECK(values(dropout(x.slice(0, 0, 0), 0.5, true)).empty());
  CHECK_THROWS_WITH(dropout(x, 1.5, true),
                    "dropout: p is the probability of an element to be zeroed and lies "
                    "between 0 and 1, but it is 1.5");
  CHECK_THROWS_AS(dropout(x, -0.1, true), Error);
  CHECK_THROWS_AS(dropout(x, NAN, true), Error);
  CHECK_THROWS_AS(dropout(x.to(kLong), 0.5, true), DtypeError);
}
