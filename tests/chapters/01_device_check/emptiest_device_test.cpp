// Tests of emptiest_device: memory of tensors, cached memory, and memory of "another process",
// which is allocated past the caching allocator.
#include "check_devices.h"
#include "exercises.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
const td::Device kSim0("sim:0"), kSim1("sim:1");

/// Memory of a tensor, until the end of the scope.
class Live {
 public:
  Live(td::Device device, std::size_t mib, std::size_t more_bytes = 0)
      : device_(device),
        bytes_(mib * kMiB + more_bytes),
        data_(td::allocator(device).allocate(bytes_)) {}
  ~Live() { td::allocator(device_).release(data_, bytes_); }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

 private:
  td::Device device_;
  std::size_t bytes_;
  void* data_;
};

/// Memory that the caching allocator does not know, like that of another process.
class Foreign {
 public:
  Foreign(td::Device device, std::size_t mib)
      : index_(device.index()), data_(td::backend(td::kSIM).allocate(index_, mib * kMiB)) {}
  ~Foreign() { td::backend(td::kSIM).release(index_, data_); }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

 private:
  int index_;
  void* data_;
};

/// Leaves `mib` in the cache of a device.
void cache(td::Device device, std::size_t mib) { const Live live(device, mib); }

/// Two devices with as many free bytes, and bytes in all, as a test says.
struct TwoSizes : td::Backend {
  int device_count() const override { return 2; }
  void memory(int index, std::size_t* free, std::size_t* total) const override {
    *free = free_bytes[index];
    *total = all_bytes[index];
  }
  std::size_t free_bytes[2], all_bytes[2];
};

/// Until the end of the scope, they are cuda:0 and cuda:1.
class Invented {
 public:
  Invented(std::size_t free0, std::size_t all0, std::size_t free1, std::size_t all1) {
    // An allocator keeps the backend that it was made with, so GPUs make theirs before.
    for (int i = 0; i < td::device_count(td::kCUDA); ++i)
      td::memory_stats(td::Device(td::kCUDA, i));
    td::empty_cache();
    static TwoSizes two;
    two.free_bytes[0] = free0, two.free_bytes[1] = free1;
    two.all_bytes[0] = all0, two.all_bytes[1] = all1;
    td::RegisterBackend(td::kCUDA, two);
  }
  ~Invented() { td::RegisterBackend(td::kCUDA, before_); }
  Invented(const Invented&) = delete;
  Invented& operator=(const Invented&) = delete;

 private:
  td::Backend& before_ = td::backend(td::kCUDA);
};

void start_empty() {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
  td::empty_cache();
}

void expect_emptiest(const std::vector<td::Device>& devices, td::Device expected,
                     const std::string& what) {
  const td::Device got = emptiest_device(devices);
  check::expect(got == expected, what + ": expected " + expected.str() + ", got " + got.str());
}

void expect_either_order(td::Device expected, const std::string& what) {
  expect_emptiest({kSim0, kSim1}, expected, what);
  expect_emptiest({kSim1, kSim0}, expected, what + ", sim:1 listed first");
}

}  // namespace

TEST_CASE("the device without a tensor", "[emptiest_device]") {
  start_empty();
  {
    const Live live(kSim0, 64);
    expect_either_order(kSim1, "a tensor of 64 MiB on sim:0");
  }
  td::empty_cache();
  const Live live(kSim1, 64);
  expect_either_order(kSim0, "a tensor of 64 MiB on sim:1");
}

TEST_CASE("the smaller of two tensors", "[emptiest_device]") {
  start_empty();
  const Live a(kSim0, 32), b(kSim1, 48);
  expect_either_order(kSim0, "32 MiB on sim:0, 48 MiB on sim:1");
}

TEST_CASE("every byte counts", "[emptiest_device]") {
  start_empty();
  const Live small(kSim0, 0, 4096);
  expect_either_order(kSim1, "a tensor of 4 KiB on sim:0, nothing on sim:1");
  const Live large(kSim1, 0, 8192);
  expect_either_order(kSim0, "a tensor of 4 KiB on sim:0, one of 8 KiB on sim:1");
}

TEST_CASE("among equal devices the first in the list", "[emptiest_device]") {
  start_empty();
  expect_emptiest({kSim0, kSim1}, kSim0, "nothing allocated");
  expect_emptiest({kSim1, kSim0}, kSim1, "nothing allocated, sim:1 listed first");
}

TEST_CASE("only devices in the list are candidates", "[emptiest_device]") {
  start_empty();
  const Live live(kSim0, 64);
  expect_emptiest({kSim0}, kSim0, "sim:0 is the only device of the list");
}

TEST_CASE("cached memory that no tensor uses counts as free", "[emptiest_device]") {
  start_empty();
  cache(kSim1, 96);
  const Live live(kSim0, 24);
  expect_either_order(kSim1, "24 MiB in a tensor on sim:0; 96 MiB cached on sim:1, unused");
}

TEST_CASE("all cached pieces count, not only the largest", "[emptiest_device]") {
  start_empty();
  { const Live a(kSim1, 40), b(kSim1, 40); }
  const Live live(kSim0, 24);
  expect_either_order(kSim1, "24 MiB in a tensor on sim:0; two cached pieces of 40 MiB on sim:1");
}

TEST_CASE("cached memory is not counted as free twice", "[emptiest_device]") {
  start_empty();
  cache(kSim0, 96);
  const Live a(kSim0, 40), b(kSim1, 24);
  expect_either_order(kSim1,
                      "40 MiB in a tensor on sim:0, which also has cached memory; 24 MiB in a "
                      "tensor on sim:1");
}

TEST_CASE("memory of other processes is not free", "[emptiest_device]") {
  start_empty();
  const Foreign other(kSim0, 96);
  const Live live(kSim1, 48);
  expect_either_order(kSim1, "96 MiB on sim:0 of another process; 48 MiB in a tensor on sim:1");
}

TEST_CASE("emptiest_device changes nothing", "[emptiest_device]") {
  start_empty();
  cache(kSim0, 64);
  const Live live(kSim1, 32);
  const td::DeviceGuard guard(kSim1);
  const auto before0 = td::memory_stats(kSim0), before1 = td::memory_stats(kSim1);
  emptiest_device({kSim0, kSim1});
  emptiest_device({kSim1, kSim0});
  const auto after0 = td::memory_stats(kSim0), after1 = td::memory_stats(kSim1);
  check::expect(
      before0.allocations == after0.allocations && before1.allocations == after1.allocations,
      "memory was allocated; it is enough to query the numbers");
  check::expect(before0.reserved == after0.reserved && before1.reserved == after1.reserved,
                "the caching allocator should hold as much memory as before: look for empty_cache");
  check::expect(td::current_device(td::kSIM) == 1,
                "sim:1 was the current sim device before the call, and is not afterwards: look for "
                "set_device");
}

TEST_CASE("an empty list is an error", "[emptiest_device]") {
  check::expect_throws<td::DeviceError>([] { emptiest_device({}); }, {}, "an empty list");
}

TEST_CASE("free bytes count, not the part of a device that is free", "[emptiest_device]") {
  const Invented devices(8704 * kMiB, 81920 * kMiB, 5120 * kMiB, 8192 * kMiB);
  expect_emptiest({"cuda:0", "cuda:1"}, "cuda:0",
                  "8.5 of 80 GiB are free on cuda:0, 5 of 8 GiB on cuda:1 (invented devices)");
}

TEST_CASE("every byte counts on large devices, too", "[emptiest_device]") {
  const std::size_t all = 81920 * kMiB;
  const Invented devices(all - 1024, all, all - 512, all);
  expect_emptiest({"cuda:0", "cuda:1"}, "cuda:1",
                  "all but 1024 bytes of 80 GiB are free on cuda:0, all but 512 on cuda:1 "
                  "(invented devices; a float does not hold such numbers exactly)");
}
