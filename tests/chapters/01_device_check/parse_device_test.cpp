// Tests of parse_device: what is a device string, and what only looks like one.
#include "check_devices.h"
#include "exercises.h"

namespace {

const std::vector<std::string> kinds = {"cpu", "sim", "cuda"};

void expect_name(const std::string& text, const std::vector<std::string>& known,
                 const std::string& kind, int index) {
  DeviceName name;
  try {
    name = parse_device(text, known);
  } catch (const td::Error& error) {
    FAIL("\"" << text << "\" is a device, but it was rejected: " << error.what());
  }
  check::expect(name.kind == kind && name.index == index,
                '"' + text + "\": expected kind " + kind + " and index " + std::to_string(index) +
                    ", got kind " + name.kind + " and index " + std::to_string(name.index));
}

void expect_rejected(const std::string& text) {
  check::expect_throws<td::DeviceError>([&] { parse_device(text, kinds); },
                                        {'"' + text + '"', "cpu", "sim", "cuda"},
                                        '"' + text + "\" is not a device");
}

}  // namespace

TEST_CASE("a kind alone has no index", "[parse_device]") {
  for (const auto& kind : kinds) expect_name(kind, kinds, kind, -1);
}

TEST_CASE("the index comes after the colon", "[parse_device]") {
  expect_name("cuda:0", kinds, "cuda", 0);
  expect_name("cuda:1", kinds, "cuda", 1);
  expect_name("sim:15", kinds, "sim", 15);
  expect_name("cuda:89", kinds, "cuda", 89);
  expect_name("cuda:127", kinds, "cuda", 127);
  expect_name("cuda:100", kinds, "cuda", 100);
  expect_name("cpu:0", kinds, "cpu", 0);
}

TEST_CASE("only kinds in the list are accepted", "[parse_device]") {
  expect_name("npu:3", {"cpu", "npu"}, "npu", 3);
  expect_name("xla:0", {"cpu", "xla"}, "xla", 0);
  expect_name("tpu", {"tpu"}, "tpu", -1);
  expect_name("cud:1", {"cuda", "cud"}, "cud", 1);
  check::expect_throws<td::DeviceError>(
      [] {
        parse_device("cuda:0", {"cpu", "npu"});
      },
      {"\"cuda:0\"", "cpu", "npu"}, "cuda:0 where the kinds are cpu and npu");
}

TEST_CASE("text that only looks like a device is rejected", "[parse_device]") {
  for (const char* text : {"",         "gpu",       "CUDA",     "Cuda:0",   " cuda",   "cuda ",
                           "cuda0",    "cud",       "cudas:0",  "cuda:",    ":0",      "cuda:-1",
                           "cuda:+1",  "cuda: 1",   "cuda:1 ",  "cuda:1x",  "cuda:x",  "cuda:0x1",
                           "cuda:1.0", "cuda:1\n",  "cuda:1:2", "cuda:1:",  "cuda:01", "cuda:00",
                           "cuda:128", "cuda:1000", "cuda:001", "cuda:000", "cuda:-0", "cuda:256"})
    expect_rejected(text);
}

TEST_CASE("an index of any length is rejected in the same way", "[parse_device]") {
  expect_rejected("cuda:4294967296");
  expect_rejected("cuda:" + std::string(60, '9'));
}

TEST_CASE("a TPU is rejected with a pointer to its chapter", "[parse_device]") {
  for (const std::string text : {"tpu", "xla", "tpu:0", "xla:3"})
    check::expect_throws<td::DeviceError>([&] { parse_device(text, kinds); },
                                          {'"' + text + '"', "chapter 10", "cpu", "sim", "cuda"},
                                          '"' + text + "\" is explained in chapter 10");
}

TEST_CASE("of tpu and xla, a machine may have one", "[parse_device]") {
  check::expect_throws<td::DeviceError>(
      [] {
        parse_device("tpu:1", {"cpu", "xla"});
      },
      {"\"tpu:1\"", "chapter 10", "cpu", "xla"}, "\"tpu:1\" where the kinds are cpu and xla");
}

TEST_CASE("on a machine with TPUs the error is about the index", "[parse_device]") {
  std::string message;
  try {
    parse_device("tpu:01", {"cpu", "tpu"});
  } catch (const td::DeviceError& error) {
    message = error.what();
  }
  check::expect(!message.empty() && message.find("chapter 10") == std::string::npos,
                "\"tpu:01\" with the kinds cpu and tpu: expected a td::DeviceError without chapter "
                "10, because tpu is one of the kinds; the message is: " +
                    message);
}

TEST_CASE("only a TPU is sent to chapter 10", "[parse_device]") {
  for (const std::string text : {"gpu", "cuda:", "tpus", "xlax:0", "TPU"}) {
    std::string message;
    try {
      parse_device(text, kinds);
    } catch (const td::DeviceError& error) {
      message = error.what();
    }
    check::expect(message.find("chapter 10") == std::string::npos,
                  '"' + text + "\" has nothing to do with chapter 10; the message is: " + message);
  }
}
