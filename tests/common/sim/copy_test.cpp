// Copies of sim: every direction and size, pinned against pageable, overlap with kernels, the link.
#include <chrono>
#include <numeric>

#include "catch.h"
#include "sim_work.h"
#include "td/base/error.h"

using namespace td;
using test::DeviceArray;
using test::Gate;
using test::launch;
using Clock = std::chrono::steady_clock;

namespace {

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// The given link until the end of the scope.
struct WithLink {
  explicit WithLink(sim::Link link) : before(sim::link()) { sim::set_link(link); }
  ~WithLink() { sim::set_link(before); }
  sim::Link before;
};

template <class T>
struct Pinned {
  explicit Pinned(std::size_t n)
      : count(n), data(static_cast<T*>(pinned_allocator(kSIM).allocate(n * sizeof(T)))) {}
  ~Pinned() { pinned_allocator(kSIM).release(data, count * sizeof(T)); }
  std::size_t count;
  T* data;
};

}  // namespace

TEST_CASE("values survive the copy to the device and back, in every size and kind of memory") {
  const Stream stream = getStreamFromPool("sim:0");
  for (std::size_t n : {1u, 31u, 1023u, 16384u, 16385u, 262144u, 262145u, 1000003u}) {
    std::vector<std::uint32_t> host(n);
    std::iota(host.begin(), host.end(), static_cast<std::uint32_t>(n));
    DeviceArray<std::uint32_t> there("sim:0", n), other("sim:1", n), copy("sim:0", n);
    there.upload(host.data(), stream);
    auto& sim = backend(kSIM);
    sim.copy(other.data(), other.device(), there.data(), there.device(), there.bytes(), 0,
             stream.native());
    sim.copy(copy.data(), copy.device(), other.data(), other.device(), there.bytes(), 0,
             stream.native());
    CHECK(copy.values(stream) == host);
    Pinned<std::uint32_t> pinned(n);
    copy.download(pinned.data, stream);
    stream.synchronize();
    CHECK(std::equal(host.begin(), host.end(), pinned.data));
    std::fill_n(pinned.data, n, 7u);
    copy.upload(pinned.data, stream);
    CHECK(copy.values(stream) == std::vector<std::uint32_t>(n, 7u));
  }
}

TEST_CASE("a pageable source may change as soon as the copy returns") {
  const Stream stream = getStreamFromPool("sim:0");
  for (std::size_t n : {std::size_t{8}, std::size_t{16384}, std::size_t{500000}}) {
    DeviceArray<int> there("sim:0", n);
    std::vector<int> host(n, 5);
    Gate gate;
    if (n * sizeof(int) <= (64 << 10)) gate.hold(stream);  // small sources wait aside
    there.upload(host.data(), stream);
    std::fill(host.begin(), host.end(), 6);
    gate.open();
    CHECK(there.values(stream) == std::vector<int>(n, 5));
  }
}

TEST_CASE("a pinned copy returns immediately; a large pageable copy blocks the host") {
  const WithLink slow({1.0, 10});
  const Stream stream = getStreamFromPool("sim:0");
  constexpr std::size_t kBytes = 32 << 20;  // 33 ms
  DeviceArray<char> there("sim:0", kBytes);
  Pinned<char> pinned(kBytes);
  std::memset(pinned.data, 1, kBytes);
  std::vector<char> pageable(kBytes, 2);
  CHECK(is_pinned_memory(pinned.data + kBytes / 2));
  CHECK_FALSE(is_pinned_memory(pageable.data()));

  auto begin = Clock::now();
  there.upload(pageable.data(), stream);
  CHECK(milliseconds_since(begin) > 25);
  stream.synchronize();

  Gate gate;
  gate.hold(stream);
  there.upload(pinned.data, stream);  // would never return if the host took part
  CHECK_FALSE(stream.query());
  begin = Clock::now();
  gate.open();
  stream.synchronize();
  CHECK(milliseconds_since(begin) > 30);
}

TEST_CASE("copies run concurrently with kernels, with one engine per direction") {
  const WithLink slow({1.0, 10});
  const Stream compute = getStreamFromPool("sim:0");
  const Stream up = getStreamFromPool("sim:0"), up2 = getStreamFromPool("sim:0");
  constexpr std::size_t kBytes = 16 << 20;  // 17 ms
  DeviceArray<char> a("sim:0", kBytes), b("sim:0", kBytes);
  Pinned<char> from(kBytes), from2(kBytes);
  Gate gate;
  gate.hold(compute);
  gate.wait_until_held();
  a.upload(from.data, up);
  up.synchronize();  // done while the kernel still runs
  CHECK_FALSE(compute.query());
  gate.open();

  auto begin = Clock::now();
  a.upload(from.data, up);
  b.upload(from2.data, up2);
  up.synchronize();
  up2.synchronize();
  CHECK(milliseconds_since(begin) > 32);  // one after another
}

TEST_CASE("the two directions of the link run concurrently") {
  const WithLink slow({100, 200000});  // 0.2 s of latency and hardly any bytes
  const Stream up = getStreamFromPool("sim:0"), down = getStreamFromPool("sim:0");
  DeviceArray<char> a("sim:0", 100), b("sim:0", 100);
  Pinned<char> from(100), to(100);
  Event begun(kSIM, EventFlag::kTiming), up_done(kSIM, EventFlag::kTiming);
  Event down_done(kSIM, EventFlag::kTiming);
  begun.record(up);
  a.upload(from.data, up);
  b.download(to.data, down);
  up_done.record(up);
  down_done.record(down);
  up.synchronize();
  down.synchronize();
  CHECK(begun.elapsed_time(up_done) >= 200);
  // Had they queued, the later one would have taken 400.
  CHECK(std::max(begun.elapsed_time(up_done), begun.elapsed_time(down_done)) < 390);
}

TEST_CASE("the link's latency is paid per copy, and its settings are checked") {
  const Stream stream = getStreamFromPool("sim:0");
  DeviceArray<float> there("sim:0", 1);
  float value = 0;
  {
    const WithLink slow({100, 2000});
    const auto begin = Clock::now();
    for (int i = 0; i < 10; ++i) there.download(&value, stream);
    CHECK(milliseconds_since(begin) >= 20);
  }
  CHECK_THROWS_WITH(sim::set_link({0, 1}),
                    "set_link: a link needs a positive bandwidth and a latency of 0 or more, not 0 "
                    "GB/s and 1 us.");
  CHECK_THROWS_AS(sim::set_link({1, -1}), Error);
  CHECK_THROWS_AS(sim::set_launch_cost(-1), Error);
}
