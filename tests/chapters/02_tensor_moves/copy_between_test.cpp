// Tests of copy_between: every direction, odd sizes, pinned memory and a slow link.
#include <cstring>

#include "exercises.h"
#include "streams.h"

namespace {

std::vector<float> counted(int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) values.push_back(static_cast<float>(i) - 0.25F);
  return values;
}

std::string arrow(td::Device from, td::Device to, std::size_t bytes) {
  return from.str() + " to " + to.str() + ", " + std::to_string(bytes) + " bytes";
}

bool one_kind(td::Device a, td::Device b) {
  return a.is_cpu() || b.is_cpu() || a.type() == b.type();
}

}  // namespace

TEST_CASE("the bytes of an array arrive on every device, and come back", "[copy_between]") {
  for (const td::Device device : check::devices())
    for (const int n : check::odd_sizes()) {
      const auto values = counted(n);
      const std::size_t bytes = values.size() * sizeof(float);
      const auto there = td::empty({n}, device);
      check::poison(there);
      copy_between(there.data_ptr(), device, values.data(), td::kCPU, bytes);
      check::expect_close(check::values(there), values, 0, arrow(td::kCPU, device, bytes));
      auto back = check::poisoned(values.size());
      copy_between(back.data(), td::kCPU, there.data_ptr(), device, bytes);
      check::expect_close(back, values, 0, arrow(device, td::kCPU, bytes));
    }
}

TEST_CASE("bytes are copied between all devices of one kind", "[copy_between]") {
  for (const td::Device from : check::devices())
    for (const td::Device to : check::devices()) {
      if (!one_kind(from, to)) continue;
      const auto source = td::arange(33, td::device(from).dtype(td::kFloat));
      const auto target = td::empty({33}, to);
      check::poison(target);
      td::synchronize(to.is_cpu() ? from : to);  // the poison is there before the bytes come
      copy_between(target.data_ptr(), to, source.data_ptr(), from, source.nbytes());
      check::expect_close(target, source, 0, arrow(from, to, source.nbytes()));
    }
}

TEST_CASE("exactly the given number of bytes is copied", "[copy_between]") {
  for (const td::Device device : check::devices())
    for (const std::size_t bytes : {0, 1, 3, 7, 9, 31}) {
      std::vector<std::uint8_t> values(32, 200), back(32, 7);
      for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::uint8_t>(i + 1);
      const auto there = td::full({32}, 99, td::device(device).dtype(td::kUInt8));
      copy_between(there.data_ptr(), device, values.data(), td::kCPU, bytes);
      std::vector<double> expected(32, 99);
      for (std::size_t i = 0; i < bytes; ++i) expected[i] = static_cast<double>(i + 1);
      check::expect_close(check::values(there), expected, 0, arrow(td::kCPU, device, bytes));
      copy_between(back.data(), td::kCPU, there.data_ptr(), device, bytes);
      for (std::size_t i = bytes; i < 32; ++i) expected[i] = 7;
      check::expect_close(back, expected, 0, arrow(device, td::kCPU, bytes));
    }
}

TEST_CASE("data in pinned memory has arrived when copy_between returns", "[copy_between]") {
  const SlowLink slow;
  for (const td::Device device : check::devices()) {
    const auto there = td::full({1023}, 5.0, device);
    const auto host = td::empty({1023}, td::TensorOptions().pinned_memory(true));
    float* first = host.data_ptr<float>();
    for (int i = 0; i < 1023; ++i) first[i] = check::kPoison;
    copy_between(first, td::kCPU, there.data_ptr(), device, there.nbytes());
    // Read at once, by the host itself: an operation would wait for the stream and hide the fault.
    const std::vector<float> seen(first, first + 1023);
    td::synchronize(device);
    check::expect_close(seen, std::vector<float>(1023, 5.0F), 0,
                        "read right after the copy from " + device.str() + " to pinned memory");
  }
}

TEST_CASE("data on another device has arrived when copy_between returns", "[copy_between]") {
  need_two();
  const SlowLink slow;
  const td::Device a("sim:0"), b("sim:1");
  const auto from = td::full({33}, 5.0, a), to = td::full({33}, 1.0, b);
  td::synchronize(a);
  td::synchronize(b);
  copy_between(to.data_ptr(), b, from.data_ptr(), a, to.nbytes());
  td::Tensor seen;
  {
    const td::StreamGuard other(td::getStreamFromPool(b));  // which nothing orders after the copy
    seen = to * 1;
  }
  td::synchronize(a);
  td::synchronize(b);
  check::expect_close(seen, td::full({33}, 5.0), 0,
                      "read by another stream of sim:1 right after the copy from sim:0");
}

TEST_CASE("the copy sees the results of work queued on the current stream", "[copy_between]") {
  need_two();
  const td::Device a("sim:0");
  for (const bool default_stream : {true, false}) {
    const td::StreamGuard guard(default_stream ? td::getDefaultStream(a)
                                               : td::getStreamFromPool(a));
    const std::string where = default_stream ? "the default stream" : "a stream from the pool";
    for (const td::Device to : {td::Device(td::kCPU), td::Device("sim:1")}) {
      const auto from = td::full({31}, 1.0, a);
      const auto target = td::full({31}, 2.0, to);
      td::synchronize(a);
      if (!to.is_cpu()) td::synchronize(to);
      check::keep_busy(td::getCurrentStream(a));
      td::Tensor(from).fill_(10);
      copy_between(target.data_ptr(), to, from.data_ptr(), a, from.nbytes());
      const auto got = check::values(target);
      td::synchronize(a);
      check::expect_close(got, std::vector<double>(31, 10), 0,
                          "to " + to.str() +
                              ": from was filled with 10 by work that was queued on " + where +
                              ", which is the current one of sim:0");
    }
  }
}

TEST_CASE("the target's earlier work is done first when the host is the source", "[copy_between]") {
  const td::Device a("sim:0");
  const td::StreamGuard guard(td::getStreamFromPool(a));
  const auto target = td::full({31}, 2.0, a);
  td::synchronize(a);
  check::keep_busy(td::getCurrentStream(a));
  td::Tensor(target).fill_(10);
  const auto values = counted(31);
  copy_between(target.data_ptr(), a, values.data(), td::kCPU, target.nbytes());
  td::synchronize(a);
  check::expect_close(check::values(target), values, 0,
                      "sim:0 was still to fill the target with 10 when copy_between was called");
}

TEST_CASE("the bytes are copied once", "[copy_between]") {
  need_two();
  const auto host = counted(1023);
  const auto x = td::full({1023}, 1.0, td::Device("sim:0")), y = td::empty({1023}, "sim:1");
  std::vector<float> back(1023);
  const std::size_t bytes = x.nbytes();
  expect_transfers(
      transfers_of([&] { copy_between(x.data_ptr(), x.device(), host.data(), td::kCPU, bytes); }),
      1, bytes, "cpu to sim:0");
  expect_transfers(transfers_of([&] {
                     copy_between(y.data_ptr(), y.device(), x.data_ptr(), x.device(), bytes);
                   }),
                   1, bytes, "sim:0 to sim:1");
  expect_transfers(
      transfers_of([&] { copy_between(back.data(), td::kCPU, y.data_ptr(), y.device(), bytes); }),
      1, bytes, "sim:1 to cpu");
}

TEST_CASE("the copy is on the current stream of the device that makes it", "[copy_between]") {
  need_two();
  const auto x = td::full({31}, 1.0, td::Device("sim:0")), y = td::empty({31}, "sim:1");
  std::vector<float> host(31);
  const td::StreamGuard on0(td::getStreamFromPool("sim:0")), on1(td::getStreamFromPool("sim:1"));
  const auto stream_of = [](const td::Device device) {
    return transfers_of([&] { td::ones({1}).to(device); }).stream;
  };
  const std::string stream0 = stream_of("sim:0"), stream1 = stream_of("sim:1");
  const auto expect_stream = [&](void* to, td::Device to_device, const void* from,
                                 td::Device from_device, const std::string& expected) {
    const std::string got =
        transfers_of([&] { copy_between(to, to_device, from, from_device, 124); }).stream;
    check::expect(got == expected, arrow(from_device, to_device, 124) + ": expected the copy on " +
                                       expected + ", which is the current one; it was on " + got);
  };
  expect_stream(y.data_ptr(), y.device(), x.data_ptr(), x.device(), stream0);
  expect_stream(x.data_ptr(), x.device(), y.data_ptr(), y.device(), stream1);
  expect_stream(host.data(), td::kCPU, x.data_ptr(), x.device(), stream0);
  expect_stream(x.data_ptr(), x.device(), host.data(), td::kCPU, stream0);
}

TEST_CASE("a copy of zero bytes does not wait", "[copy_between]") {
  const td::Device a("sim:0");
  Gate gate(td::getCurrentStream(a), 1000);
  copy_between(nullptr, td::kCPU, nullptr, a, 0);
  copy_between(nullptr, a, nullptr, td::kCPU, 0);
  const bool waited = gate.passed();
  gate.open();
  check::expect(!waited,
                "0 bytes between cpu and sim:0: nothing should happen, but copy_between waited "
                "for the work of sim:0");
}

TEST_CASE("a copy of zero bytes enqueues no work", "[copy_between]") {
  for (const td::Device device : check::devices()) {
    copy_between(nullptr, device, nullptr, td::kCPU, 0);
    copy_between(nullptr, td::kCPU, nullptr, device, 0);
  }
}
