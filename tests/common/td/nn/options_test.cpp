// Options of layers that change gradients or are refused.
#include "../tensor/values.h"
#include "catch.h"
#include "td/nn/nn.h"

using namespace td;

namespace {

struct Mixed {
  TD_ARG(int, named) = 1;
  int plain = 2;
};

}  // namespace

TEST_CASE("what follows a TD_ARG has the access that stands there") {
  CHECK(Mixed().named(3).plain == 2);
  CHECK(Mixed().named(3).named() == 3);
}

TEST_CASE("a dropout whose p is no probability cannot be made") {
  CHECK(message<Error>([] { nn::Dropout(1.5); }) ==
        "Dropout: a probability lies between 0 and 1, not 1.5");
  CHECK_NOTHROW(nn::Dropout(1.0));
}
