// Launches of kernels on tensors of sim: results, errors of the call, and errors that come later.
#include "launch/launch.h"

#include <utility>

#include "catch.h"
#include "kernels.h"
#include "observed.h"
#include "simt/observe.h"
#include "td/device/record.h"
#include "td/td.h"

using namespace td;
using simt::launch;

TEST_CASE("A kernel computes on every element of tensors of sim") {
  const int n = 1000;
  const Tensor a = arange(n, kFloat).to("sim:0"), b = full({n}, 2.0).to("sim:0");
  const Tensor out = zeros({n}, kFloat).to("sim:0");
  launch<::add>({.grid = 4, .block = 256}, a, b, out, n);
  CHECK(out.cpu().equal(arange(n, kFloat) + 2));
}

TEST_CASE("Threads of a block exchange values through shared memory and barriers") {
  const int n = 1000;
  const Tensor in = ones({n}, kFloat).to("sim:1"), out = zeros({4}, kFloat).to("sim:1");
  launch<block_sum>({.grid = 4, .block = 256}, in, out, n);
  const Tensor sums = out.cpu();
  CHECK(sums[0].item<float>() == 256);
  CHECK(sums[3].item<float>() == 1000 - 3 * 256);
}

namespace {

template <class E>
std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("A wrong argument of a launch is refused with its number and what to do") {
  const Tensor a = ones({8}).to("sim:0"), other = ones({8}).to("sim:1"), host = ones({8});
  const simt::LaunchConfig config{.grid = 1, .block = 8};
  CHECK(error_of<DeviceError>([&] { launch<::add>(config, host, host, host, 8); }) ==
        "add: the tensors are on cpu, and kernels run on sim and cuda; move the tensors to sim:0");
  CHECK(error_of<DeviceError>([&] { launch<::add>(config, a, other, a, 8); }) ==
        "add: argument 2 is on sim:1, but an earlier one is on sim:0; move all of them to one "
        "device");
  CHECK(error_of<Error>([&] { launch<::add>(config, a, a, Tensor(), 8); }) ==
        "add: argument 3 is an undefined tensor; create it first");
  CHECK(error_of<DtypeError>([&] { launch<::add>(config, a, a.to(kHalf), a, 8); }) ==
        "add: argument 2 is a tensor of float16, but the kernel takes const float*, which is "
        "float32; convert it with to()");
  const Tensor matrix = ones({4, 2}).to("sim:0");
  CHECK(error_of<Error>([&] { launch<::add>(config, a, matrix.t(), a, 8); }) ==
        "add: argument 2 is not contiguous, and a kernel counts elements in memory; pass "
        "contiguous()");
}

TEST_CASE("A kernel without parameters runs on the device that the launch names") {
  const Tensor out = sim_zeros({1});
  CHECK(error_of<DeviceError>([&] { launch<no_parameters>({.grid = 3, .block = 4}); }) ==
        "no_parameters: no argument is a tensor, so no device is chosen; name it in the launch: "
        "{.grid = ..., .block = ..., .device = \"sim:0\"}");
  for (int i = 0; i < 2; ++i) launch<no_parameters>({.grid = 1, .block = 4, .device = "sim:0"});
  launch<count_launches>(block_of(1), out);
  CHECK(ints(out) == std::vector{2});
}

TEST_CASE("A kernel may have many parameters, and large structs") {
  const Tensor out = sim_zeros({1}), numbers = sim_zeros({1000});
  launch<many_parameters>(block_of(1), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                          out);
  CHECK(ints(out) == std::vector{1700 + 16 * 17 / 2});
  LargeStruct large;
  for (int i = 0; i < 1000; ++i) large.numbers[i] = i * i;
  const auto findings = findings_of([&] { launch<large_struct>(block_of(1000), large, numbers); });
  large = {};  // the launch has a copy
  CHECK(findings.empty());
  CHECK(numbers.cpu().equal(arange(1000, kInt) * arange(1000, kInt)));
}

TEST_CASE("Pointers to structs, shorts, pointers and void are tensors; nullptr is none") {
  const short shorts[] = {10, 20, -30, 40};
  const Particle particles[] = {{{0, 1, 0}, 5}, {{0, 2, 0}, 6}, {{0, 3, 0}, 7}, {{0, 4, 0}, 8}};
  const auto bytes = [](const auto& values) {
    Tensor tensor = empty({static_cast<std::int64_t>(sizeof values)}, kByte);
    std::memcpy(tensor.data_ptr(), &values, sizeof values);
    return tensor.to("sim:0");
  };
  const Tensor rows = sim_zeros({4}, kLong), any = sim_zeros({4}, kFloat);
  const Tensor out = sim_zeros({4}, kFloat);
  const Tensor s = bytes(shorts), p = bytes(particles);
  const auto work = [&] { launch<pointers>(block_of(4), s, p, rows, any, nullptr, out); };
  CHECK(findings_of(work).empty());
  CHECK(out.cpu().equal(tensor({11.0f, 22.0f, -27.0f, 44.0f})));
  CHECK(any.cpu().equal(tensor({5.0f, 6.0f, 7.0f, 8.0f})));
}

TEST_CASE("A grid with more blocks than sim can run is refused") {
  const Tensor a = ones({8}).to("sim:0");
  const auto work = [&] { launch<::add>({.grid = {65536, 32768, 2}, .block = 1}, a, a, a, 8); };
  const std::string text =
      "add: a grid of 65536 x 32768 x 2 has more than 2147483647 blocks. A GPU runs them, but not "
      "sim; let each thread work on several elements";
  CHECK(error_of<Error>(work) == text);
  CHECK(error_of<Error>([&] { simt::observe({}, work); }) == text);
}

TEST_CASE("A launch above the limits of a GPU is refused by the call, and a finding if observed") {
  const Tensor a = ones({8}).to("sim:0");
  const auto work = [&] { launch<::add>({.grid = 1, .block = 2000}, a, a, a, 8); };
  const std::string text = error_of<Error>(work);
  const std::string begin = "add: the launch is refused with cudaErrorInvalidConfiguration: ";
  CHECK(text.substr(0, begin.size()) == begin);
  const auto reports = simt::observe({}, work);
  REQUIRE(reports.size() == 1);
  REQUIRE(reports[0].findings.size() == 1);
  CHECK(reports[0].findings[0].kind == simt::Finding::Kind::kLaunchConfig);
  CHECK(reports[0].findings[0].text == text);
}

TEST_CASE("A launch is one entry of its stream: it has a name in traces, and orders with copies") {
  std::vector<Device> devices = {"sim:0"};
  if (device_count(kCUDA) > 0) devices.emplace_back("cuda:0");
  for (const Device device : devices) {
    INFO(device);
    const Tensor a = ones({8}, device), out = empty_like(a);
    std::vector<Record> records;
    {
      const RecordObserver listening([&](const Record& r, Device) { records.push_back(r); });
      for (int i = 0; i < 2; ++i) launch<::add>({.grid = 1, .block = 8}, a, a, out, 8);
    }
    REQUIRE(records.size() == 2);
    CHECK(records[0].name == std::string("add"));
    CHECK(records[0].reads == 3);
    CHECK(records[0].writes == 1);
    // A trace reads the name when it is written, long after the launch.
    CHECK(static_cast<const void*>(records[0].name) == records[1].name);
    CHECK(out.cpu().equal(full({8}, 2.0)));
  }
}

TEST_CASE("A graph of sim replays a launch with new contents of its tensors") {
  const Tensor a = ones({64}).to("sim:0"), out = empty_like(a);
  const Stream stream = getStreamFromPool(Device("sim:0"));
  const StreamGuard guard(stream);
  Graph graph;
  graph.capture_begin();
  launch<::add>({.grid = 2, .block = 32}, a, a, out, 64);
  graph.capture_end();
  a.fill_(5);
  graph.replay();
  CHECK(out.cpu().sum().item<float>() == 640);
}

TEST_CASE("A launch counts as an in-place change of the tensors that it may write") {
  const Tensor a = ones({8}).to("sim:0"), out = empty_like(a);
  const auto before = out._version(), of_input = a._version();
  launch<::add>({.grid = 1, .block = 8}, a, a, out, 8);
  CHECK(out._version() == before + 1);
  CHECK(a._version() == of_input);
}
