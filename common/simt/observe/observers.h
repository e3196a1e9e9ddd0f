// All observers of the SIMT machine behind one: the machine is given an Observers, which passes
// each event to the memory check, the race finder and the counters, and makes one report per
// launch. Called by observe() (simt/observe.h) and by the machine; not thread-safe.
//
// Invariant: a report is complete when end_launch returns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simt/observe/gpu_limits.h"
#include "simt/observe/profile.h"
#include "simt/observer.h"

namespace td::simt {

/// What is known of one launch.
struct KernelReport {
  std::string kernel;             ///< Its name without arguments.
  std::vector<Finding> findings;  ///< Faults and notes, in the order in which they were found.
  Profile profile;                ///< What was counted.

  /// The first finding that is a fault, or nullptr where the kernel has none.
  const Finding* first_fault() const;
};

/// The observer that is given to the machine.
class Observers final : public Observer {
 public:
  /// @param gpu the GPU whose occupancy and time bound the profiles give.
  explicit Observers(const GpuLimits& gpu = simt::gpu("H100"));
  ~Observers() override;

  /// Returns the reports of the launches that ended since the last call.
  std::vector<KernelReport> take();

  void begin_launch(const LaunchInfo& launch) override;
  void end_launch(const LaunchInfo& launch) override;
  void begin_block(uint3 block) override;
  void end_block() override;
  bool access(const ThreadInfo& thread, const Access& access) override;
  void barrier(const Site* site) override;
  void grid_barrier() override;
  void resume_block(uint3 block) override;
  void warp_barrier(std::uint32_t warp, std::uint32_t mask) override;
  void fence(const ThreadInfo& thread) override;
  void async_copy(std::size_t bytes, bool is_overlapped) override;
  void basic_block(const ThreadInfo& thread, std::uintptr_t block) override;
  void matrix_product(std::uint32_t warp, int m, int n, int k, const Site* site) override;
  void found(Finding finding) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace td::simt
