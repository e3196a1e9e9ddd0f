// The observers of the SIMT machine, and one more for programs: reads of memory of the device that
// nothing has written. A kernel of the course has tensors, which are written.
//
// Invariant: passes every event on.
#pragma once

#include <set>
#include <utility>

#include "simt/observe/observers.h"

namespace td::cudart {

class ProgramObserver final : public simt::Observer {
 public:
  explicit ProgramObserver(const simt::GpuLimits& gpu) : all_(gpu) {}
  std::vector<simt::KernelReport> take() { return all_.take(); }

  void begin_launch(const simt::LaunchInfo& launch) override;
  void end_launch(const simt::LaunchInfo& launch) override { all_.end_launch(launch); }
  void begin_block(uint3 block) override { all_.begin_block(block_ = block); }
  void end_block() override { all_.end_block(); }
  bool access(const simt::ThreadInfo& thread, const simt::Access& access) override;
  void barrier(const simt::Site* site) override { all_.barrier(site); }
  void grid_barrier() override { all_.grid_barrier(); }
  void resume_block(uint3 block) override { all_.resume_block(block_ = block); }
  void warp_barrier(std::uint32_t warp, std::uint32_t mask) override {
    all_.warp_barrier(warp, mask);
  }
  void fence(const simt::ThreadInfo& thread) override { all_.fence(thread); }
  void async_copy(std::size_t bytes, bool is_overlapped) override {
    all_.async_copy(bytes, is_overlapped);
  }
  void basic_block(const simt::ThreadInfo& thread, std::uintptr_t block) override {
    all_.basic_block(thread, block);
  }
  void matrix_product(std::uint32_t warp, int m, int n, int k, const simt::Site* site) override {
    all_.matrix_product(warp, m, n, k, site);
  }
  void found(simt::Finding finding) override { all_.found(std::move(finding)); }

 private:
  void check_written(const simt::ThreadInfo& thread, const simt::Access& access);

  simt::Observers all_;
  const simt::LaunchInfo* launch_ = nullptr;
  uint3 block_{};
  std::set<const simt::Site*> told_;  // of this launch
};

}  // namespace td::cudart
