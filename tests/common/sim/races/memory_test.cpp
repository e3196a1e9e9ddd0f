// Races about memory that changes hands: released too soon for another stream, and used by a stream
// that the memory was not allocated for.
#include "finding.h"

using namespace td;
using test::on;
using test::pairs;
using test::Texts;

namespace {

/// A tensor of the default stream goes while `side` still reads it; its memory is used again.
void reuse_after(const Stream& side, void (*before_it_goes)(const Tensor&, const Stream&)) {
  const void* block = nullptr;
  {
    Tensor x = ones({333}, Device("sim:0"));
    block = x.data_ptr();
    side.wait(getDefaultStream("sim:0"));
    const Tensor y = on(side, [&] { return x.relu(); });
    before_it_goes(x, side);
  }
  // The allocator gives the smallest block that fits; with record_stream perhaps another one.
  const Tensor next = zeros({333}, Device("sim:0"));
  INFO("the same block: " << (next.data_ptr() == block));
}

}  // namespace

TEST_CASE("a tensor freed on a side stream without record_stream is a race") {
  test::Finding finding;
  const Stream side = getStreamFromPool("sim:0");
  empty_cache();
  reuse_after(side, [](const Tensor&, const Stream&) {});
  const auto texts = test::found();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0],
             Catch::StartsWith(
                 "race on sim:0: \"fill\" on the default stream writes 1332 bytes that \"relu\" on "
                 "stream N reads for a tensor that was released meanwhile. Missing: "
                 "tensor.record_stream(streamN) before that tensor goes, so that its memory is not "
                 "handed out too soon."));
}

TEST_CASE("record_stream, or a wait of the stream that owns the memory, is enough") {
  test::Finding finding;
  const Stream side = getStreamFromPool("sim:0");
  empty_cache();
  reuse_after(side, [](const Tensor& x, const Stream& s) { x.record_stream(s); });
  CHECK(pairs().empty());
  // Whether or not the block came back this time.
  synchronize("sim:0");
  const Tensor again = zeros({333}, Device("sim:0"));
  CHECK(pairs().empty());
  reuse_after(side, [](const Tensor&, const Stream& s) { getDefaultStream("sim:0").wait(s); });
  CHECK(pairs().empty());
}

TEST_CASE("an allocator's own polling orders nothing") {
  test::Finding finding;
  const Stream side = getStreamFromPool("sim:0");
  const Tensor x = ones({64}, Device("sim:0"));
  side.wait(getDefaultStream("sim:0"));
  {
    const Tensor y = ones({64}, Device("sim:0"));
    y.record_stream(side);
    on(side, [&] { x.fill_(2); });
  }
  while (!side.query()) continue;
  on(side, [&] { x.fill_(3); });
  for (int i = 0; i < 20; ++i) static_cast<void>(empty({64}, Device("sim:0")));  // polls
  static_cast<void>(x.relu());
  CHECK(pairs() == Texts{"fill, relu"});
}

TEST_CASE("another stream must not fill fresh memory of one stream without a wait") {
  test::Finding finding;
  const Stream side = getStreamFromPool("sim:0");
  empty_cache();
  {
    const Tensor before = ones({333}, Device("sim:0"));
    static_cast<void>(before.relu());
  }
  Tensor x = empty({333}, Device("sim:0"));  // the same block: the default stream works in order
  on(side, [&] { x.fill_(1); });
  const auto texts = test::found();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0], Catch::Contains(" for a tensor that had this memory before, and nothing "
                                       "orders the two. Missing: stream N must wait for the "
                                       "default stream behind \"relu\""));
  x = Tensor();
  side.synchronize();
  side.wait(getDefaultStream("sim:0"));
  Tensor y = empty({333}, Device("sim:0"));
  on(side, [&] { y.fill_(1); });
  CHECK(pairs().empty());
}
