// Tests of move_to: the same tensor where nothing is to be done, an equal one elsewhere.
#include "check_tensors.h"
#include "exercises.h"

namespace {

std::string arrow(td::Device from, td::Device to) { return from.str() + " to " + to.str(); }

}  // namespace

TEST_CASE("moving to where it is gives the very same tensor", "[move_to]") {
  for (const td::Device device : check::devices()) {
    const auto x = td::ones({3}, device);
    check::expect(
        move_to(x, device).is_same(x),
        arrow(device, device) + ": nothing is to be done, so the same tensor was expected");
  }
}

TEST_CASE("a device without an index is the current one", "[move_to]") {
  for (const td::Device device : check::devices()) {
    if (device.is_cpu()) continue;
    const td::DeviceGuard guard(device);
    const auto x = td::ones({3}, device);
    const std::string kind = td::device_type_name(device.type());
    check::expect(move_to(x, td::Device(kind)).is_same(x),
                  device.str() + " is the current " + kind + " device, so moving to \"" + kind +
                      "\" should give the same tensor");
    check::expect_on(move_to(td::ones({3}), td::Device(kind)), device,
                     "from cpu to \"" + kind + "\" while " + device.str() + " is current");
  }
}

TEST_CASE("values, sizes and type arrive", "[move_to]") {
  for (const td::Device from : check::devices())
    for (const td::Device to : check::devices())
      for (const td::ScalarType type :
           {td::kFloat, td::kDouble, td::kHalf, td::kLong, td::kUInt8}) {
        const auto x = td::arange(99, td::device(from).dtype(type)).view({3, 33});
        const auto y = move_to(x, to);
        check::expect_on(y, to, arrow(from, to));
        check::expect_dtype(y, type, arrow(from, to));
        check::expect_close(y, x, 0, arrow(from, to));
      }
}

TEST_CASE("a tensor that was moved is a copy", "[move_to]") {
  for (const td::Device device : check::devices()) {
    if (device.is_cpu()) continue;
    auto x = td::ones({5});
    const auto y = move_to(x, device);
    x.fill_(2);
    check::expect_close(y, td::ones({5}), 0, device.str() + " after the original was changed");
  }
}

TEST_CASE("one element, no element, a transposed view", "[move_to]") {
  for (const td::Device device : check::devices()) {
    check::expect_close(move_to(td::full({}, 7), device), td::full({}, 7), 0, "one number");
    check::expect_sizes(move_to(td::empty({0, 3}), device), {0, 3}, "no element");
    const auto view = td::arange(6, td::kFloat).view({2, 3}).t();
    check::expect_close(move_to(view, device), view.contiguous(), 0,
                        "a transposed view to " + device.str());
  }
}

TEST_CASE("a missing device is refused", "[move_to]") {
  check::expect_throws<td::DeviceError>([] { move_to(td::ones({1}), td::Device("sim:99")); },
                                        {"sim:99"}, "to sim:99");
}
