// What sim does to the process: the report of a fault, the environment, and a clean end. Each case
// runs in a child process (the hidden cases).
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "catch.h"
#include "child_process.h"
#include "sim/settings.h"
#include "sim_work.h"
#include "td/base/error.h"
#include "td/device/backend.h"
#include "td/tensor/tensor.h"

using namespace td;
using test::DeviceArray;
using test::launch;
using test::run_child;

// Only x86-64 tells a program whether the access that failed was a write.
#ifdef __x86_64__
const std::string kRead = "host code read memory of ", kWrote = "host code wrote to memory of ";
#else
const std::string kRead = "host code touched memory of ", kWrote = kRead;
#endif

TEST_CASE("child: host reads", "[.child]") {
  DeviceArray<float> x("sim:1", 100);
  std::cout << "printed before\n";  // not flushed: stdout is a pipe
  std::cout << *static_cast<volatile float*>(x.data() + 3);
}

TEST_CASE("child: several threads read", "[.child]") {
  DeviceArray<float> x("sim:0", 100);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&x] { std::cout << *static_cast<volatile float*>(x.data()); });
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("child: host writes", "[.child]") {
  DeviceArray<float> x("sim:0", 100);
  backend(kSIM).gave_out(x.data(), ", tensor of the test");
  *static_cast<volatile float*>(x.data() + 99) = 1;
}

TEST_CASE("child: host reads elements of a tensor", "[.child]") {
  const Tensor other = empty({7}, TensorOptions(kInt64).device("sim:0"));
  static_cast<void>(other.data_ptr<std::int64_t>());
  const Tensor x = empty({2, 3}, Device("sim:0"));
  std::cout << *static_cast<volatile float*>(x[1].data_ptr<float>());
}

TEST_CASE("child: host reads a released block", "[.child]") {
  DeviceArray<float> keep("sim:0", 100);
  void* block = allocator(keep.device()).allocate(4096);
  allocator(keep.device()).release(block, 4096);
  std::cout << *static_cast<volatile char*>(block);
}

TEST_CASE("child: a kernel uses the fenced view", "[.child]") {
  DeviceArray<float> x("sim:0", 100);
  float* wrong = x.data();
  launch("scale", getDefaultStream("sim:0"), [wrong] { *static_cast<volatile float*>(wrong) = 2; });
  synchronize("sim:0");
}

TEST_CASE("child: another fault", "[.child]") {
  std::signal(SIGSEGV, [](int) { std::_Exit(3); });
  const DeviceArray<float> x("sim:0", 100);  // so that sim handles faults
  volatile char* volatile nowhere = nullptr;
  *nowhere = 1;
}

TEST_CASE("child: ends with work queued", "[.child]") {
  const Stream a = getStreamFromPool("sim:0"), b = getStreamFromPool("sim:1");
  static DeviceArray<char>* leaves_late = new DeviceArray<char>("sim:0", 1 << 20);
  static std::vector<char> host(1 << 20);
  std::atexit([] { delete leaves_late; });  // a tensor that outlives main
  sim::set_link({0.0001, 0});               // a copy of ten seconds
  allocator("sim:0").record_stream(leaves_late->data(), b);
  for (int i = 0; i < 100; ++i)
    launch("slow", a, [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
  b.wait(a);
  launch("behind", b, [] {});
  void* pinned = pinned_allocator(kSIM).allocate(1 << 20);
  backend(kSIM).copy(leaves_late->data(), "sim:0", pinned, kCPU, 1 << 20, 0,
                     getStreamFromPool("sim:0").native());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

TEST_CASE("child: ends while a kernel uses a library", "[.child]") {
  static std::atomic<bool> library_is_gone{false};
  // As a library does that makes something lasting at its first use.
  launch("first use", getDefaultStream("sim:0"), [] {
    std::atexit([] {
      library_is_gone = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    });
  });
  for (int i = 0; i < 100; ++i)
    launch("use", getDefaultStream("sim:0"), [] {
      if (library_is_gone) std::_Exit(9);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

TEST_CASE("child: settings", "[.child]") {
  try {
    std::cout << device_count(kSIM) << " devices, ";
    std::cout << device_name("sim") << ", ";
    std::size_t free = 0, total = 0;
    backend(kSIM).memory(0, &free, &total);
    std::cout << total << " bytes, " << sim::link().gb_per_s << " GB/s, " << sim::link().latency_us
              << " us, launch " << sim::launch_cost() << '\n';
  } catch (const DeviceError& error) {
    std::cout << error.what() << '\n';
  }
}

TEST_CASE("child: devices set by the program", "[.child]") {
  sim::set_devices(5);
  DeviceArray<char> x("sim:4", 1);
  try {
    sim::set_devices(2);
  } catch (const DeviceError& error) {
    std::cout << error.what() << '\n';
  }
}

TEST_CASE("access to device memory ends the program with an explanation and exit code 70") {
  auto result = run_child("child: host reads");
  CHECK(result.exit_code == 70);
  CHECK_THAT(result.output,
             Catch::Contains("printed before\nerror: " + kRead + "sim:1 at address 0x"));
  CHECK_THAT(result.output, Catch::Contains(", byte 12 of a block of 400 bytes.\n"));
  CHECK_THAT(result.output, Catch::Contains("Copy it first: t.cpu() or t.to(\"cpu\")."));

  result = run_child("child: several threads read");
  CHECK(result.exit_code == 70);
  const std::size_t first = result.output.find("error: " + kRead + "sim:0");
  REQUIRE(first != std::string::npos);
  CHECK(result.output.find("error: ", first + 1) == std::string::npos);  // reported once

  result = run_child("child: host writes");
  CHECK(result.exit_code == 70);
  CHECK_THAT(result.output, Catch::Contains(kWrote + "sim:0"));
  CHECK_THAT(result.output,
             Catch::Contains(", byte 396 of a block of 400 bytes, tensor of the test.\n"));

  result = run_child("child: host reads elements of a tensor");
  CHECK(result.exit_code == 70);
  CHECK_THAT(result.output, Catch::Contains(", byte 12 of a block of "));
  CHECK_THAT(result.output,
             Catch::Contains(", given out by data_ptr() of a float32 tensor of sizes [3].\n"));

  result = run_child("child: host reads a released block");
  CHECK(result.exit_code == 70);
  CHECK_THAT(result.output, Catch::Contains("which is in no live block: it was released"));

  result = run_child("child: a kernel uses the fenced view");
  CHECK(result.exit_code == 70);
  CHECK_THAT(result.output, Catch::Contains("kernel scale on sim:0 used an address that is not "
                                            "translated, of memory of sim:0"));
}

TEST_CASE("faults elsewhere reach the handler that was there before") {
  const auto result = run_child("child: another fault");
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.output, !Catch::Contains("memory of sim"));
}

TEST_CASE("a process with queued work ends soon and cleanly") {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run_child("child: ends with work queued");
  CHECK(result.exit_code == 0);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));
  CHECK_THAT(result.output, !Catch::Contains("WARNING") && !Catch::Contains("ERROR"));
}

TEST_CASE("kernels have stopped when the libraries that they call end") {
  CHECK(run_child("child: ends while a kernel uses a library").exit_code == 0);
}

TEST_CASE("amounts of memory are read with their unit") {
  std::size_t bytes = 7;
  CHECK((sim::parse_bytes("1048576", &bytes) && bytes == 1048576));
  CHECK((sim::parse_bytes("512MiB", &bytes) && bytes == std::size_t{512} << 20));
  CHECK((sim::parse_bytes("1.5 GB", &bytes) && bytes == 1500000000));
  CHECK((sim::parse_bytes("2TiB", &bytes) && bytes == std::size_t{2} << 40));
  for (const char* text :
       {"", "x", "-1", "0", "MiB", "1 QB", "1e99", "0x10", " 1", "1MiB ", "nan", ".5GB"})
    CHECK_FALSE(sim::parse_bytes(text, &bytes));
  CHECK_FALSE(sim::parse_bytes(std::string("5\0", 2), &bytes));
  CHECK(bytes == std::size_t{2} << 40);
}

TEST_CASE("the environment sets devices, memory, link and launch cost") {
  const auto set = run_child("child: settings",
                             "TD_SIM_DEVICES=4 TD_SIM_MEMORY=256MiB TD_SIM_LINK=1.5GB/s,20us "
                             "TD_SIM_LAUNCH_COST=5us");
  CHECK_THAT(set.output, Catch::Contains("4 devices, software accelerator, "));
  CHECK_THAT(set.output, Catch::Contains(", 268435456 bytes, 1.5 GB/s, 20 us, launch 5\n"));
  CHECK_THAT(run_child("child: settings", "TD_SIM_LINK=3GB/s").output,
             Catch::Contains("2 devices, ") && Catch::Contains(" 3 GB/s, 10 us, launch 0\n"));
  CHECK_THAT(run_child("child: devices set by the program").output,
             Catch::Contains("set_devices: sim is in use already; call it first in main, or start "
                             "with TD_SIM_DEVICES=2.\n"));
}

TEST_CASE("a malformed variable is an error that says what is expected") {
  const auto told = [](const std::string& variable, const std::string& expected) {
    const auto result = run_child("child: settings", variable);
    CHECK_THAT(result.output, Catch::Contains("0 devices, there is no sim: " + variable +
                                              " is malformed: expected " + expected + ".\n"));
  };
  for (const char* count : {"0", "17", "-1", "two", "2.5", "1e1"})
    told("TD_SIM_DEVICES=" + std::string(count), "a number from 1 to 16");
  for (const char* bytes : {"0", "lots", "-5MiB"})
    told("TD_SIM_MEMORY=" + std::string(bytes), "an amount of memory, as 512MiB or 2GiB");
  for (const char* link : {"fast", "12", "0GB/s,10us", "12GB/s,10ms", "12GB/s,-1us", "12GB/s,-0us"})
    told("TD_SIM_LINK=" + std::string(link), "a bandwidth and a latency, as 12GB/s,10us");
  told("TD_SIM_LAUNCH_COST=5", "a time in microseconds, as 5us");
  told("TD_SIM_RACES=yes", "1 to look for races, or 0");
}
