// What the tests of the prefetcher share: a device, batches, a link that is slow for a while.
#pragma once

#include "data/data.h"
#include "data/prefetcher.h"
#include "sim/sim.h"

using namespace td;
using namespace td::data;

inline const Device kSim("sim:0");

// Batches of one number in page-locked memory.
inline std::vector<Tensor> numbers(int count) {
  std::vector<Tensor> all;
  for (int i = 0; i < count; ++i) all.push_back(full({4}, i).pin_memory());
  return all;
}

struct SlowLink {
  explicit SlowLink(sim::Link link) : before(sim::link()) { sim::set_link(link); }
  ~SlowLink() { sim::set_link(before); }
  sim::Link before;
};
