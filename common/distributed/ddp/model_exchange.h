// Small exchanges between ranks, with the collectives that all groups have. DistributedDataParallel
// uses them when it is constructed and when it fails, so none of them needs to be fast.
#pragma once

#include <functional>
#include <string>

#include "distributed/process_group.h"

namespace td::distributed {

/// Every rank's text, by rank. @param device where the group's tensors may be.
std::vector<std::string> all_gather_text(ProcessGroup& group, const std::string& text,
                                         Device device);
/// Every rank's numbers, by rank. All ranks must pass equally many.
std::vector<std::vector<std::int64_t>> all_gather_numbers(ProcessGroup& group,
                                                          const std::vector<std::int64_t>& numbers,
                                                          Device device);

/// Sends rank `root`'s values of `tensors` to all ranks, many tensors at once. The others call
/// `take(tensor, values)` for each, with values of the tensor's sizes, type and device.
void broadcast_coalesced(ProcessGroup& group, const TensorList& tensors, int root,
                         const std::function<void(const Tensor&, const Tensor&)>& take);

/// Compares descriptions of the ranks' models, line by line. @throws Error on every rank, with the
/// same message, naming the first line that differs and the ranks.
void check_same_model(ProcessGroup& group, const std::vector<std::string>& lines, Device device);

/// One step, on which all ranks agree.
struct JoinStep {
  int active = 1;          ///< ranks that have a batch
  int root = 0;            ///< the first of them
  bool gradients = false;  ///< its backward averages
  bool buffers = false;    ///< it begins with a broadcast of the buffers
};

/// Every rank passes whether it has a batch and what its forward will do.
/// @throws Error on all ranks when the ranks that have a batch differ in what they will do.
JoinStep agree(ProcessGroup& group, bool has_batch, bool gradients, bool buffers, Device device);

}  // namespace td::distributed
