// broadcast: copies for all devices, and the one graph node whose gradient is their sum.
#include "td/autograd/record.h"
#include "td/ops/ops.h"
#include "td/parallel/coalesce.h"
#include "td/parallel/comm.h"

namespace td::parallel {
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
  std::vector<std::size_t> places;
  for (std::size_t t = 0; t < sources; ++t) {
    if (!grads.wants(t)) continue;
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
    places.push_back(t);
  }
  const TensorList sums = reduce_add_coalesced(together, root);
  for (std::size_t i = 0; i < places.size(); ++i) grads[places[i]] = sums[i];
}

}  // namespace

void record_broadcast(const std::vector<TensorList>& copies, const TensorList& sources) {
  if (sources.empty()) return;
  TensorList results;
  for (const TensorList& of_device : copies)
    results.insert(results.end(), of_device.begin(), of_device.end());
  std::vector<Device> homes;
  for (const Tensor& source : sources) homes.push_back(source.device());
  record("broadcast", results, sources,
         [root = results[0].device(), homes](Gradients& grads, SmallVector<Tensor, 1>& outputs) {
           add_up(grads, outputs, homes.size(), root);
           for (std::size_t t = 0; t < homes.size(); ++t)
             if (grads[t].defined()) grads[t] = grads[t].to(homes[t]);
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
  // Only what wants a gradient joins the graph; element 0 then needs a handle of its own.
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
