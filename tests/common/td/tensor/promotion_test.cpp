// Type promotion against PyTorch's documented table.
#include "values.h"

using namespace td;

TEST_CASE("two types are promoted as PyTorch's table says") {
  const ScalarType order[] = {kBool,    kUInt8,    kInt32,   kInt64,
                              kFloat16, kBFloat16, kFloat32, kFloat64};
  // Row and column in the order above; u = uint8, i = int32, l = int64, h = float16, b = bfloat16,
  // f = float32, d = float64, o = bool.
  const char* table[] = {"ouilhbfd", "uuilhbfd", "iiilhbfd", "llllhbfd",
                         "hhhhhffd", "bbbbfbfd", "fffffffd", "dddddddd"};
  const auto letter = [](ScalarType t) {
    switch (t) {
      case kBool:
        return 'o';
      case kUInt8:
        return 'u';
      case kInt32:
        return 'i';
      case kInt64:
        return 'l';
      case kFloat16:
        return 'h';
      case kBFloat16:
        return 'b';
      case kFloat32:
        return 'f';
      default:
        return 'd';
    }
  };
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) {
      INFO(order[r] << " with " << order[c]);
      CHECK(letter(promote_types(order[r], order[c])) == table[r][c]);
    }
}

TEST_CASE("numbers and 0-dimensional tensors take the other type") {
  const Tensor whole = empty({2}, kInt32).fill_(3);
  CHECK((whole + 1).dtype() == kInt32);
  CHECK((whole + 1.5).dtype() == kFloat32);
  CHECK((whole + true).dtype() == kInt32);
  const Tensor truth = ones({2}, kBool);
  CHECK((truth * truth).dtype() == kBool);
  CHECK((truth + truth).dtype() == kBool);
  CHECK(square(truth).dtype() == kInt64);
  CHECK(sign(truth).dtype() == kBool);
  CHECK_THROWS_AS(truth - 1, DtypeError);
  CHECK((empty({2}, kBool).fill_(true) + 1).dtype() == kInt64);
  CHECK((empty({2}, kFloat16).fill_(1) * 2.5).dtype() == kFloat16);
  const Tensor one_double = empty({}, kFloat64).fill_(2);
  CHECK((of({1, 2}) * one_double).dtype() == kFloat32);  // a dimension outranks none
  CHECK((whole * one_double).dtype() == kFloat64);       // but a float category wins
  CHECK((empty({}, kFloat32).fill_(1) * one_double).dtype() == kFloat64);
  CHECK((whole / whole).dtype() == kFloat32);  // true division
}

TEST_CASE("in place, the result type must fit the tensor that is modified") {
  Tensor whole = empty({2}, kInt64).fill_(3);
  CHECK(message<DtypeError>([&] { whole.mul_(2.5); }) ==
        "mul_: a result of type float32 cannot be kept in a tensor of type int64; convert it first "
        "with to(dtype)");
  whole.mul_(2);
  CHECK(values(whole) == std::vector<double>{6, 6});
  Tensor small = empty({2}, kFloat16).fill_(1);
  small.add_(of({1, 2}));  // float32 into float16: same category
  CHECK(values(small) == std::vector<double>{2, 3});
}
