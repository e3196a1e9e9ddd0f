// Errors of queued work: they stay with the stream, cross events, and are reported once per stream.
#include "td/base/error.h"

#include "catch.h"
#include "sim_work.h"

using namespace td;
using test::DeviceArray;
using test::launch;

namespace {

void fail_on(const Stream& stream, const char* name = "gather") {
  launch(name, stream, [] { throw ShapeError("index 7 is out of range for 5 rows"); });
}

const char* const kGatherFailed =
    "gather failed on sim:0: index 7 is out of range for 5 rows. It was queued earlier and runs "
    "beside the host, so the error appears only now; what was queued behind it was not run.";

}  // namespace

TEST_CASE("a failing record is reported at the next synchronization, once") {
  const Stream stream = getStreamFromPool("sim:0");
  DeviceArray<int> value("sim:0", 1);
  int* v = value.kernel();
  launch("set", stream, [v] { *v = 1; });
  fail_on(stream);
  launch("set again", stream, [v] { *v = 2; });
  fail_on(stream, "second failure");  // the first error is the cause; it wins
  CHECK_THROWS_WITH(stream.synchronize(), kGatherFailed);
  stream.synchronize();  // the stream works again
  CHECK(value.values(stream)[0] == 1);
  launch("set again", stream, [v] { *v = 3; });
  CHECK(value.values(stream)[0] == 3);
}

TEST_CASE("an error passes through an event to the stream that waits") {
  const Stream a = getStreamFromPool("sim:0"), b = getStreamFromPool("sim:1");
  fail_on(a);
  b.wait(a);
  bool ran = false;
  bool* r = &ran;
  launch("behind", b, [r] { *r = true; });
  CHECK_THROWS_WITH(b.synchronize(), kGatherFailed);
  CHECK_FALSE(ran);
  b.synchronize();
  CHECK_THROWS_WITH(a.synchronize(), kGatherFailed);  // each stream reports it, as neither worked
  a.synchronize();
}

TEST_CASE("waiting for an event reports the error, and the stream keeps it") {
  const Stream stream = getStreamFromPool("sim:0");
  Event event(kSIM);
  fail_on(stream);
  event.record(stream);
  CHECK_THROWS_AS(event.synchronize(), AsyncError);
  CHECK(event.query());
  CHECK_THROWS_AS(stream.synchronize(), AsyncError);
  event.record(stream);
  event.synchronize();
}

TEST_CASE("device synchronization and copies to the host report errors too") {
  const Stream stream = getStreamFromPool("sim:0");
  DeviceArray<float> small("sim:0", 4), large("sim:0", 1 << 20);
  fail_on(stream);
  CHECK_THROWS_WITH(synchronize("sim:0"), kGatherFailed);
  synchronize("sim:0");
  fail_on(stream);
  CHECK_THROWS_WITH(small.values(stream), kGatherFailed);
  fail_on(stream);
  CHECK_THROWS_WITH(large.values(stream), kGatherFailed);
  CHECK_NOTHROW(large.values(stream));
  fail_on(stream);
  std::vector<float> host(1 << 20);
  CHECK_NOTHROW(large.upload(host.data(), stream));  // an asynchronous call does not report
  CHECK_THROWS_AS(stream.synchronize(), AsyncError);
}

TEST_CASE("a thrown value need not be an exception class") {
  const Stream stream = getStreamFromPool("sim:0");
  launch("odd", stream, [] { throw 7; });
  CHECK_THROWS_WITH(stream.synchronize(),
                    Catch::StartsWith("odd failed on sim:0: it threw something that is no "));
}
