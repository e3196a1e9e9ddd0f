// Which blocks of a grid access an array. For kernels whose blocks share the work.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check_kernels.h"
#include "simt/run.h"

namespace check {

/// Fails unless every block of the grid reads elements of the array.
/// @param kernel calls the kernel with arguments in host memory, for one thread.
/// @param array what the message calls the array.
template <class T>
void expect_all_blocks_read(unsigned blocks, unsigned threads, const std::vector<T>& elements,
                            const std::string& array, const std::function<void()>& kernel) {
  struct Reads : td::simt::Observer {
    void begin_block(uint3 at) override { block = at.x; }
    bool access(const td::simt::ThreadInfo&, const td::simt::Access& a) override {
      if (a.kind == td::simt::kLoad && a.address >= begin && a.address < end) ++of[block];
      return true;
    }
    std::uintptr_t begin = 0, end = 0;
    std::size_t block = 0;
    std::vector<std::size_t> of;
  } reads;
  reads.begin = reinterpret_cast<std::uintptr_t>(elements.data());
  reads.end = reads.begin + elements.size() * sizeof(T);
  reads.of.resize(blocks);
  td::simt::Launch launch;
  launch.info.grid = dim3(blocks);
  launch.info.block = dim3(threads);
  launch.call = [](const void* work) { (*static_cast<const std::function<void()>*>(work))(); };
  launch.arguments = &kernel;
  td::simt::run(launch, &reads, {});
  for (std::size_t b = 0; b < reads.of.size(); ++b)
    expect(reads.of[b] > 0, "block " + std::to_string(b) + " of " + std::to_string(blocks) +
                                " with " + std::to_string(threads) +
                                " threads each reads none of the " +
                                std::to_string(elements.size()) + " elements of `" + array +
                                "`: the blocks must share the work");
}

}  // namespace check
