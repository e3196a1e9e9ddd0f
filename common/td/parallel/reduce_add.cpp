// reduce_add: sums of tensors that lie on several devices, made on one of them.
#include <algorithm>

#include "td/autograd/record.h"
#include "td/ops/ops.h"
#include "td/parallel/coalesce.h"
#include "td/parallel/comm.h"

namespace td::parallel {
namespace {

void check_summand(const Tensor& input, const Tensor& first, std::size_t i) {
  TD_CHECK(ShapeError, input.sizes() == first.sizes(), "reduce_add: inputs[", i, "] on ",
           input.device(), " has sizes ", input.sizes(), " but inputs[0] on ", first.device(),
           " has ", first.sizes(), "; all must be equal");
  TD_CHECK(DtypeError, input.dtype() == first.dtype(), "reduce_add: inputs[", i, "] on ",
           input.device(), " is ", input.dtype(), " but inputs[0] on ", first.device(), " is ",
           first.dtype(), "; all must be equal");
}

// The place of the input that is on the destination: the sum starts from it.
std::size_t root_of(const TensorList& inputs, Device destination) {
  const auto root = std::find_if(inputs.begin(), inputs.end(), [&](const Tensor& input) {
    return input.device() == destination;
  });
  TD_CHECK(DeviceError, root != inputs.end(),
           "reduce_add: none of the inputs is on the destination ", destination,
           "; the sum is made where one of them is");
  return static_cast<std::size_t>(root - inputs.begin());
}

// Summand by summand of sum `t`.
TensorList summands_of(const std::vector<TensorList>& inputs, std::size_t t) {
  TensorList summands;
  for (const TensorList& of_device : inputs) summands.push_back(of_device[t]);
  return summands;
}

void check_lists(const std::vector<TensorList>& inputs) {
  TD_CHECK(Error, !inputs.empty(), "reduce_add_coalesced: no inputs; give a list for each device");
  for (std::size_t d = 0; d < inputs.size(); ++d) {
    TD_CHECK(Error, inputs[d].size() == inputs[0].size(), "reduce_add_coalesced: inputs[", d,
             "] has ", inputs[d].size(), " tensors but inputs[0] has ", inputs[0].size(),
             "; every device gives one for each sum");
    for (std::size_t t = 0; t < inputs[d].size(); ++t) check_summand(inputs[d][t], inputs[0][t], d);
  }
}

// A link to cross, and many tensors.
bool worth_packing(const TensorList& summands, const Group& group) {
  const bool one_device = std::all_of(summands.begin(), summands.end(), [&](const Tensor& t) {
    return t.device() == summands[0].device();
  });
  return group.size() > 1 && !one_device;
}

}  // namespace

Tensor reduce_add(const TensorList& inputs, const optional<Device>& destination) {
  TD_CHECK(Error, !inputs.empty(), "reduce_add: no inputs; give at least one");
  for (std::size_t i = 1; i < inputs.size(); ++i) check_summand(inputs[i], inputs[0], i);
  const Device target =
      check_device(destination.value_or(Device(inputs[0].device().type())));  // the current one
  const std::size_t root = root_of(inputs, target);
  Tensor sum = inputs[root];
  bool is_new = false;  // the first addition makes a new tensor, the others add to it
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i == root) continue;
    const Tensor other = inputs[i].to(target, inputs[i].dtype(), !target.is_cpu());
    sum = is_new ? sum.add_(other) : sum + other;
    is_new = true;
  }
  return sum;
}

TensorList reduce_add_coalesced(const std::vector<TensorList>& inputs,
                                const optional<Device>& destination, std::size_t buffer_size) {
  check_lists(inputs);
  bool recorded = false;  // then one by one: reduce_add is made of recorded operations
  for (const TensorList& of_device : inputs) recorded = recorded || recording(of_device);
  TensorList sums(inputs[0].size());
  for (const Group& group : groups_of(inputs[0], buffer_size)) {
    if (recorded || !worth_packing(summands_of(inputs, group[0]), group)) {
      for (const std::size_t t : group) sums[t] = reduce_add(summands_of(inputs, t), destination);
      continue;
    }
    TensorList buffers;
    for (const TensorList& of_device : inputs) buffers.push_back(pack(of_device, inputs[0], group));
    unpack(reduce_add(buffers, destination), inputs[0], group, sums);
  }
  return sums;
}

}  // namespace td::parallel
