// Checks of the arguments, and the forms with lists, which go through one tensor.
#include "distributed/process_group.h"

#include "td/autograd/modes.h"
#include "td/device/graph.h"
#include "td/ops/op.h"

namespace td::distributed {
namespace {

void check_tensor(const char* call, const char* name, const Tensor& tensor) {
  TD_CHECK(Error, tensor.defined(), call, ": \"", name, "\" is undefined");
  TD_CHECK(ShapeError, tensor.is_contiguous(), call, ": \"", name, "\" must be contiguous; pass ",
           name, ".contiguous() and copy the result back");
}

void check_alike(const char* call, const char* name, const Tensor& a, const Tensor& b) {
  TD_CHECK(DtypeError, a.dtype() == b.dtype(), call, ": \"", name, "\" is ", dtype_name(a.dtype()),
           " but expected ", dtype_name(b.dtype()), "; all tensors must have one type");
  TD_CHECK(DeviceError, a.device() == b.device(), call, ": \"", name, "\" is on ", a.device(),
           " but expected ", b.device(), "; all tensors of one rank must be on one device");
}

// The part of a rank may be where it belongs in the whole; elsewhere, a rank would read what has
// been written already.
void check_overlap(const char* call, const Tensor& output, const Tensor& input, int rank) {
  const bool gathers = output.numel() > input.numel();
  const Tensor &part = gathers ? input : output, &whole = gathers ? output : input;
  const std::int64_t place = whole.storage_offset() + rank * part.numel();
  if (part.impl().storage == whole.impl().storage && part.storage_offset() == place) return;
  assert_no_overlap(call, output, input, "input");
}

void check_reduce(const char* call, const Tensor& tensor, ReduceOp op) {
  TD_CHECK(DtypeError, op != ReduceOp::AVG || tensor.is_floating_point(), call, ": the average of ",
           dtype_name(tensor.dtype()), " tensors is not an integer; use ReduceOp::SUM and divide");
  TD_CHECK(DtypeError, tensor.dtype() != kBool || op == ReduceOp::MIN || op == ReduceOp::MAX, call,
           ": a bool tensor has no ", reduce_name(op),
           "; use ReduceOp::MAX for \"any\" and ReduceOp::MIN for \"all\"");
}

// `list` must be `size` tensors like `one`.
void check_list(const char* call, const char* name, const TensorList& list, const Tensor& one,
                int size) {
  TD_CHECK(ShapeError, list.size() == static_cast<std::size_t>(size), call, ": \"", name, "\" has ",
           list.size(), " tensors, but the group has ", size, " ranks; give one tensor a rank");
  for (const Tensor& tensor : list) {
    TD_CHECK(Error, tensor.defined(), call, ": \"", name, "\" has an undefined tensor");
    check_alike(call, name, tensor, one);
    TD_CHECK(ShapeError, tensor.numel() == one.numel(), call, ": \"", name, "\" has a tensor of ",
             tensor.numel(), " elements, expected ", one.numel());
  }
}

}  // namespace

ProcessGroup::ProcessGroup(int rank, int size) : rank_(rank), size_(size) {
  TD_CHECK(Error, rank >= 0 && rank < size, "process group: rank ", rank, " of ", size,
           " does not exist; ranks count from 0");
}

std::shared_ptr<Work> ProcessGroup::begin(CollectiveType type, const Tensor& input,
                                          const Tensor& output, std::int64_t numel, int peer,
                                          ReduceOp op, int tag) {
  const bool counts = type != CollectiveType::kSend && type != CollectiveType::kReceive;
  const char* name = collective_name(type);
  TD_CHECK(Error, peer >= 0 && peer < size_, name, ": there is no rank ", peer,
           "; the group has ranks 0 to ", size_ - 1);
  if (capturing_graph())
    fail_in_capture(name,
                    "A thread of the host takes part in each collective, and a replay has none. "
                    "Capture what lies before and behind it as two graphs.");
  Collective call;
  call.key = {counts ? sequence_ + 1 : 0,
              numel,
              peer,
              tag,
              type,
              op,
              output.defined() ? output.dtype() : kFloat};
  if (output.defined()) call.output = output.detach();
  call.input = input.is_same(output) ? call.output : input.detach();
  auto work = start(std::move(call));
  if (counts) ++sequence_;  // a rejected call does not count
  const bool only_reads =
      type == CollectiveType::kSend || (type == CollectiveType::kBroadcast && peer == rank_);
  if (output.defined() && !only_reads) output.impl().storage->bump_version();
  return work;
}

std::shared_ptr<Work> ProcessGroup::begin_between(CollectiveType type, const Tensor& tensor,
                                                  int peer, int tag) {
  const char* name = collective_name(type);
  check_tensor(name, "tensor", tensor);
  TD_CHECK(Error, peer != rank_, name, ": rank ", rank_, " is this rank itself");
  TD_CHECK(Error, tag >= 0, name, ": tag must not be negative, got ", tag);
  return begin(type, tensor, tensor, tensor.numel(), peer, ReduceOp::SUM, tag);
}

std::shared_ptr<Work> ProcessGroup::broadcast(const Tensor& tensor, int root) {
  check_tensor("broadcast", "tensor", tensor);
  return begin(CollectiveType::kBroadcast, tensor, tensor, tensor.numel(), root);
}

std::shared_ptr<Work> ProcessGroup::all_reduce(const Tensor& tensor, ReduceOp op) {
  check_tensor("all_reduce", "tensor", tensor);
  check_reduce("all_reduce", tensor, op);
  return begin(CollectiveType::kAllReduce, tensor, tensor, tensor.numel(), 0, op);
}

std::shared_ptr<Work> ProcessGroup::reduce(const Tensor& tensor, int root, ReduceOp op) {
  check_tensor("reduce", "tensor", tensor);
  check_reduce("reduce", tensor, op);
  return begin(CollectiveType::kReduce, tensor, tensor, tensor.numel(), root, op);
}

std::shared_ptr<Work> ProcessGroup::all_gather_into_tensor(const Tensor& output,
                                                           const Tensor& input) {
  const char* name = "all_gather_into_tensor";
  check_tensor(name, "input", input);
  check_tensor(name, "output", output);
  check_alike(name, "output", output, input);
  TD_CHECK(ShapeError, output.numel() == input.numel() * size_, name, ": \"output\" has ",
           output.numel(), " elements, expected ", size_, " ranks x ", input.numel());
  check_overlap(name, output, input, rank_);
  return begin(CollectiveType::kAllGather, input, output, input.numel());
}

std::shared_ptr<Work> ProcessGroup::all_gather(const TensorList& outputs, const Tensor& input) {
  check_tensor("all_gather", "input", input);
  check_list("all_gather", "outputs", outputs, input, size_);
  Tensor all = empty({size_, input.numel()}, input.options().requires_grad(false));
  auto work = begin(CollectiveType::kAllGather, input, all, input.numel());
  return std::make_shared<ThenWork>(std::move(work), [outputs, all] {
    NoGradGuard no_grad;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      outputs[i].copy_(all[static_cast<std::int64_t>(i)].view(outputs[i].sizes()));
  });
}

std::shared_ptr<Work> ProcessGroup::reduce_scatter_tensor(const Tensor& output, const Tensor& input,
                                                          ReduceOp op) {
  const char* name = "reduce_scatter_tensor";
  check_tensor(name, "output", output);
  check_tensor(name, "input", input);
  check_alike(name, "input", input, output);
  check_reduce(name, output, op);
  TD_CHECK(ShapeError, input.numel() == output.numel() * size_, name, ": \"input\" has ",
           input.numel(), " elements, expected ", size_, " ranks x ", output.numel());
  check_overlap(name, output, input, rank_);
  return begin(CollectiveType::kReduceScatter, input, output, output.numel(), 0, op);
}

std::shared_ptr<Work> ProcessGroup::reduce_scatter(const Tensor& output, const TensorList& inputs,
                                                   ReduceOp op) {
  check_tensor("reduce_scatter", "output", output);
  check_list("reduce_scatter", "inputs", inputs, output, size_);
  check_reduce("reduce_scatter", output, op);
  NoGradGuard no_grad;
  TensorList flat;
  for (const Tensor& input : inputs) flat.push_back(input.detach().reshape({-1}));
  return begin(CollectiveType::kReduceScatter, cat(flat), output, output.numel(), 0, op);
}

std::shared_ptr<Work> ProcessGroup::barrier() { return begin(CollectiveType::kBarrier, {}, {}, 0); }

std::shared_ptr<Work> ProcessGroup::send(const Tensor& tensor, int to, int tag) {
  return begin_between(CollectiveType::kSend, tensor, to, tag);
}

std::shared_ptr<Work> ProcessGroup::recv(const Tensor& tensor, int from, int tag) {
  return begin_between(CollectiveType::kReceive, tensor, from, tag);
}

Tensor ProcessGroup::empty_shared(std::int64_t numel, const TensorOptions& options) {
  return empty({numel}, options);
}

}  // namespace td::distributed
