// The classic mistakes with pinned memory and streams: what goes wrong without the wait, that the
// finder reports it, and that the fix works. A gate holds the stream, so that each mistake has its
// effect every time.
#include <algorithm>

#include "finding.h"
#include "sim_work.h"

using namespace td;
using test::Gate;
using test::on;
using test::pairs;
using test::Texts;

namespace {

/// `tensor`'s first value as the host finds it in memory now.
float raw(const Tensor& tensor) { return *tensor.data_ptr<float>(); }

struct Hazard {
  test::Finding finding;
  Stream stream = getStreamFromPool("sim:0");
  Gate gate;  // last, so that it opens before the streams are waited for
};

}  // namespace

TEST_CASE("a result that is read before it has arrived") {
  Hazard h;
  const Tensor result = on(h.stream, [] { return full({1000}, 7.0, Device("sim:0")); });
  const Tensor host = zeros({1000}).pin_memory();
  h.gate.hold(h.stream);
  on(h.stream, [&] { host.copy_(result, /*non_blocking=*/true); });
  SECTION("without a wait the host finds the old contents") {
    CHECK(raw(host) == 0);
    CHECK(host[0].item<float>() == 0);
    CHECK(pairs() == Texts{"copy, item"});
  }
  SECTION("after a wait the host finds the result") {
    h.gate.open();
    h.stream.synchronize();
    CHECK(host[0].item<float>() == 7);
    CHECK(host.sum().item<float>() == 7000);
    CHECK(pairs().empty());
  }
}

TEST_CASE("a non-blocking to(cpu) returns page-locked memory, which is filled later") {
  Hazard h;
  const Tensor result = on(h.stream, [] { return full({1000}, 7.0, Device("sim:0")); });
  h.gate.hold(h.stream);
  const Tensor host =
      on(h.stream, [&] { return result.to("cpu", kFloat32, /*non_blocking=*/true); });
  CHECK(host.is_pinned());
  static_cast<void>(host.sum());
  CHECK(pairs() == Texts{"copy, sum"});
  h.gate.open();
  h.stream.synchronize();
  CHECK(host.sum().item<float>() == 7000);
  CHECK(pairs().empty());
  CHECK_FALSE(result.to("cpu").is_pinned());
  CHECK_FALSE(result.cpu().is_pinned());
}

TEST_CASE("a staging buffer that is refilled while its copy is in flight") {
  Hazard h;
  const Tensor staging = ones({1000}).pin_memory();
  h.gate.hold(h.stream);
  const Tensor batch =
      on(h.stream, [&] { return staging.to("sim:0", kFloat32, /*non_blocking=*/true); });
  SECTION("without a wait the device gets the next batch") {
    staging.fill_(2);
    CHECK(pairs() == Texts{"copy, fill"});
    h.gate.open();
    h.stream.synchronize();
    CHECK(on(h.stream, [&] { return batch.mean().item<float>(); }) == 2);
  }
  SECTION("an event after the copy tells when the buffer may be refilled") {
    Event copied(kSIM);
    copied.record(h.stream);
    h.gate.open();
    copied.synchronize();
    staging.fill_(2);
    CHECK(on(h.stream, [&] { return batch.mean().item<float>(); }) == 1);
    CHECK(pairs().empty());
  }
}

TEST_CASE("a non-contiguous pinned source is packed into pageable memory") {
  Hazard h;
  const Tensor whole = ones({2000}).pin_memory();
  const Tensor every_second = whole.slice(0, 0, 2000, 2);
  CHECK(every_second.is_pinned());
  h.gate.hold(h.stream);
  const Tensor batch =
      on(h.stream, [&] { return every_second.to("sim:0", kFloat32, /*non_blocking=*/true); });
  // The values were read before the call returned: it is safe to refill, and nothing overlapped.
  whole.fill_(2);
  h.gate.open();
  CHECK(on(h.stream, [&] { return batch.mean().item<float>(); }) == 1);
  CHECK_FALSE(every_second.contiguous().is_pinned());
  CHECK(pairs().empty());
}

TEST_CASE("a tensor that is freed while a side stream still reads it") {
  Hazard h;
  empty_cache();
  Tensor x = ones({1000}, Device("sim:0"));
  const void* block = x.data_ptr();
  h.stream.wait(getDefaultStream("sim:0"));
  h.gate.hold(h.stream);
  const Tensor y = on(h.stream, [&] { return x.relu(); });
  SECTION("without record_stream its memory is another tensor's before it is read") {
    x = Tensor();
    const Tensor next = full({1000}, 5.0, Device("sim:0"));
    REQUIRE(next.data_ptr() == block);
    getDefaultStream("sim:0").synchronize();
    CHECK(pairs() == Texts{"relu, fill"});
    h.gate.open();
    CHECK(on(h.stream, [&] { return y.mean().item<float>(); }) == 5);
  }
  SECTION("with record_stream its memory is kept") {
    x.record_stream(h.stream);
    x = Tensor();
    const Tensor next = full({1000}, 5.0, Device("sim:0"));
    CHECK(next.data_ptr() != block);
    getDefaultStream("sim:0").synchronize();
    h.gate.open();
    CHECK(on(h.stream, [&] { return y.mean().item<float>(); }) == 1);
    CHECK(pairs().empty());
  }
}

TEST_CASE("a side stream that reads before the producer has finished") {
  Hazard h;
  const Tensor x = zeros({1000}, Device("sim:0"));
  synchronize("sim:0");
  h.gate.hold(getDefaultStream("sim:0"));
  x.fill_(3);
  SECTION("without a wait the side stream finds the old values") {
    CHECK(on(h.stream, [&] { return x.mean().item<float>(); }) == 0);
    CHECK(pairs() == Texts{"fill, sum"});
  }
  SECTION("after an event the side stream finds the new values") {
    h.stream.wait(getDefaultStream("sim:0"));
    h.gate.open();
    CHECK(on(h.stream, [&] { return x.mean().item<float>(); }) == 3);
    CHECK(pairs().empty());
  }
}

TEST_CASE("with a slow link a part of the old values is visible while a copy is in flight") {
  test::Finding finding;
  const sim::Link before = sim::link();
  sim::set_link({10, 500000});  // half a second before the first byte arrives
  const Stream stream = getStreamFromPool("sim:0");
  const Tensor result = on(stream, [] { return ones({10}, Device("sim:0")); });
  const Tensor host = zeros({10}).pin_memory();
  on(stream, [&] { host.copy_(result, /*non_blocking=*/true); });
  CHECK(raw(host) == 0);
  stream.synchronize();
  CHECK(raw(host) == 1);
  sim::set_link(before);
  CHECK(pairs().empty());  // what goes through data_ptr() the finder cannot see
}
