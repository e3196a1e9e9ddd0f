// The ranks that train together, seen from one of them. Programs get a group from
// init_process_group (distributed.h) and call its methods; DistributedDataParallel does too.
// Invariant: all ranks call the same collectives in the same order, from one thread each.
#pragma once

#include <memory>

#include "distributed/collective.h"

namespace td::distributed {

/// A group of `size` ranks. Methods check their arguments, count the call and return immediately
/// with the work in flight; `->wait()` blocks until it is done. Tensors must be contiguous and
/// alike on all ranks in number and type of elements.
/// @throws ShapeError, DtypeError for arguments that no group could take; DistributedError (at
/// wait) when the ranks' calls do not match.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  /// This process's number, 0 to size() - 1.
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// How the data moves: "gloo", "shared memory", "nccl", "one rank".
  virtual const char* transport() const = 0;

  /// Rank `root`'s values are sent to all ranks.
  std::shared_ptr<Work> broadcast(const Tensor& tensor, int root = 0);
  /// Every rank gets the elements of all ranks reduced to one, in place, bitwise identical on all
  /// ranks.
  std::shared_ptr<Work> all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::SUM);
  /// The same for rank `root` alone; the values on the other ranks are then undefined.
  std::shared_ptr<Work> reduce(const Tensor& tensor, int root = 0, ReduceOp op = ReduceOp::SUM);
  /// Every rank gets the tensors of all: `outputs` has one tensor per rank, each like `input`.
  std::shared_ptr<Work> all_gather(const TensorList& outputs, const Tensor& input);
  /// The same into one tensor of size() times as many elements, rank after rank. `input` may be
  /// this rank's part of it.
  std::shared_ptr<Work> all_gather_into_tensor(const Tensor& output, const Tensor& input);
  /// Rank i gets the i-th of `inputs`, reduced over the ranks.
  std::shared_ptr<Work> reduce_scatter(const Tensor& output, const TensorList& inputs,
                                       ReduceOp op = ReduceOp::SUM);
  /// The same from one tensor of size() times as many elements. `output` may be this rank's part.
  std::shared_ptr<Work> reduce_scatter_tensor(const Tensor& output, const Tensor& input,
                                              ReduceOp op = ReduceOp::SUM);
  /// Blocks until all ranks have called it.
  std::shared_ptr<Work> barrier();
  /// To and from one other rank, which makes the counterpart with the same tag. They need no order
  /// with the collectives and are not counted among them.
  ///@{
  std::shared_ptr<Work> send(const Tensor& tensor, int to, int tag = 0);
  std::shared_ptr<Work> recv(const Tensor& tensor, int from, int tag = 0);
  ///@}

  /// Memory for a tensor that is reduced again and again: `numel` elements, uninitialized. Where
  /// ranks share memory it is allocated there and needs no copying; elsewhere it is like any other.
  /// All ranks must call this in the same order.
  virtual Tensor empty_shared(std::int64_t numel, const TensorOptions& options);
  /// Collectives started so far.
  std::uint64_t sequence() const { return sequence_; }

 protected:
  ProcessGroup(int rank, int size);
  /// Carries out a checked call, in the order of calls.
  virtual std::shared_ptr<Work> start(Collective call) = 0;

 private:
  std::shared_ptr<Work> begin(CollectiveType type, const Tensor& input, const Tensor& output,
                              std::int64_t numel, int peer = 0, ReduceOp op = ReduceOp::SUM,
                              int tag = 0);
  std::shared_ptr<Work> begin_between(CollectiveType type, const Tensor& tensor, int peer, int tag);

  int rank_, size_;
  std::uint64_t sequence_ = 0;
};

}  // namespace td::distributed
