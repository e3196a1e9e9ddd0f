// Graphs on a real GPU: the rules of sim (tests/common/td/device/graphs), by CUDA.
#include "catch.h"
#include "gpu.h"
#include "td/base/error.h"
#include "td/td.h"

namespace td {
namespace {

namespace F = nn::functional;
using List = std::vector<float>;

List values(const Tensor& t) {
  const Tensor host = t.detach().cpu().contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

Tensor on_gpu(const List& numbers) { return tensor(numbers).to(gpu::device()); }

TEST_CASE("a graph runs at each replay, on what its inputs hold then") {
  const Stream stream = getStreamFromPool(gpu::device()), side = getStreamFromPool(gpu::device());
  const StreamGuard guard(stream);
  const Tensor x = on_gpu({1, 2}), a = on_gpu({0, 0});
  Tensor y;
  stream.synchronize();
  Graph graph;
  graph.capture(stream, [&] {
    y = x * 10 + 1;
    side.wait(stream);
    {
      StreamGuard there(side);
      a.copy_(x).mul_(100);
    }
    stream.wait(side);
    y.add_(a);
  });
  CHECK(values(a) == List{0, 0});
  CHECK(graph.size() > 0);
  for (float v : {1.0f, 3.0f}) {
    x.copy_(tensor(List{v, 2 * v}));
    graph.replay();
    CHECK(values(y) == List{110 * v + 1, 220 * v + 1});
  }
}

TEST_CASE("work that a CUDA graph cannot hold is a clear error, and the stream still works") {
  const Stream stream = getStreamFromPool(gpu::device()), side = getStreamFromPool(gpu::device());
  const StreamGuard guard(stream);
  const Tensor x = on_gpu({1});
  Graph graph;
  const auto refused = [&](const std::function<void()>& work, const std::string& text) {
    CHECK_THROWS_WITH(graph.capture(stream, work), Catch::Contains(text));
    CHECK(values(x + 1) == List{2});
  };
  refused([&] { x.item(); }, "item: not while a graph is captured");
  refused([&] { x.cpu(); }, "The host's side is pageable memory");
  refused([&] {}, "the graph is empty");
  refused(
      [&] {
        x.add_(1);
        side.wait(stream);
        const StreamGuard there(side);
        x.add_(1);
      },
      "joined the capture");
}

// Long sums are split over the GPU, and the pieces are added in work memory of cuBLAS: a graph's
// must not be that of the products that run meanwhile.
TEST_CASE("a replay on one stream leaves the products of the captured stream alone") {
  const Stream stream = getStreamFromPool(gpu::device()), other = getStreamFromPool(gpu::device());
  const StreamGuard guard(stream);
  const auto numbers = [](double step) {
    return arange(0, 64 * 65536, TensorOptions(kFloat)).mul(step).sin().to(gpu::device());
  };
  const Tensor a = numbers(0.37).view({64, 65536}), b = numbers(0.11).view({65536, 64});
  const Tensor c = numbers(0.53).view({64, 65536}), d = numbers(0.29).view({65536, 64});
  const List ab = values(mm(a, b)), cd = values(mm(c, d));
  Graph graph;
  Tensor replayed;
  graph.capture(stream, [&] { replayed = mm(a, b); });
  for (int i = 0; i < 20; ++i) {
    Tensor eager;
    for (int j = 0; j < 20; ++j) {
      {
        const StreamGuard there(other);
        graph.replay();
      }
      eager = mm(c, d);
    }
    other.synchronize();
    CHECK(values(eager) == cd);
    CHECK(values(replayed) == ab);
  }
}

/// The losses of ten steps; a graph replays all but the first three.
List train(bool with_graph) {
  const Stream stream = getStreamFromPool(gpu::device());
  const StreamGuard guard(stream);
  manual_seed(3);
  nn::Sequential net(nn::Linear(20, 32), nn::ReLU(), nn::Dropout(0.2), nn::Linear(32, 5));
  net->to(gpu::device());
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.05).capturable(true));
  const Tensor x = empty({16, 20}, TensorOptions(gpu::device()));
  const Tensor y = arange(0, 16, TensorOptions(kLong)).remainder(5).to(gpu::device());
  Tensor loss;
  const auto step = [&] {
    adam.zero_grad();
    loss = F::cross_entropy(net->forward(x), y);
    loss.backward();
    adam.step();
  };
  List losses;
  Graph graph;
  for (int i = 0; i < 10; ++i) {
    x.copy_(arange(0, 320, TensorOptions(kFloat)).mul(0.37 + i).sin().view({16, 20}));
    if (i == 7) adam.param_groups()[0].options().set_lr(0.01);
    if (!with_graph || i < 3) {
      step();
    } else {
      if (graph.size() == 0) graph.capture(stream, step);
      graph.replay();
    }
    losses.push_back(loss.item<float>());
  }
  return losses;
}

TEST_CASE("a captured training step on a GPU gives the bits of the step without a graph") {
  const List eager = train(false);
  CHECK(eager == train(true));
  CHECK(eager.front() != eager.back());
}

}  // namespace
}  // namespace td
