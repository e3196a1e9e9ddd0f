// The client's calls, checked by a strict stand-in: sizes, ownership, donation, clear errors.
// tests/system/xla_test.py tests that XLA itself accepts our programs.
#include <dlfcn.h>

#include "catch.h"
#include "td/td.h"
#include "xla/client.h"

using namespace td;
using namespace td::xla;

namespace {

std::string stand_in(const char* name) { return std::string(STAND_IN_FOLDER "/") + name; }

Client make_client(int devices) { return Client(Plugin::load(stand_in("stand_in.so")), devices); }

long ask_stand_in(const char* function) {
  void* const opened = dlopen(stand_in("stand_in.so").c_str(), RTLD_NOW | RTLD_NOLOAD);
  const long answer = reinterpret_cast<long (*)()>(dlsym(opened, function))();
  dlclose(opened);
  return answer;
}

// Fails a test that leaves objects of the plugin behind.
struct NothingIsLeft {
  ~NothingIsLeft() { CHECK(ask_stand_in("stand_in_live") == 0); }
};

template <class E, class Work>
std::string text_of(const Work& work) {
  try {
    work();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a plugin reports its version") {
  CHECK(Plugin::load(stand_in("stand_in.so")).version() == "0.81");
}

TEST_CASE("a file that is no plugin is a clear error") {
  CHECK_THAT(text_of<PluginMissing>([] { Plugin::load("/nowhere/plugin.so"); }),
             Catch::Contains("there is no PJRT plugin at /nowhere/plugin.so"));
  CHECK_THAT(text_of<PluginMissing>([] { Plugin::load(STAND_IN_FOLDER "/CMakeCache.txt"); }) +
                 text_of<PluginMissing>([] { Plugin::load("/etc/passwd"); }),
             Catch::Contains("the PJRT plugin cannot be opened"));
  CHECK_THAT(text_of<PluginMissing>([] { Plugin::load(stand_in("no_plugin.so")); }),
             Catch::Contains("is no PJRT plugin: it has no function GetPjrtApi"));
  CHECK_THAT(text_of<PluginMissing>([] { Plugin::load(stand_in("old_stand_in.so")); }),
             Catch::Contains("speaks version 0.40 of the PJRT interface; this program can drive "
                             "0.57 and later"));
}

TEST_CASE("a function that a plugin lacks is an error and is not called") {
  const NothingIsLeft check;
  const Client client(Plugin::load(stand_in("short_stand_in.so")), 1);
  const Buffer buffer = client.to_device(ones({2}));
  try {
    buffer.is_deleted();
    FAIL("it was called");
  } catch (const XlaError& e) {
    CHECK(e.code() == 12);
    CHECK(e.what() == std::string("Buffer_IsDeleted: this plugin has no such function; its "
                                  "interface is version 0.81"));
  }
}

TEST_CASE("without a named plugin the error says how to get one") {
  const char* const before = std::getenv("PJRT_PLUGIN");
  const std::string kept = before ? before : "";
  unsetenv("PJRT_PLUGIN");
  const std::string text = text_of<PluginMissing>([] { find_plugin(); });
  CHECK_THAT(text, Catch::Contains("PJRT_PLUGIN is not set") &&
                       Catch::Contains("./course run 10") && Catch::Contains("libtpu.so"));
  setenv("PJRT_PLUGIN", "/some/plugin.so", 1);
  CHECK(find_plugin() == "/some/plugin.so");
  if (before)
    setenv("PJRT_PLUGIN", kept.c_str(), 1);
  else
    unsetenv("PJRT_PLUGIN");
}

TEST_CASE("a client has the devices that were asked for") {
  const NothingIsLeft check;
  CHECK(Client(Plugin::load(stand_in("stand_in.so"))).devices().size() == 4);
  const Client client = make_client(2);
  CHECK(client.platform() == "stand-in");
  REQUIRE(client.devices().size() == 2);
  CHECK(client.devices()[1].id == 1);
  CHECK(client.devices()[1].kind == "stand-in");
  CHECK(client.devices()[1].text == "StandInDevice(id=1)");
  CHECK_THAT(text_of<XlaError>([] { make_client(0); }),
             Catch::Equals("Client_Create: there must be a device"));
  CHECK_THAT(text_of<DeviceError>([&] { client.to_device(ones({1}), 2); }),
             Catch::Equals("xla:2: there is no such device; this client has xla:0 to xla:1"));
}

TEST_CASE("tensors of every type come back unchanged") {
  const NothingIsLeft check;
  const Client client = make_client(1);
  for (const ScalarType type : {kByte, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBFloat16}) {
    CAPTURE(type);
    const Tensor sent = arange(6, kFloat).view({2, 3}).to(type);
    const Buffer buffer = client.to_device(sent);
    CHECK(buffer.dtype() == type);
    CHECK(buffer.sizes() == Sizes(sent.sizes()));
    CHECK(equal(buffer.to_host(), sent));
  }
  for (const Tensor& sent : {full({}, 7.0), empty({0, 4}), arange(6, kFloat).view({2, 3}).t()}) {
    const Tensor back = client.to_device(sent).to_host();
    CHECK(back.sizes() == sent.sizes());
    CHECK(equal(back, sent));
  }
  CHECK_THAT(text_of<DeviceError>([&] { client.to_device(ones({2}, Device("sim:0"))); }),
             Catch::Contains("a tensor on sim:0 cannot go to an XLA device directly"));
}

TEST_CASE("the host may change its tensor when to_device returns") {
  const Client client = make_client(1);
  Tensor sent = ones({3});
  const Buffer buffer = client.to_device(sent);
  sent.zero_();
  CHECK(equal(buffer.to_host(), ones({3})));
}

TEST_CASE("compile options in protobuf's bytes") {
  const auto bytes = [](int replicas, int partitions = 1) {
    return CompileOptions{replicas, partitions}.encode();
  };
  CHECK(bytes(1) == "\x1a\x04\x20\x01\x28\x01");
  CHECK(bytes(2) == "\x1a\x04\x20\x02\x28\x01");
  CHECK(bytes(4, 2) == "\x1a\x04\x20\x04\x28\x02");
  CHECK(bytes(200) == "\x1a\x05\x20\xc8\x01\x28\x01");
  CHECK_THAT(text_of<Error>([&] { bytes(0); }),
             Catch::Contains("at least one replica and one partition, not 0 and 1"));
}

TEST_CASE("a program runs, and errors are exceptions with XLA's text and code") {
  const NothingIsLeft check;
  const Client client = make_client(1);
  const Executable add = client.compile("module @add { }", {});
  const Buffer a = client.to_device(tensor({1.0, 2.0})), b = client.to_device(tensor({10.0, 20.0}));
  CHECK(add.run({a, b}).size() == 1);
  CHECK(equal(add.run({a, b}).at(0).to_host(), tensor({11.0, 22.0})));
  try {
    client.compile("nonsense", {});
    FAIL("it was compiled");
  } catch (const XlaError& e) {
    CHECK(e.code() == 12);
    CHECK(e.what() == std::string("Client_Compile: the stand-in is no compiler"));
  }
  CHECK_THAT(text_of<XlaError>([&] { add.run({a}); }),
             Catch::Equals("LoadedExecutable_Execute: expected 2 arguments"));
  CHECK_THAT(text_of<Error>([&] { add.run({a, Buffer()}); }), Catch::Contains("is undefined"));
  CHECK_THAT(text_of<Error>([&] {
               add.start({{a, b}, {a, b}});
             }),
             Catch::Contains("compiled for 1 replicas, but there are arguments for 2"));
}

TEST_CASE("replicas run on their own devices with their own arguments") {
  const NothingIsLeft check;
  const Client client = make_client(3);
  const Executable total = client.compile("module @total { }", {.replicas = 2});
  const Buffer one = client.to_device(ones({2}), 0), two = client.to_device(ones({2}), 1);
  Run run = total.start({{one, one}, {two, two}});
  run.wait();
  CHECK(equal(run.outputs(0).at(0).to_host(), full({2}, 4.0)));
  CHECK(equal(run.outputs(1).at(0).to_host(), full({2}, 4.0)));
  CHECK_THAT(text_of<XlaError>([&] {
               total.start({{one, one}, {one, two}});
             }),
             Catch::Contains("argument 0 of replica 1 is on StandInDevice(id=0)"));
  const Buffer copy = one.to_device(1);
  CHECK_NOTHROW(total.start({{one, one}, {copy, two}}).wait());
}

TEST_CASE("a donated buffer is deleted, and using it again is an error") {
  const NothingIsLeft check;
  const Client client = make_client(1);
  const Executable donates = client.compile("module @donates { }", {});
  const Buffer a = client.to_device(ones({2})), b = client.to_device(ones({2}));
  const Buffer sum = donates.run({a, b}).at(0);
  CHECK(a.is_deleted());
  CHECK_FALSE(b.is_deleted());
  CHECK(equal(sum.to_host(), full({2}, 2.0)));
  CHECK_THAT(text_of<XlaError>([&] { a.to_host(); }), Catch::Contains("deleted or donated"));
  CHECK_THAT(text_of<XlaError>([&] {
               donates.run({a, b});
             }),
             Catch::Contains("deleted or donated"));
}

TEST_CASE("start does not wait, and wait reports errors") {
  const NothingIsLeft check;
  const Client client = make_client(1);
  const Buffer a = client.to_device(ones({2}));
  const Executable fails = client.compile("module @fails { }", {});
  const long before = ask_stand_in("stand_in_awaited");
  Run run = fails.start({{a, a}});
  CHECK(ask_stand_in("stand_in_awaited") == before);
  CHECK_THAT(text_of<XlaError>([&] { run.wait(); }),
             Catch::Equals("LoadedExecutable_Execute: the program failed"));
  CHECK_NOTHROW(run.wait());             // reported once
  CHECK_NOTHROW(fails.start({{a, a}}));  // this one was not requested
}

TEST_CASE("objects that a client made keep it alive") {
  const NothingIsLeft check;
  optional<Client> client = make_client(1);
  const Buffer a = client->to_device(ones({2}));
  const Executable add = client->compile("module @add { }", {});
  client.reset();
  CHECK(equal(add.run({a, a}).at(0).to_host(), full({2}, 2.0)));
}
