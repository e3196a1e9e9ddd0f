// The map of last accesses, against a model that keeps every byte by itself.
#include "sim/race_finder.h"

#include <array>
#include <random>
#include <set>

#include "catch.h"

using namespace td::sim;

namespace {

constexpr std::size_t kBytes = 64, kStreams = 3;

struct Byte {
  std::uint64_t write = 0;
  std::array<std::uint64_t, kStreams> reads{};
};

struct Model {
  std::array<Byte, kBytes> bytes;
  void note(const Access& a) {
    for (std::size_t i = a.begin; i < a.end; ++i)
      if (a.writes)
        bytes[i] = Byte{a.count, {}};
      else
        bytes[i].reads[a.stream] = a.count;
  }
  std::set<std::uint64_t> conflicts(const Access& a) const {
    std::set<std::uint64_t> met;
    for (std::size_t i = a.begin; i < a.end; ++i) {
      met.insert(bytes[i].write);
      if (a.writes) met.insert(bytes[i].reads.begin(), bytes[i].reads.end());
    }
    met.erase(0);
    return met;
  }
  void forget(std::size_t begin, std::size_t end, std::uint64_t until) {
    for (std::size_t i = begin; i < end; ++i) {
      if (bytes[i].write <= until) bytes[i].write = 0;
      for (std::uint64_t& read : bytes[i].reads)
        if (read <= until) read = 0;
    }
  }
};

}  // namespace

TEST_CASE("the map finds the conflicts that a model of single bytes finds") {
  std::mt19937 random(7);
  AccessMap<Access> map;
  Model model;
  for (std::uint64_t count = 1; count <= 20000; ++count) {
    Access access;
    access.name = "work";
    access.stream = random() % kStreams;
    access.writes = random() % 3 == 0;
    access.count = count;
    access.begin = random() % kBytes;
    access.end = access.begin + 1 + random() % (kBytes - access.begin);
    std::set<std::uint64_t> met;
    map.conflicts(access, [&](const Access& earlier) { met.insert(earlier.count); });
    REQUIRE(met == model.conflicts(access));
    map.note(access);
    model.note(access);
    REQUIRE(map.size() <= kBytes);
    const std::uint64_t until = count - std::min<std::uint64_t>(count, random() % 30);
    const auto keep = [&](const Access& a) { return a.count > until; };
    if (random() % 20 == 0) {
      map.filter(access.begin, access.end, keep);
      model.forget(access.begin, access.end, until);
    } else if (random() % 50 == 0) {
      map.filter(0, UINTPTR_MAX, keep);
      model.forget(0, kBytes, until);
    }
  }
  map.filter(0, UINTPTR_MAX, [](const Access&) { return false; });
  CHECK(map.size() == 0);
}
