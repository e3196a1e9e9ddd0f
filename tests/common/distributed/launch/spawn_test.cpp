// spawn() starts this test program again: each hidden case here is a program that spawns.
#include "distributed/launch/spawn.h"

#include <cstdlib>
#include <iostream>
#include <thread>

#include "catch.h"
#include "child_process.h"
#include "distributed/launch/environment.h"
#include "td/base/error.h"
#include "td/base/parallel.h"

using Catch::Contains;
using td::distributed::spawn;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What spawn says, printed for the test that reads it.
void try_to_spawn(const std::function<void(int)>& fn, int nprocs) {
  try {
    spawn(fn, nprocs);
    std::cout << "all done" << std::endl;
  } catch (const td::Error& error) {
    std::cout << "caught: " << error.what() << std::endl;
  }
}

}  // namespace

TEST_CASE("child: two ranks", "[.child]") {
  // Threads in the parent, of OpenMP and our own: no child may inherit half of them.
  td::parallel_for(0, 1000, 1, [](std::int64_t, std::int64_t) {});
  std::thread busy([] { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
  try_to_spawn(
      [](int rank) {
        const auto here = td::distributed::read_environment();
        td::parallel_for(0, 1000, 1, [](std::int64_t, std::int64_t) {});
        std::cout << "rank " << rank << " of " << here.world_size << std::endl;
      },
      2);
  busy.join();
}

TEST_CASE("spawn calls the function in every rank and returns only in the caller") {
  const auto result = test::run_child("child: two ranks");
  INFO(result.output);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.output, Contains("[0] rank 0 of 2\n") && Contains("[1] rank 1 of 2\n"));
  CHECK(count(result.output, "all done") == 1);
}

TEST_CASE("child: one rank throws", "[.child]") {
  try_to_spawn(
      [](int rank) {
        if (rank == 1) throw std::runtime_error("no luck today");
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      2);
}

TEST_CASE("an exception in a rank is printed by the rank, and spawn throws") {
  const auto result = test::run_child("child: one rank throws");
  INFO(result.output);
  CHECK_THAT(result.output,
             Contains("[1] rank 1: no luck today\n") &&
                 Contains("caught: spawn: rank 1 of 2 ended with exit code 1 after"));
}

TEST_CASE("child: one rank crashes", "[.child]") {
  try_to_spawn(
      [](int rank) {
        if (rank == 0) std::quick_exit(9);
        std::this_thread::sleep_for(std::chrono::seconds(60));
      },
      3);
}

TEST_CASE("a rank that ends without a message is reported with its exit code") {
  CHECK_THAT(test::run_child("child: one rank crashes").output,
             Contains("caught: spawn: rank 0 of 3 ended with exit code 9 after"));
}

TEST_CASE("child: two calls of spawn", "[.child]") {
  spawn([](int rank) { std::cout << "first " << rank << std::endl; }, 1);
  try_to_spawn([](int rank) { std::cout << "second " << rank << std::endl; }, 2);
}

TEST_CASE("spawn may be called again") {
  const auto result = test::run_child("child: two calls of spawn");
  INFO(result.output);
  CHECK(count(result.output, "first 0") == 1);
  CHECK(count(result.output, "second 0") == 1);
  CHECK(count(result.output, "second 1") == 1);
  CHECK(count(result.output, "all done") == 1);
}

TEST_CASE("child: spawn within spawn", "[.child]") {
  try_to_spawn([](int) { spawn([](int) { std::cout << "too deep" << std::endl; }, 2); }, 1);
}

TEST_CASE("spawn within a rank is an error") {
  const auto result = test::run_child("child: spawn within spawn");
  INFO(result.output);
  CHECK_THAT(result.output,
             Contains("[0] rank 0: spawn: this process is rank 0 of 1 already (spawn); call the "
                      "function itself, or start the program without a launcher\n") &&
                 !Contains("too deep"));
  CHECK_THAT(test::run_child("child: two ranks", "RANK=1 WORLD_SIZE=4").output,
             Contains("caught: spawn: this process is rank 1 of 4 already (torchrun)"));
}

TEST_CASE("child: ranks that disagree about their number", "[.child]") {
  static const int ranks = std::getenv("RANK") ? 3 : 2;
  try_to_spawn([](int) {}, ranks);
}

TEST_CASE("an impossible number of ranks, or different numbers in the ranks, is an error") {
  CHECK_THROWS_WITH(spawn([](int) {}, 0), "spawn: 0 ranks; expected at least 1");
  CHECK_THAT(test::run_child("child: ranks that disagree about their number").output,
             Contains("spawn: 3 ranks here, but 2 in the program that started this one"));
}
