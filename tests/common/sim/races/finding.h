// What the tests of the race finder share: the finder on for one test, and tensors on chosen
// streams.
#pragma once

#include <regex>

#include "catch.h"
#include "sim/sim.h"
#include "td/device/stream.h"
#include "td/ops/ops.h"

namespace test {

/// The finder is on, with nothing found yet, until the end of the scope.
class Finding {
 public:
  Finding() : before_(td::sim::finding_races()) {
    for (const char* device : {"sim:0", "sim:1"}) td::synchronize(device);
    td::sim::find_races(true);
    td::sim::take_races();
  }
  ~Finding() {
    for (const char* device : {"sim:0", "sim:1"}) td::synchronize(device);
    td::sim::find_races(before_);
  }
  Finding(const Finding&) = delete;
  Finding& operator=(const Finding&) = delete;

 private:
  bool before_;
};

/// `work()` with `stream` as the current one.
template <class Work>
auto on(const td::Stream& stream, Work work) {
  const td::StreamGuard guard(stream);
  return work();
}

/// The texts of the races found since the last call, with N for the numbers of streams.
inline std::vector<std::string> found() {
  static const std::regex number("(stream ?|of a block of |at byte )[0-9]+");
  std::vector<std::string> texts;
  for (const td::sim::Race& race : td::sim::take_races())
    texts.push_back(std::regex_replace(race.text, number, "$1N"));
  return texts;
}

/// Names of the two operations of each race, as "first, second".
inline std::vector<std::string> pairs() {
  std::vector<std::string> names;
  for (const td::sim::Race& race : td::sim::take_races())
    names.push_back(race.first + ", " + race.second);
  return names;
}

using Texts = std::vector<std::string>;

/// Two streams of sim:0 and 4096 bytes that the first one writes.
struct TwoStreams {
  Finding finding;
  td::Stream one = td::getStreamFromPool("sim:0"), two = td::getStreamFromPool("sim:0");
  td::Tensor x = on(one, [] { return td::ones({1024}, td::Device("sim:0")); });
};

}  // namespace test
