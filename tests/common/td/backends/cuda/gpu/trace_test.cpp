// Traces of a real GPU: work and copies with times by events, launches that come before them.
#include "catch.h"
#include "gpu.h"
#include "td/td.h"

namespace td {
namespace {

using trace::Category;
using trace::SpanRecord;

std::vector<SpanRecord> find(const trace::Trace& seen, Category category, const std::string& name) {
  std::vector<SpanRecord> found;
  for (const SpanRecord& span : seen.spans)
    if (span.category == category && (name.empty() || name == span.name)) found.push_back(span);
  return found;
}

TEST_CASE("kernels and copies of a GPU are in the trace, after their launches") {
  const Tensor host = ones({1 << 20}, TensorOptions().pinned_memory(true));
  static_cast<void>(host.to(gpu::device()).exp());  // the first use of a device takes its time
  synchronize(gpu::device());
  trace::start();
  Tensor x = host.to(gpu::device(), kFloat, true);
  for (int i = 0; i < 10; ++i) x = x.exp();
  const trace::Trace seen = trace::stop();

  const auto kernels = find(seen, Category::kKernel, "exp");
  const auto launches = find(seen, Category::kLaunch, "exp");
  REQUIRE(kernels.size() == 10);
  REQUIRE(launches.size() == 10);
  constexpr std::int64_t kClocks = 200'000;  // nanoseconds; two clocks agree only so far
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(kernels[i].correlation == launches[i].correlation);
    CHECK(kernels[i].begin + kClocks >= launches[i].begin);
    CHECK(kernels[i].end > kernels[i].begin);
    if (i > 0) CHECK(kernels[i].begin >= kernels[i - 1].end);
    CHECK(seen.tracks[kernels[i].track].device == "cuda:0");
  }
  const auto copies = find(seen, Category::kCopy, "Memcpy HtoD (Pinned -> Device)");
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].bytes == 4 << 20);
  CHECK(copies[0].end <= kernels[0].begin);
  CHECK(find(seen, Category::kEngine, "Memcpy HtoD (Pinned -> Device)").size() == 1);
}

TEST_CASE("many launches are all in the trace, and none within a captured graph") {
  const Stream stream = getStreamFromPool(gpu::device());
  const StreamGuard guard(stream);
  const Tensor x = zeros({4}, TensorOptions(gpu::device()));
  stream.synchronize();
  trace::start();
  for (int i = 0; i < 20000; ++i) x.add_(1);
  CHECK(find(trace::stop(), Category::kKernel, "").size() == 20000);
  Graph graph;
  trace::start();
  graph.capture(stream, [&] { x.add_(1); });
  CHECK(find(trace::stop(), Category::kKernel, "").empty());
  CHECK(graph.size() == 1);
}

}  // namespace
}  // namespace td
