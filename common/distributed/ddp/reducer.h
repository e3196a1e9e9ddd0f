// The main part of DistributedDataParallel: averages gradients over the ranks while backward is
// still running. Every parameter has a hook that tells the reducer when its gradient is finished; a
// bucket whose gradients have all come is sent; the end of backward waits for all of them.
// Invariant: every rank sends buckets 0, 1, 2, ... in order, whichever is complete first.
#pragma once

#include "distributed/ddp/bucket.h"
#include "td/base/arg.h"

namespace td::distributed {

/// Settings, with Python's names and defaults except for gradient_as_bucket_view.
struct DistributedDataParallelOptions {
  /// The ranks; by default those of init_process_group.
  TD_ARG(std::shared_ptr<ProcessGroup>, process_group) = nullptr;
  /// The one device of a module on an accelerator, or nothing. For a module on the cpu: nothing.
  TD_ARG(std::vector<Device>, device_ids) = {};
  /// Before each forward all ranks get rank 0's buffers (the running averages of batch norm).
  TD_ARG(bool, broadcast_buffers) = true;
  /// How much is averaged at once, in MiB: more means fewer all-reduces, which start later.
  TD_ARG(double, bucket_cap_mb) = 25;
  /// The same for the bucket that is sent first.
  TD_ARG(double, first_bucket_mb) = 1;
  /// Some parameters may get no gradient in some steps, not the same ones on all ranks.
  TD_ARG(bool, find_unused_parameters) = false;
  /// Gradients are views into the buckets, which saves a copy of them all; else they are copied in
  /// and out, as by default in Python.
  TD_ARG(bool, gradient_as_bucket_view) = true;
};

/// See above. Not thread-safe: used by the thread that calls forward and backward.
class Reducer {
 public:
  /// @param names the names of the parameters in messages.
  Reducer(std::vector<std::string> names, TensorList parameters,
          std::shared_ptr<ProcessGroup> group, DistributedDataParallelOptions options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// Call before a forward pass whose backward pass averages. Once, after the first backward, forms
  /// the buckets again in the order in which rank `root`'s gradients became ready.
  void prepare_for_forward(int root = 0);
  /// Call after a forward pass. @param averages false: its backward does not average (no_sync).
  /// @param outputs the forward's results, from which unused parameters are found.
  /// @param active ranks that still have batches (join).
  void prepare_for_backward(bool averages, const TensorList& outputs, int active);
  /// Makes the calls of one backward pass with zeros, for a rank without batches (join).
  void shadow_backward(int active);

  /// Averages with `hook` from now on. @throws Error when there is one already.
  void register_comm_hook(CommHook hook);
  /// Inside no_sync: gradients that no forward has announced are left alone.
  bool in_no_sync = false;
  /// join: divide by the ranks that still have batches, not by all.
  bool divide_by_active = false;

  /// The buckets in the order of sending, for tests.
  const std::vector<std::unique_ptr<Bucket>>& buckets() const { return buckets_; }
  /// How often they were rebuilt: 0 or 1.
  std::size_t rebuilds() const { return rebuilds_; }

 private:
  enum class Phase { kIdle, kForwardDone, kBackward };
  struct VariableLocator {
    Bucket* bucket;
    std::size_t intra_bucket_index;
  };

  void build_buckets(const std::vector<std::size_t>& order);
  void gradient_finished(std::size_t number);
  void begin_backward();
  void add(std::size_t number, bool used);
  void launch_complete();
  void end_backward();
  void finish(bool has_batch);
  void count_users();
  void refuse_unused(bool has_batch);
  std::string unused_here() const;

  std::vector<std::string> names_;
  TensorList parameters_;
  std::shared_ptr<ProcessGroup> group_;
  const DistributedDataParallelOptions options_;
  // A cuda device has not averaged yet when the host has finished a backward pass, and reading the
  // buckets' flags would block the host. Where every parameter must be used, each rank therefore
  // checks only its own parameters. The others learn of an error when that rank ends.
  const bool alone_;
  CommHook hook_;
  std::vector<unsigned> hook_numbers_;

  std::vector<std::unique_ptr<Bucket>> buckets_;
  std::vector<VariableLocator> locators_;  // where each parameter's gradient is
  std::vector<int> users_;                 // ranks that used each parameter, in the last backward

  Phase phase_ = Phase::kIdle;
  bool averages_ = true;  // in the present forward and backward pass
  int active_;
  std::size_t next_ = 0;                // the bucket to send next
  std::vector<std::size_t> unreached_;  // parameters that the outputs do not depend on
  std::vector<bool> accumulated_;   // parameters used since the last average, in passes without one
  std::vector<std::size_t> order_;  // as gradients became ready, in the first backward
  bool order_known_ = false;
  std::size_t rebuilds_ = 0;
};

}  // namespace td::distributed
