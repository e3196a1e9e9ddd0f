// How tensors are copied between devices. scatter and gather are mostly checks, because split, to
// and cat know how to move and to differentiate. broadcast and reduce_add are each other's
// gradient. Small tensors are copied in one buffer, because a link takes its latency for every
// copy, and a model has many small tensors. Invariant: tensors come out of a buffer in memory of
// their own, in their memory format.
#include "parallel/comm.h"

#include <algorithm>
#include <map>

#include "td/autograd/record.h"
#include "td/ops/op.h"

namespace td::parallel {
namespace {

TensorList split_up(const Tensor& tensor, std::size_t devices,
                    const optional<std::vector<std::int64_t>>& chunk_sizes, std::int64_t dim) {
  TD_CHECK(ShapeError, tensor.dim() > 0,
           "scatter: the tensor has no dimensions and cannot be split; pass a number, which every "
           "device gets, or unsqueeze it");
  const std::int64_t d = wrap_dim("scatter", dim, tensor.dim());
  if (!chunk_sizes) return tensor.chunk(static_cast<std::int64_t>(devices), d);
  TD_CHECK(Error, chunk_sizes->size() == devices, "scatter: ", chunk_sizes->size(),
           " chunk_sizes for ", devices, " devices; give one for each");
  std::int64_t sum = 0;
  for (const std::int64_t size : *chunk_sizes) {
    TD_CHECK(ShapeError, size > 0, "scatter: chunk_sizes must be above 0 but are ",
             IntArrayRef(*chunk_sizes), "; name fewer devices where there is nothing for one");
    sum += size;
  }
  TD_CHECK(ShapeError, sum == tensor.size(d),
           "scatter: given chunk sizes don't sum up to the tensor's size (sum(chunk_sizes) == ",
           sum, ", but expected ", tensor.size(d), ")");
  return tensor.split(IntArrayRef(*chunk_sizes), d);
}

void check_sizes_but(const TensorList& tensors, std::int64_t dim) {
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    Sizes expected(tensors[0].sizes()), own(tensors[i].sizes());
    if (own.size() == expected.size()) expected[dim] = own[dim];
    TD_CHECK(ShapeError, own == expected, "gather: tensors[", i, "] on ", tensors[i].device(),
             " has sizes ", tensors[i].sizes(), " but tensors[0] on ", tensors[0].device(), " has ",
             tensors[0].sizes(), "; they may differ in dimension ", dim,
             " only. Does the model pad its output to the longest row of the part it sees?");
  }
}

}  // namespace

TensorList scatter(const Tensor& tensor, const std::vector<Device>& devices,
                   const optional<std::vector<std::int64_t>>& chunk_sizes, std::int64_t dim) {
  TD_CHECK(Error, !devices.empty(), "scatter: no devices; name at least one");
  TensorList parts = split_up(tensor, devices.size(), chunk_sizes, dim);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = to_device(parts[i], devices[i]);
  return parts;
}

Tensor gather(const TensorList& tensors, std::int64_t dim, const optional<Device>& destination) {
  TD_CHECK(Error, !tensors.empty(), "gather: no tensors; give at least one");
  const Device target =  // by default the current device of the kind
      check_device(destination.value_or(Device(tensors[0].device().type())));
  TensorList parts = tensors;
  if (tensors[0].dim() == 0) {  // losses, say: one number per replica
    TD_CHECK(ShapeError, dim == 0, "gather: the tensors have no dimensions, so they can be ",
             "gathered along dimension 0 only, into a vector, but dim is ", dim);
    for (Tensor& part : parts)
      if (part.dim() == 0) part = part.unsqueeze(0);
  }
  const std::int64_t d = wrap_dim("gather", dim, parts[0].dim());
  check_sizes_but(parts, d);
  for (Tensor& part : parts) part = to_device(part, target);
  return cat(parts, d);
}

namespace {

/// Indices in a list of tensors that are copied in one buffer.
using Group = std::vector<std::size_t>;

/// Tensors of one type, in their order, as many as fit. A tensor larger than the buffer is alone.
std::vector<Group> groups_of(const TensorList& tensors, std::size_t buffer_size) {
  struct Open {
    Group group;
    std::size_t bytes = 0;
  };
  std::map<ScalarType, Open> open;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Open& current = open[tensors[i].dtype()];
    if (!current.group.empty() && current.bytes + tensors[i].nbytes() > buffer_size) {
      groups.push_back(std::move(current.group));
      current = {};
    }
    current.group.push_back(i);
    current.bytes += tensors[i].nbytes();
  }
  for (auto& [type, last] : open) groups.push_back(std::move(last.group));
  return groups;
}

/// Calls f(i, view) for each tensor of the group, with its view of the buffer, which has the
/// tensor's memory format, so that channels-last weights stay so.
template <class F>
void for_each_view(const Tensor& buffer, const TensorList& like, const Group& group, F&& f) {
  std::int64_t offset = 0;
  for (const std::size_t i : group) {
    const Sizes sizes(like[i].sizes());
    f(i, alias(buffer, sizes, preserved_strides(sizes, like[i].strides()), offset));
    offset += like[i].numel();
  }
}

/// A new buffer with the elements of the group's tensors. `like` has their sizes and layouts.
Tensor pack(const TensorList& tensors, const TensorList& like, const Group& group) {
  Sizes total{0};
  for (const std::size_t i : group) total[0] += tensors[i].numel();
  const Tensor buffer = empty_on(total, tensors[group[0]].dtype(), tensors[group[0]].device());
  for_each_view(buffer, like, group,
                [&](std::size_t i, const Tensor& view) { view.copy_(tensors[i]); });
  return buffer;
}

/// The tensors that pack() put together, as elements of `out` on the buffer's device. In memory of
/// their own: views of the buffer would share one version counter.
void unpack(const Tensor& buffer, const TensorList& like, const Group& group, TensorList& out) {
  for_each_view(buffer, like, group,
                [&](std::size_t i, const Tensor& view) { out[i] = view.clone(); });
}

void check_summand(const Tensor& input, const Tensor& first, std::size_t i) {
  TD_CHECK(ShapeError, input.sizes() == first.sizes(), "reduce_add: inputs[", i, "] on ",
           input.device(), " has sizes ", input.sizes(), " but inputs[0] on ", first.device(),
           " has ", first.sizes(), "; all must be equal");
  TD_CHECK(DtypeError, input.dtype() == first.dtype(), "reduce_add: inputs[", i, "] on ",
           input.device(), " is ", input.dtype(), " but inputs[0] on ", first.device(), " is ",
           first.dtype(), "; all must be equal");
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

bool on_one_device(const TensorList& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const Tensor& t) { return t.device() == tensors[0].device(); });
}

}  // namespace

Tensor reduce_add(const TensorList& inputs, const optional<Device>& destination) {
  TD_CHECK(Error, !inputs.empty(), "reduce_add: no inputs; give at least one");
  for (std::size_t i = 1; i < inputs.size(); ++i) check_summand(inputs[i], inputs[0], i);
  const Device target =
      check_device(destination.value_or(Device(inputs[0].device().type())));  // the current one
  const auto root = std::find_if(inputs.begin(), inputs.end(),
                                 [&](const Tensor& input) { return input.device() == target; });
  TD_CHECK(DeviceError, root != inputs.end(),
           "reduce_add: none of the inputs is on the destination ", target,
           "; the sum is made where one of them is");
  Tensor sum = *root;  // the first addition makes a new tensor, the others add to it
  for (auto input = inputs.begin(); input != inputs.end(); ++input) {
    if (input == root) continue;
    const Tensor other = to_device(*input, target);
    sum = sum.is_same(*root) ? sum + other : sum.add_(other);
  }
  return sum;
}

TensorList reduce_add_coalesced(const std::vector<TensorList>& inputs,
                                const optional<Device>& destination, std::size_t buffer_size) {
  check_lists(inputs);
  // Recorded sums are made one by one: reduce_add consists of recorded operations.
  const bool recorded = std::any_of(inputs.begin(), inputs.end(),
                                    [](const TensorList& tensors) { return recording(tensors); });
  TensorList sums(inputs[0].size());
  for (const Group& group : groups_of(inputs[0], buffer_size)) {
    // Packing pays off for many tensors that are copied over a link.
    if (recorded || group.size() == 1 || on_one_device(summands_of(inputs, group[0]))) {
      for (const std::size_t t : group) sums[t] = reduce_add(summands_of(inputs, t), destination);
      continue;
    }
    TensorList buffers;
    for (const TensorList& of_device : inputs) buffers.push_back(pack(of_device, inputs[0], group));
    unpack(reduce_add(buffers, destination), inputs[0], group, sums);
  }
  return sums;
}

namespace {

TensorList copies_on(const TensorList& tensors, Device device, std::size_t buffer_size) {
  TensorList copies(tensors.size());
  for (const Group& group : groups_of(tensors, buffer_size)) {
    if (group.size() == 1 || tensors[group[0]].device() == device) {  // no copy over a link to save
      for (const std::size_t i : group) copies[i] = to_device(tensors[i], device, /*copy=*/true);
    } else {
      unpack(to_device(pack(tensors, tensors, group), device), tensors, group, copies);
    }
  }
  return copies;
}

// Gradients of a broadcast: outputs[d * sources + t] is summed over the devices d.
void sum_gradients(Gradients& grads, const SmallVector<Tensor, 1>& outputs, std::size_t sources,
                   Device root) {
  std::vector<TensorList> together(outputs.size() / sources);
  std::vector<std::size_t> indices;
  for (std::size_t t = 0; t < sources; ++t) {
    if (!grads.should_compute(t)) continue;
    TensorList summands;
    for (std::size_t i = t; i < outputs.size(); i += sources)
      if (outputs[i].defined()) summands.push_back(outputs[i]);
    if (summands.size() == together.size()) {
      for (std::size_t d = 0; d < summands.size(); ++d) together[d].push_back(summands[d]);
      indices.push_back(t);
      continue;
    }
    for (const Tensor& g : summands)  // some replica did not use it
      grads[t] = grads[t].defined() ? grads[t] + g.to(root) : g.to(root);
  }
  const TensorList sums = reduce_add_coalesced(together, root);
  for (std::size_t i = 0; i < indices.size(); ++i) grads[indices[i]] = sums[i];
}

}  // namespace

void record_broadcast(const std::vector<TensorList>& copies, const TensorList& sources) {
  if (sources.empty()) return;
  TensorList results;
  for (const TensorList& of_device : copies)
    results.insert(results.end(), of_device.begin(), of_device.end());
  std::vector<Device> targets;
  for (const Tensor& source : sources) targets.push_back(source.device());
  record("broadcast", results, sources,
         [root = results[0].device(), targets](Gradients& grads, SmallVector<Tensor, 1>& outputs) {
           sum_gradients(grads, outputs, targets.size(), root);
           for (std::size_t t = 0; t < targets.size(); ++t)
             if (grads[t].defined()) grads[t] = grads[t].to(targets[t]);
         });
}

std::vector<TensorList> broadcast_coalesced(const TensorList& tensors,
                                            const std::vector<Device>& devices,
                                            std::size_t buffer_size) {
  TD_CHECK(Error, !devices.empty(), "broadcast_coalesced: no devices; name at least one");
  const Device first = check_device(devices[0]);
  TensorList plain;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    TD_CHECK(DeviceError, tensors[t].device() == first, "broadcast: tensors[", t, "] is on ",
             tensors[t].device(), " but devices[0] is ", first,
             "; the first device must be the one that has the values");
    plain.push_back(tensors[t].detach());
  }
  std::vector<TensorList> all{tensors};
  {
    NoGradGuard no_grad;
    for (std::size_t d = 1; d < devices.size(); ++d)
      all.push_back(copies_on(plain, check_device(devices[d]), buffer_size));
  }
  if (!recording(tensors)) return all;
  // Only what requires grad joins the graph; element 0 then needs a handle of its own.
  TensorList sources;
  std::vector<TensorList> recorded(devices.size());
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!tensors[t].requires_grad()) continue;
    sources.push_back(tensors[t]);
    all[0][t] = tensors[t].detach();
    for (std::size_t d = 0; d < devices.size(); ++d) recorded[d].push_back(all[d][t]);
  }
  record_broadcast(recorded, sources);
  return all;
}

TensorList broadcast(const Tensor& tensor, const std::vector<Device>& devices) {
  TD_CHECK(Error, !devices.empty(), "broadcast: no devices; name at least one");
  TensorList copies;
  if (tensor.is_cpu() && !check_device(devices[0]).is_cpu())  // no device has it yet
    for (const Device& device : devices) copies.push_back(tensor.to(device));
  else
    for (const TensorList& of_device : broadcast_coalesced({tensor}, devices))
      copies.push_back(of_device[0]);
  return copies;
}

}  // namespace td::parallel
