// Tests of repair_read: the order of the scores, and each of the three waits that the program
// needs, with a stream that is held up or a slow link.
#include "exercises.h"
#include "host_waits.h"
#include "streams.h"

namespace {

/// Batches with these numbers of rows and 5 features, in which every value is another integer.
std::vector<td::Tensor> batches_of(const std::vector<std::int64_t>& rows, int first) {
  std::vector<td::Tensor> batches;
  for (const std::int64_t n : rows) {
    batches.push_back(td::arange(first, first + 5 * n, td::kFloat).view({n, 5}));
    first += static_cast<int>(5 * n);
  }
  return batches;
}

td::Tensor weight_of(int classes) {
  return td::arange(1, 1 + 5 * classes, td::kFloat).view({5, classes});
}

/// Fails unless `got` has the products, computed here on the host.
void expect_scores(const std::vector<std::vector<float>>& got,
                   const std::vector<td::Tensor>& batches, int classes, const std::string& what) {
  check::expect(got.size() == batches.size(), what + ": " + std::to_string(batches.size()) +
                                                  " batches, but scores of " +
                                                  std::to_string(got.size()));
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const std::int64_t rows = batches[i].size(0);
    const float* x = batches[i].data_ptr<float>();
    std::vector<double> expected;
    for (int c = 0; c < classes; ++c)
      for (std::int64_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (int f = 0; f < 5; ++f)
          sum += static_cast<double>(x[r * 5 + f]) * (1 + f * classes + c);
        expected.push_back(sum);
      }
    check::expect(got[i].size() == expected.size(),
                  "batch " + std::to_string(i) + " has " + std::to_string(rows) + " rows and " +
                      std::to_string(classes) + " classes, so " + std::to_string(expected.size()) +
                      " scores; got " + std::to_string(got[i].size()));
    check::expect_close(
        std::vector<double>(got[i].begin(), got[i].end()), expected, 0,
        "batch " + std::to_string(i) + " of " + std::to_string(batches.size()) + ", " + what);
  }
}

}  // namespace

TEST_CASE("the scores are class by class on every device", "[repair_read]") {
  int first = 1;
  for (const td::Device device : check::devices()) {
    if (device.is_cpu()) continue;
    for (const int classes : {1, 3})
      for (const std::int64_t rows : {1, 2, 31}) {
        const auto batches = batches_of({rows}, first += 7);
        expect_scores(read_scores(batches, weight_of(classes).to(device)), batches, classes,
                      std::to_string(rows) + " rows and " + std::to_string(classes) +
                          " classes on " + device.str() +
                          " (in which order are the elements in memory, and have they arrived?)");
      }
  }
}

TEST_CASE("the scores have arrived when the host reads them", "[repair_read]") {
  const td::Device device("sim:0");
  const auto weight = weight_of(3).to(device);
  for (const bool default_stream : {true, false}) {
    const td::StreamGuard guard(default_stream ? td::getDefaultStream(device)
                                               : td::getStreamFromPool(device));
    const auto batches = batches_of({4}, default_stream ? 200 : 300);
    std::vector<std::vector<float>> got;
    {
      const Gate gate(td::getCurrentStream(device));  // opens after 300 ms
      got = read_scores(batches, weight);
    }
    expect_scores(got, batches, 3,
                  std::string("while earlier work of the current stream, ") +
                      (default_stream ? "the default stream" : "a stream from the pool") +
                      ", was pending (had the copy to the host finished before you read it?)");
  }
}

TEST_CASE("each batch has its own scores", "[repair_read]") {
  const td::Device device("sim:0");
  const auto weight = weight_of(3).to(device);
  const SlowLink slow;
  const auto batches = batches_of({5, 5, 3, 5, 1}, 400);
  expect_scores(read_scores(batches, weight), batches, 3,
                "with a link of 50 ms (which memory does a pending copy still read?)");
}

TEST_CASE("the product waits for the copy of its batch", "[repair_read]") {
  const td::Device device("sim:0");
  const auto weight = weight_of(3).to(device);
  for (const bool default_stream : {true, false}) {
    const td::StreamGuard guard(default_stream ? td::getDefaultStream(device)
                                               : td::getStreamFromPool(device));
    const RaceFinder finder;
    const auto batches = batches_of({5, 5, 5, 2}, default_stream ? 600 : 800);
    read_scores(batches, weight);
    td::synchronize(device);
    finder.expect_none("the copies and the products use the same memory, and no wait orders them");
  }
}

TEST_CASE("the work follows what the current stream has", "[repair_read]") {
  const td::Device device("sim:0");
  const auto weight = td::zeros({5, 3}, device), batch = batches_of({4}, 900)[0];
  const auto later = weight_of(3).to(device);
  td::synchronize(device);
  const td::StreamGuard guard(td::getStreamFromPool(device));
  std::vector<std::vector<float>> got;
  {
    const Gate gate(td::getCurrentStream(device));
    weight.copy_(later);
    got = read_scores({batch}, weight);
  }
  expect_scores(got, {batch}, 3, "with a weight that the current stream was still to write");
}

TEST_CASE("the host blocks once for all batches", "[repair_read]") {
  const auto weight = weight_of(3).to("sim:0");
  for (const std::size_t n : {2, 1, 5}) {
    const auto batches = batches_of(std::vector<std::int64_t>(n, 4), 1000);
    const int waits = check::host_waits([&] { read_scores(batches, weight); });
    check::expect(waits <= 1, "the host blocked " + std::to_string(waits) + " times for " +
                                  std::to_string(n) + (n == 1 ? " batch" : " batches") +
                                  "; enqueue the work of all batches before you wait");
  }
}

TEST_CASE("the weight is on another device than the current one", "[repair_read]") {
  need_two();
  const td::Device device("sim:1");
  const td::DeviceGuard current("sim:0");
  const auto weight = weight_of(3).to(device);
  const auto batches = batches_of({4, 2}, 1200);
  const td::Stream before = td::getCurrentStream(device);
  std::vector<std::vector<float>> got;
  {
    const Gate gate(before);
    got = read_scores(batches, weight);
  }
  expect_scores(got, batches, 3,
                "with a weight on sim:1, whose current stream has earlier work, while sim:0 is "
                "current (which stream do you wait for?)");
  check::expect(td::getCurrentStream(device) == before && td::current_device(td::kSIM) == 0,
                "after read_scores, another stream or another device is current");
}
