// Plays a launch to the observers by hand: blocks, accesses at real addresses, barriers. The tests
// of this directory say what threads do, and check the report.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "simt/observe/observers.h"

namespace td::simt {

/// A launch of a kernel in "sum.cu". Tensors and shared variables have memory of their own; their
/// addresses are multiples of 512, as sim's are, with a gap after each.
class Script {
 public:
  explicit Script(dim3 block, dim3 grid = 1) {
    info_.kernel = "sum";
    info_.site = at(3);
    info_.grid = grid;
    info_.block = block;
  }

  /// Adds a tensor, and returns its address.
  char* tensor(const std::string& name, std::size_t elements, std::size_t element_size = 4,
               bool is_const = false, std::vector<std::int64_t> sizes = {}) {
    char* begin = memory(elements * element_size);
    if (sizes.empty()) sizes = {static_cast<std::int64_t>(elements)};
    info_.arguments.push_back({name, reinterpret_cast<std::uintptr_t>(begin),
                               elements * element_size, element_size, type(element_size), sizes,
                               is_const});
    return begin;
  }
  char* shared(const std::string& name, std::size_t elements, std::size_t element_size = 4,
               bool dynamic = false) {
    char* begin = memory(elements * element_size);
    add_shared(name, begin, elements, element_size, dynamic);
    return begin;
  }
  void add_shared(const std::string& name, char* begin, std::size_t elements,
                  std::size_t element_size, bool dynamic = false) {
    if (dynamic) info_.dynamic_shared = elements * element_size;
    info_.shared.push_back({name, type(element_size), element_size,
                            reinterpret_cast<std::uintptr_t>(begin), elements * element_size,
                            dynamic});
  }
  LaunchInfo& info() { return info_; }

  /// Runs `block` for each block of the grid and returns the report.
  KernelReport run(const std::function<void()>& block, Observers& observers) {
    observers_ = &observers;
    observers.begin_launch(info_);
    for (block_.z = 0; block_.z < info_.grid.z; ++block_.z)
      for (block_.y = 0; block_.y < info_.grid.y; ++block_.y)
        for (block_.x = 0; block_.x < info_.grid.x; ++block_.x) {
          observers.begin_block(block_);
          block();
          observers.end_block();
        }
    observers.end_launch(info_);
    return observers.take().at(0);
  }
  KernelReport run(const std::function<void()>& block) {
    Observers observers;
    return run(block, observers);
  }
  uint3 block() const { return block_; }
  unsigned threads() const { return info_.block.x * info_.block.y * info_.block.z; }
  /// Runs `thread(linear)` for each thread of the block.
  template <class Thread>
  void each(Thread thread) {
    for (unsigned t = 0; t < threads(); ++t) thread(t);
  }

  bool access(unsigned thread, AccessKind kind, const void* address, std::size_t bytes, int line,
              int column = 1, bool is_compare = false) {
    Access access{kind,
                  Space::kGlobal,
                  is_volatile,
                  0,
                  static_cast<std::uint32_t>(bytes),
                  reinterpret_cast<std::uintptr_t>(address),
                  at(line, column),
                  false,
                  is_compare};
    for (std::size_t i = 0; i < info_.shared.size(); ++i)
      if (access.address - info_.shared[i].begin < info_.shared[i].bytes + kGap / 2) {
        access.space = Space::kShared;
        access.variable = static_cast<std::uint16_t>(i);
      }
    return observers_->access(info(thread), access);
  }
  bool read(unsigned thread, const void* address, int line, std::size_t bytes = 4) {
    return access(thread, AccessKind::kRead, address, bytes, line);
  }
  bool write(unsigned thread, void* address, int line, std::size_t bytes = 4) {
    return access(thread, AccessKind::kWrite, address, bytes, line, 2);
  }
  /// Writes a value, which is then in memory.
  void put(unsigned thread, void* address, int line, int value) {
    if (write(thread, address, line)) std::memcpy(address, &value, sizeof value);
  }
  bool atomic(unsigned thread, void* address, int line, std::size_t bytes = 4) {
    return access(thread, AccessKind::kAtomic, address, bytes, line, 3);
  }
  bool compare(unsigned thread, void* address, int line) {
    return access(thread, AccessKind::kAtomic, address, 4, line, 3, true);
  }
  void barrier(int line) { observers_->barrier(at(line)); }
  void warp_barrier(unsigned warp, std::uint32_t mask = ~0u) {
    observers_->warp_barrier(warp, mask);
  }
  void fence(unsigned thread) { observers_->fence(info(thread)); }
  Observers& observers() { return *observers_; }

  ThreadInfo info(unsigned linear) const {
    const dim3 block = info_.block;
    return {{linear % block.x, linear / block.x % block.y, linear / block.x / block.y}, linear};
  }
  /// One object per place, for all scripts.
  static const Site* at(int line, int column = 1) {
    static std::deque<Site> sites;
    for (const Site& site : sites)
      if (site.line == line && site.column == column) return &site;
    return &sites.emplace_back(Site{"kernels/sum.cu", line, column, "sum"});
  }

  bool is_volatile = false;  ///< of the following accesses

 private:
  static constexpr std::size_t kGap = 512;

  static std::string type(std::size_t size) {
    return size == 1    ? "unsigned char"
           : size == 2  ? "__half"
           : size == 8  ? "double"
           : size == 16 ? "float4"
                        : "float";
  }
  char* memory(std::size_t bytes) {
    std::vector<char>& block = blocks_.emplace_back(bytes + 3 * kGap, 0);
    const auto address = reinterpret_cast<std::uintptr_t>(block.data());
    return block.data() + (kGap - address % kGap) + kGap;
  }

  LaunchInfo info_;
  Observers* observers_ = nullptr;
  uint3 block_{};
  std::deque<std::vector<char>> blocks_;
};

}  // namespace td::simt
