// Races of captured work: within a graph when it is captured, with the rest of the program when it
// is replayed.
#include "finding.h"
#include "td/device/graph.h"

using namespace td;
using test::on;
using test::pairs;
using test::Texts;

TEST_CASE("a replay is compared with the rest of the program, a capture is not") {
  test::Finding finding;
  const Stream stream = getStreamFromPool("sim:0"), other = getStreamFromPool("sim:0");
  const Tensor x = on(stream, [] { return ones({100}, Device("sim:0")); });
  other.wait(stream);
  Graph graph;
  Tensor y;
  graph.capture(stream, [&] { y = x.relu().mul_(2); });
  on(other, [&] { x.fill_(2); });  // nothing of the capture has run
  CHECK(pairs().empty());
  on(stream, [&] { graph.replay(); });
  CHECK(pairs() == Texts{"fill, relu"});
  other.wait(stream);
  on(other, [&] { x.fill_(3); });
  stream.wait(other);
  on(stream, [&] { graph.replay(); });
  CHECK(pairs().empty());
  static_cast<void>(on(other, [&] { return y.sum(); }));
  CHECK(pairs() == Texts{"mul, sum"});
  synchronize("sim:0");
}

TEST_CASE("streams of one capture race as they would without it") {
  test::Finding finding;
  const Stream stream = getStreamFromPool("sim:0"), side = getStreamFromPool("sim:0");
  const Tensor x = on(stream, [] { return ones({100}, Device("sim:0")); });
  synchronize("sim:0");
  const auto capture = [&](bool ordered) {
    Graph graph;
    graph.capture(stream, [&] {
      side.wait(stream);
      x.mul_(2);
      if (ordered) side.wait(stream);
      on(side, [&] { x.add_(1); });
      stream.wait(side);
    });
    on(stream, [&] { graph.replay(); });
    stream.synchronize();
    return pairs();
  };
  CHECK(capture(/*ordered=*/true).empty());
  CHECK(capture(/*ordered=*/false) == Texts{"mul, add"});
}
