// broadcast and reduce_add: copies for all devices, and sums of what several devices hold. Each is
// the other's gradient. Small tensors are copied in one buffer, because a link takes its latency
// for every copy, and a model has many small tensors. Invariant: tensors come out of a buffer in
// memory of their own, in their memory format.
#include <algorithm>

#include "td/autograd/record.h"
#include "td/ops/ops.h"
#include "td/parallel/comm.h"

namespace td::parallel {
namespace {

/// Indices in a list of tensors that are copied in one buffer.
using Group = std::vector<std::size_t>;

/// Tensors of one type, in their order, as many as fit. A tensor larger than the buffer is alone.
std::vector<Group> groups_of(const TensorList& tensors, std::size_t buffer_size) {
  struct Open {
    Group group;
    std::size_t bytes = 0;
  };
  std::vector<std::pair<ScalarType, Open>> open;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto own = open.begin();
    while (own != open.end() && own->first != tensors[i].dtype()) ++own;
    if (own == open.end()) own = open.insert(own, {tensors[i].dtype(), {}});
    Open& current = own->second;
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

namespace {

TensorList detached(const TensorList& tensors) {
  TensorList plain;
  for (const Tensor& t : tensors) plain.push_back(t.detach());
  return plain;
}

Tensor copy_to(const Tensor& tensor, Device device) {
  return tensor.to(device, tensor.dtype(), /*non_blocking=*/!device.is_cpu(), /*copy=*/true);
}

TensorList copies_on(const TensorList& tensors, Device device, std::size_t buffer_size) {
  TensorList copies(tensors.size());
  for (const Group& group : groups_of(tensors, buffer_size)) {
    if (group.size() == 1 || tensors[group[0]].device() == device) {  // no link to save
      for (const std::size_t i : group) copies[i] = copy_to(tensors[i], device);
    } else {
      unpack(copy_to(pack(tensors, tensors, group), device), tensors, group, copies);
    }
  }
  return copies;
}

void check_sources(const TensorList& tensors, Device first) {
  for (std::size_t t = 0; t < tensors.size(); ++t)
    TD_CHECK(DeviceError, tensors[t].device() == first, "broadcast: tensors[", t, "] is on ",
             tensors[t].device(), " but devices[0] is ", first,
             "; the first device must be the one that has the values");
}

// The sum of those that are defined, on `root`; undefined when none is.
Tensor sum_of_defined(const TensorList& summands, Device root) {
  Tensor sum;
  for (const Tensor& g : summands)
    if (g.defined()) sum = sum.defined() ? sum + g.to(root) : g.to(root);
  return sum;
}

// Gradients of a broadcast: outputs[d * sources + t] adds up over the devices d.
void add_up(Gradients& grads, const SmallVector<Tensor, 1>& outputs, std::size_t sources,
            Device root) {
  const std::size_t devices = outputs.size() / sources;
  std::vector<TensorList> together(devices);
  std::vector<std::size_t> indices;
  for (std::size_t t = 0; t < sources; ++t) {
    if (!grads.should_compute(t)) continue;
    TensorList summands;
    bool all = true;
    for (std::size_t d = 0; d < devices; ++d) {
      summands.push_back(outputs[d * sources + t]);
      all = all && summands.back().defined();
    }
    if (!all) {  // some replica did not use it
      grads[t] = sum_of_defined(summands, root);
      continue;
    }
    for (std::size_t d = 0; d < devices; ++d) together[d].push_back(summands[d]);
    indices.push_back(t);
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
           add_up(grads, outputs, targets.size(), root);
           for (std::size_t t = 0; t < targets.size(); ++t)
             if (grads[t].defined()) grads[t] = grads[t].to(targets[t]);
         });
}

std::vector<TensorList> broadcast_coalesced(const TensorList& tensors,
                                            const std::vector<Device>& devices,
                                            std::size_t buffer_size) {
  TD_CHECK(Error, !devices.empty(), "broadcast_coalesced: no devices; name at least one");
  check_sources(tensors, check_device(devices[0]));
  std::vector<TensorList> all{tensors};
  {
    NoGradGuard no_grad;
    const TensorList plain = detached(tensors);
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
  const Device first = check_device(devices[0]);
  if (tensor.is_cpu() && !first.is_cpu()) {  // no device has it yet
    TensorList copies;
    for (const Device& device : devices) copies.push_back(tensor.to(device));
    return copies;
  }
  TensorList copies;
  for (const TensorList& of_device : broadcast_coalesced({tensor}, devices))
    copies.push_back(of_device[0]);
  return copies;
}

}  // namespace td::parallel
