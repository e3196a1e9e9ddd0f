// Races between the host and a copy from or to pinned memory, which runs while the host continues.
#include "finding.h"

using namespace td;
using test::on;
using test::pairs;
using test::Texts;

namespace {

/// The host's end of a copy, both on a stream of their own.
struct Slot {
  test::Finding finding;
  Stream stream = getStreamFromPool("sim:0");
  Tensor host = ones({1024}).pin_memory();
  Tensor device = on(stream, [] { return zeros({1024}, Device("sim:0")); });
  void up() {
    on(stream, [&] { device.copy_(host, /*non_blocking=*/true); });
  }
  void down() {
    on(stream, [&] { host.copy_(device, /*non_blocking=*/true); });
  }
};

}  // namespace

TEST_CASE("refilling a pinned source while its copy may be in flight is a race") {
  Slot slot;
  slot.up();
  slot.host.fill_(2);
  CHECK(test::found() ==
        Texts{"race in pinned memory: \"fill\" on the host writes 4096 bytes that \"copy\" on "
              "stream N of sim:0 reads, and nothing orders the two. Missing: the host must wait "
              "for \"copy\": streamN.synchronize(), or event.synchronize() of an event recorded "
              "behind it."});
}

TEST_CASE("reading a pinned target while its copy may be in flight is a race") {
  Slot slot;
  slot.down();
  SECTION("by an operation") { static_cast<void>(slot.host.sum()); }
  SECTION("by item()") { static_cast<void>(slot.host[3].item()); }
  SECTION("by copying it elsewhere") { static_cast<void>(slot.host.clone()); }
  SECTION("by a copy to another device") {
    static_cast<void>(slot.host.to("sim:1", kFloat32, /*non_blocking=*/true));
  }
  REQUIRE(test::found().size() == 1);
}

TEST_CASE("a host that waits, or only reads what the copy reads, is no race") {
  Slot slot;
  slot.up();
  CHECK(slot.host[0].item<float>() == 1);
  CHECK(slot.host.sum().item<float>() == 1024);
  CHECK(pairs().empty());
  Event copied(kSIM);
  copied.record(slot.stream);
  copied.synchronize();
  slot.host.fill_(2);
  slot.down();
  slot.stream.synchronize();
  CHECK(slot.host[0].item<float>() == 1);
  slot.up();
  synchronize("sim:0");
  slot.host.fill_(3);
  CHECK(pairs().empty());
}

TEST_CASE("an event recorded before the copy does not protect the slot") {
  Slot slot;
  Event copied(kSIM);
  copied.record(slot.stream);
  slot.up();
  copied.synchronize();
  slot.host.fill_(2);
  CHECK(pairs() == Texts{"copy, fill"});
}

TEST_CASE("a blocking copy, or one of pageable memory, leaves nothing to wait for") {
  Slot slot;
  on(slot.stream, [&] { slot.device.copy_(slot.host); });
  slot.host.fill_(2);
  Tensor pageable = ones({1024});
  on(slot.stream, [&] { slot.device.copy_(pageable, /*non_blocking=*/true); });
  pageable.fill_(3);
  on(slot.stream, [&] { pageable.copy_(slot.device, /*non_blocking=*/true); });
  CHECK(pageable.sum().item<float>() == 1024);
  CHECK(pairs().empty());
}

TEST_CASE("the host may change a number again immediately after a kernel got it") {
  Slot slot;
  for (const Tensor& number : {ones({}), ones({}).pin_memory()}) {
    static_cast<void>(on(slot.stream, [&] { return slot.device * number; }));
    number.fill_(3);
  }
  CHECK(pairs().empty());
}

TEST_CASE("pinned memory that is freed during its copy is kept until the copy is done") {
  Slot slot;
  for (int i = 0; i < 10; ++i) {
    slot.host = full({1024}, double(i)).pin_memory();
    slot.up();
  }
  CHECK(pairs().empty());
  slot.stream.synchronize();
}
