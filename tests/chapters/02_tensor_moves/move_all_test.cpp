// Tests of move_all: values, what is returned itself, repetitions, and the number of transfers.
#include "exercises.h"
#include "streams.h"

namespace {

using Tensors = std::vector<td::Tensor>;

td::Tensor counted(std::int64_t from, const std::vector<std::int64_t>& sizes, td::ScalarType type,
                   td::Device device = td::kCPU) {
  std::int64_t n = 1;
  for (const auto size : sizes) n *= size;
  return (td::arange(n, td::kFloat) + static_cast<double>(from)).to(device, type).view(sizes);
}

Tensors moved(const Tensors& tensors, td::Device device, const std::string& what) {
  const Tensors results = move_all(tensors, device);
  check::expect(results.size() == tensors.size(),
                what + ": expected " + std::to_string(tensors.size()) + " results, got " +
                    std::to_string(results.size()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string which = what + ": result " + std::to_string(i);
    check::expect(results[i].defined(), which + " is undefined");
    check::expect_on(results[i], td::check_device(device), which);
    check::expect_dtype(results[i], tensors[i].dtype(), which);
    const auto sizes = tensors[i].sizes();
    check::expect_sizes(results[i], {sizes.begin(), sizes.end()}, which);
    check::expect_close(results[i], tensors[i], 0, which);
  }
  return results;
}

/// Tensors of one type whose sizes differ, and their bytes.
Tensors batch(td::Device device = td::kCPU) {
  return {counted(1, {31}, td::kFloat, device), counted(100, {3, 5}, td::kFloat, device),
          counted(7, {}, td::kFloat, device), counted(200, {2, 3, 4}, td::kFloat, device)};
}

std::size_t bytes_of(const Tensors& tensors) {
  std::size_t bytes = 0;
  for (const auto& x : tensors) bytes += x.nbytes();
  return bytes;
}

}  // namespace

TEST_CASE("values, sizes and types arrive", "[move_all]") {
  for (const td::Device device : check::devices()) {
    moved(batch(), device, "four float tensors to " + device.str());
    Tensors mixed;
    for (const td::ScalarType type :
         {td::kFloat, td::kLong, td::kUInt8, td::kHalf, td::kBool, td::kFloat, td::kLong})
      mixed.push_back(counted(static_cast<std::int64_t>(mixed.size()) + 1, {1, 3}, type));
    mixed.push_back(td::full({2}, 16777217, td::kInt));  // 2^24 + 1, which float cannot hold
    moved(mixed, device, "tensors of six types to " + device.str());
  }
}

TEST_CASE("a batch of no tensors, and of one tensor", "[move_all]") {
  for (const td::Device device : check::devices()) {
    check::expect(move_all({}, device).empty(), "an empty list should give an empty list");
    moved({counted(3, {2, 2}, td::kFloat)}, device, "one tensor to " + device.str());
  }
}

TEST_CASE("a tensor that is on the device already is returned itself", "[move_all]") {
  for (const td::Device device : check::devices()) {
    const Tensors list = {counted(1, {3}, td::kFloat, device), counted(9, {4}, td::kFloat),
                          counted(5, {2}, td::kLong, device)};
    const Tensors results = moved(list, device, "two of three are on " + device.str());
    for (const std::size_t i : {0, 2})
      check::expect(results[i].is_same(list[i]), "tensor " + std::to_string(i) + " is on " +
                                                     device.str() +
                                                     " already: expected the tensor itself");
  }
  const Tensors empty = {td::empty({0, 3}, "sim:0"), counted(1, {3}, td::kFloat)};
  check::expect(moved(empty, "sim:0", "a tensor without elements on sim:0")[0].is_same(empty[0]),
                "tensor 0 has no elements and is on sim:0 already: expected the tensor itself");
  const Tensors turned = {counted(1, {2, 3}, td::kFloat, "sim:0").t(), counted(1, {3}, td::kFloat)};
  check::expect(moved(turned, "sim:0", "a transposed view on sim:0")[0].is_same(turned[0]),
                "tensor 0 is a transposed view on sim:0 already: expected the tensor itself");
  need_two();
  const Tensors there = batch("sim:0");
  expect_transfers(transfers_of([&] { move_all(there, "sim:0"); }), 0, 0,
                   "all tensors are on sim:0 already");
}

TEST_CASE("a batch to a device without an index", "[move_all]") {
  need_two();
  const td::DeviceGuard guard(td::Device("sim:1"));
  const Tensors list = {counted(1, {3}, td::kFloat, "sim:1"), counted(9, {4}, td::kFloat)};
  const Tensors results = moved(list, "sim", "to \"sim\" while sim:1 is current");
  check::expect(results[0].is_same(list[0]),
                "tensor 0 is on sim:1, which is what \"sim\" means: expected the tensor itself");
}

TEST_CASE("a repeated tensor stays one tensor", "[move_all]") {
  const auto x = counted(1, {5}, td::kFloat), y = counted(50, {5}, td::kFloat);
  for (const td::Device device : check::devices()) {
    const Tensors results = moved({x, y, x, x}, device, "{x, y, x, x} to " + device.str());
    check::expect(results[0].is_same(results[2]) && results[0].is_same(results[3]),
                  "{x, y, x, x} to " + device.str() +
                      ": results 0, 2 and 3 should be the same tensor (is_same)");
    check::expect(!results[0].is_same(results[1]), "x and y are two tensors");
  }
  expect_transfers(transfers_of([&] {
                     move_all({x, y, x, x}, "sim:0");
                   }),
                   1, x.nbytes() + y.nbytes(), "{x, y, x, x} to sim:0: x is moved once");
}

TEST_CASE("a repeated tensor without elements stays one tensor", "[move_all]") {
  const auto x = td::empty({0, 3}), y = td::empty({0, 3});
  const Tensors results = moved({x, y, x}, "sim:0", "{x, y, x} without elements to sim:0");
  check::expect(results[0].is_same(results[2]) && !results[0].is_same(results[1]),
                "{x, y, x} without elements to sim:0: results 0 and 2 should be the same tensor "
                "(is_same), and result 1 another one");
}

TEST_CASE("pinned and other memory of one type are one transfer", "[move_all]") {
  Tensors list = batch();
  list[1] = list[1].pin_memory();
  list[2] = list[2].pin_memory();
  moved(list, "sim:0", "two pinned tensors and two others to sim:0");
  expect_transfers(transfers_of([&] { move_all(list, "sim:0"); }), 1, bytes_of(list),
                   "two pinned tensors and two others to sim:0");
}

TEST_CASE("tensors with equal values or one storage are not the same tensor", "[move_all]") {
  const auto x = counted(1, {6}, td::kFloat);
  const Tensors results = moved({x, x.clone(), x.view({6})}, "sim:0", "x, a copy, a view of x");
  check::expect(!results[0].is_same(results[1]) && !results[0].is_same(results[2]),
                "only the same tensor (is_same) is a repetition: not a copy, and not a view");
}

TEST_CASE("one transfer for each element type", "[move_all]") {
  const Tensors list = batch();
  expect_transfers(transfers_of([&] { move_all(list, "sim:0"); }), 1, bytes_of(list),
                   "four float tensors to sim:0");
  Tensors mixed = batch();
  mixed.push_back(counted(1, {7}, td::kLong));
  mixed.push_back(counted(1, {9}, td::kUInt8));
  mixed.push_back(counted(11, {2, 2}, td::kLong));
  expect_transfers(transfers_of([&] { move_all(mixed, "sim:0"); }), 3, bytes_of(mixed),
                   "tensors of three types to sim:0");
}

TEST_CASE("one transfer for each source device", "[move_all]") {
  need_two();
  Tensors list = batch();
  for (const auto& x : batch("sim:0")) list.push_back(x);
  moved(list, "sim:1", "four tensors of cpu and four of sim:0 to sim:1");
  expect_transfers(transfers_of([&] { move_all(list, "sim:1"); }), 2, bytes_of(list),
                   "four tensors of cpu and four of sim:0 to sim:1");
  const Tensors back = batch("sim:1");
  moved(back, td::kCPU, "from sim:1 to cpu");
  expect_transfers(transfers_of([&] { move_all(back, td::kCPU); }), 1, bytes_of(back),
                   "four tensors of sim:1 to cpu");
}

TEST_CASE("one transfer for each of two sim devices", "[move_all]") {
  need_two();
  Tensors list = batch("sim:0");
  for (const auto& x : batch("sim:1")) list.push_back(x);
  const std::string what = "four tensors of sim:0 and four of sim:1 to cpu";
  moved(list, td::kCPU, what);
  expect_transfers(transfers_of([&] { move_all(list, td::kCPU); }), 2, bytes_of(list), what);
}

TEST_CASE("tensors without elements", "[move_all]") {
  const Tensors list = {td::empty({0, 3}), counted(1, {2}, td::kFloat), td::empty({4, 0})};
  for (const td::Device device : check::devices())
    moved(list, device, "two empty tensors to " + device.str());
  expect_transfers(transfers_of([&] { move_all(list, "sim:0"); }), 1, 8,
                   "one tensor of 8 bytes, two without elements");
  const Tensors none = {td::empty({0}, td::TensorOptions(td::kLong)), td::empty({0, 3})};
  expect_transfers(transfers_of([&] { moved(none, "sim:0", "only empty tensors"); }), 0, 0,
                   "only empty tensors to sim:0");
}

TEST_CASE("views with strides", "[move_all]") {
  const auto m = counted(1, {4, 6}, td::kFloat);
  const Tensors list = {m.t(), m.slice(1, 0, 6, 2), m.select(0, 1),
                        m.narrow(0, 0, 1).expand({3, 6})};
  for (const td::Device device : check::devices())
    moved(list, device, "four views of a matrix to " + device.str());
  expect_transfers(transfers_of([&] { move_all(list, "sim:0"); }), 1, bytes_of(list),
                   "four views of a matrix to sim:0: their elements and nothing else");
}

TEST_CASE("the results share no memory with the tensors that were moved", "[move_all]") {
  Tensors list = batch();
  const Tensors results = move_all(list, "sim:0");
  for (auto& x : list) x.fill_(check::kPoison);
  const Tensors fresh = batch();
  for (std::size_t i = 0; i < fresh.size(); ++i)
    check::expect_close(results[i], fresh[i], 0,
                        "result " + std::to_string(i) + " after the originals were overwritten");
}

TEST_CASE("the results do not overlap", "[move_all]") {
  const Tensors results = move_all(batch(), "sim:0"), fresh = batch();
  td::Tensor(results[1]).fill_(-1);
  for (const std::size_t i : {0, 2, 3})
    check::expect_close(results[i], fresh[i], 0,
                        "result " + std::to_string(i) + " after result 1 was overwritten");
}

TEST_CASE("work that is queued on the source comes first", "[move_all]") {
  need_two();
  const td::Device a("sim:0");
  const td::StreamGuard guard(td::getStreamFromPool(a));
  for (const td::Device to : {td::Device(td::kCPU), td::Device("sim:1")}) {
    Tensors list = batch(a);
    td::synchronize(a);
    check::keep_busy(td::getCurrentStream(a));
    for (auto& x : list) x.fill_(10);
    const Tensors results = move_all(list, to);
    for (std::size_t i = 0; i < list.size(); ++i)
      check::expect_close(check::values(results[i]),
                          std::vector<double>(static_cast<std::size_t>(list[i].numel()), 10), 0,
                          "result " + std::to_string(i) + " on " + to.str() +
                              ": its tensor was filled with 10 by work that was still queued");
  }
}

TEST_CASE("pinned memory", "[move_all]") {
  const SlowLink slow;
  for (const std::size_t n : {1, 2}) {
    Tensors list;
    for (std::size_t i = 0; i < n; ++i) list.push_back(counted(1, {5}, td::kFloat).pin_memory());
    const Tensors results = move_all(list, "sim:0");
    for (auto& x : list) x.fill_(0);
    check::expect_close(results[0], counted(1, {5}, td::kFloat), 0,
                        std::to_string(n) +
                            " pinned tensors: result 0, after the original was "
                            "overwritten right after the call");
  }
}

TEST_CASE("a batch to a missing device is an error", "[move_all]") {
  check::expect_throws<td::DeviceError>([] { move_all({td::ones({1})}, "sim:99"); }, {"sim:99"},
                                        "to sim:99");
  check::expect_throws<td::DeviceError>([] { move_all({}, "sim:99"); }, {"sim:99"},
                                        "an empty list to sim:99");
}
