// Tests of copy_between: every direction, odd sizes, pinned memory behind a slow link.
#include <cstring>

#include "check_tensors.h"
#include "exercises.h"
#include "sim/sim.h"

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

/// The link at a speed at which a transfer takes 50 ms and more, until the end of the scope.
class SlowLink {
 public:
  SlowLink() : before_(td::sim::link()) { td::sim::set_link({1.0, 50e3}); }
  ~SlowLink() { td::sim::set_link(before_); }
  SlowLink(const SlowLink&) = delete;
  SlowLink& operator=(const SlowLink&) = delete;

 private:
  td::sim::Link before_;
};

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

TEST_CASE("from every device to every other of its kind", "[copy_between]") {
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

TEST_CASE("any number of bytes, and not one more", "[copy_between]") {
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

TEST_CASE("it has arrived when copy_between returns, in pinned memory too", "[copy_between]") {
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
