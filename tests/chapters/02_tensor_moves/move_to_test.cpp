// Tests of move_to: the same tensor where nothing is to be done, an equal one elsewhere.
#include "exercises.h"
#include "streams.h"

namespace {

std::string arrow(td::Device from, td::Device to) { return from.str() + " to " + to.str(); }

}  // namespace

TEST_CASE("moving to the tensor's own device returns the same tensor", "[move_to]") {
  for (const td::Device device : check::devices()) {
    const auto x = td::ones({3}, device);
    check::expect(
        move_to(x, device).is_same(x),
        arrow(device, device) + ": nothing is to be done, so the same tensor was expected");
    const auto view = td::ones({2, 3}, device).t();
    check::expect(move_to(view, device).is_same(view),
                  "a transposed view, " + arrow(device, device) +
                      ": nothing is to be done, so the same tensor was expected");
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

TEST_CASE("a missing device is an error", "[move_to]") {
  check::expect_throws<td::DeviceError>([] { move_to(td::ones({1}), td::Device("sim:99")); },
                                        {"sim:99"}, "to sim:99");
}

TEST_CASE("a view with strides, and one row repeated", "[move_to]") {
  for (const td::Device device : check::devices()) {
    const auto row = td::arange(5, td::kFloat).expand({3, 5});
    check::expect_close(move_to(row, device), row, 0, "one row three times to " + device.str());
    const auto columns = td::arange(30, td::kFloat).view({5, 6}).slice(1, 0, 6, 2);
    check::expect_close(move_to(columns, device), columns, 0,
                        "every second column to " + device.str());
  }
}

TEST_CASE("each element is copied to the device once", "[move_to]") {
  need_two();
  for (const td::ScalarType type : {td::kFloat, td::kHalf, td::kLong, td::kUInt8})
    for (const char* from : {"cpu", "sim:0"}) {
      const auto x = td::arange(99, td::device(td::Device(from)).dtype(type));
      expect_transfers(
          transfers_of([&] { move_to(x, "sim:1"); }), 1, x.nbytes(),
          std::string("99 elements of ") + td::dtype_name(type) + " from " + from + " to sim:1");
      expect_transfers(transfers_of([&] { move_to(x, from); }), 0, 0,
                       std::string("from ") + from + " to " + from);
    }
}

TEST_CASE("work that is queued on the current stream comes first", "[move_to]") {
  need_two();
  const td::Device a("sim:0");
  const td::StreamGuard guard(td::getStreamFromPool(a));
  for (const td::Device to : {td::Device(td::kCPU), td::Device("sim:1")}) {
    auto x = td::full({31}, 1.0, a);
    td::synchronize(a);
    check::keep_busy(td::getCurrentStream(a));
    x.fill_(10);
    const auto y = move_to(x, to);
    check::expect_close(
        y, td::full({31}, 10.0), 0,
        "to " + to.str() + ": x was filled with 10 by work that was still queued on sim:0");
  }
}

TEST_CASE("pinned memory has been read when move_to returns", "[move_to]") {
  const SlowLink slow;
  auto x = td::ones({31}).pin_memory();
  const auto y = move_to(x, "sim:0");
  x.fill_(5);
  check::expect_close(
      y, td::ones({31}), 0,
      "x is pinned, and was filled with 5 right after move_to: the copy should have "
      "read it before");
}

TEST_CASE("a gradient flows back through the move", "[move_to]") {
  for (const td::Device device : check::devices()) {
    check::expect(!move_to(td::ones({3}), device).requires_grad(),
                  "x does not require grad, so the result on " + device.str() +
                      " should not require it, either");
    const auto x = td::ones({3}).requires_grad_();
    const auto y = move_to(x, device);
    check::expect(y.requires_grad(), "x requires grad, so the result on " + device.str() +
                                         " should, too: was the move recorded?");
    check::expect(
        device.is_cpu() || !y.is_leaf(),
        "the result on " + device.str() +
            " is a leaf, so a backward pass from it cannot reach x: let copy_ be recorded");
    if (!device.is_cpu())  // the node has the name of the operation that made y
      check::expect(y.grad_fn()->name() != "ToCopyBackward0",
                    "the result on " + device.str() +
                        " was made by `to`, or by one of its short forms such as cpu: write the "
                        "move with td::empty and copy_");
    (y * 2).sum().backward();
    check::expect(x.grad().defined(),
                  "after backward from the result on " + device.str() + ", x has no gradient");
    check::expect_on(x.grad(), td::kCPU, "the gradient of x");
    check::expect_close(x.grad(), td::full({3}, 2.0), 0, "the gradient of x");
  }
}
