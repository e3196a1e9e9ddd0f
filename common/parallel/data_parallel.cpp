// See data_parallel.h: what does not depend on the types of input and output.
#include "parallel/data_parallel.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <tuple>

#include "td/autograd/modes.h"
#include "td/autograd/record.h"
#include "td/device/backend.h"

namespace td {

std::vector<Device> parallel::all_accelerators() {
  const DeviceType kind = preferred_accelerator();
  std::vector<Device> devices;
  if (kind == kCPU) return devices;
  for (int i = 0; i < device_count(kind); ++i) devices.emplace_back(kind, i);
  return devices;
}

std::string parallel::imbalance(const std::vector<Device>& devices,
                                const std::vector<std::size_t>& bytes) {
  if (bytes.empty()) return {};
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  if (4 * *least >= 3 * *most) return {};
  return str(
      "DataParallel: ", devices[static_cast<std::size_t>(least - bytes.begin())],
      " has less than 75 % of the memory of ",
      devices[static_cast<std::size_t>(most - bytes.begin())],
      ", which will wait for it; leave it out of device_ids, or scatter parts of other sizes");
}

namespace nn {

namespace {

// The memory size is the only measure that all accelerators report.
void warn_of_imbalance(const std::vector<Device>& devices) {
  std::vector<std::size_t> bytes;
  for (const Device& device : devices) {
    std::size_t unused = 0, total = 0;
    if (!device.is_cpu()) backend(device.type()).memory(device.index(), &unused, &total);
    bytes.push_back(total);
  }
  const std::string warning = td::parallel::imbalance(devices, bytes);
  if (!warning.empty()) std::cerr << "Warning: " << warning << ".\n";
}

TensorList all_tensors(const Module& module) {
  TensorList all = module.parameters();
  const TensorList buffers = module.buffers();
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

}  // namespace

namespace parallel::detail {

std::vector<TensorList> scatter_all(const TensorList& tensors, const std::vector<Device>& devices,
                                    std::int64_t dim) {
  std::vector<TensorList> parts;
  for (const Tensor& tensor : tensors) {
    parts.push_back(td::parallel::scatter(tensor, devices, nullopt, dim));
    TD_CHECK(ShapeError, parts.back().size() == parts[0].size(), "scatter: a tensor of sizes ",
             tensor.sizes(), " gives ", parts.back().size(), " parts on ", devices.size(),
             " devices but the first one, of sizes ", tensors[0].sizes(), ", gives ",
             parts[0].size(), "; all tensors of an input need the same size in dimension ", dim);
    TD_CHECK(ShapeError, tensor.size(dim) == tensors[0].size(dim), "scatter: tensors of sizes ",
             tensors[0].sizes(), " and ", tensor.sizes(),
             " give parts that do not belong together; all tensors of an input need the same size "
             "in dimension ",
             dim);
  }
  return parts;
}

TensorList gather_all(const std::vector<TensorList>& tensors, bool alike, Device destination,
                      std::int64_t dim) {
  TD_CHECK(Error, alike,
           "gather: the outputs of the replicas do not match: all need the same number of entries, "
           "the same keys, and a tensor in the same places");
  TensorList joined;
  for (std::size_t t = 0; t < tensors[0].size(); ++t) {
    TensorList of_replicas;
    for (const TensorList& of_replica : tensors) of_replicas.push_back(of_replica[t]);
    joined.push_back(td::parallel::gather(of_replicas, dim, destination));
  }
  return joined;
}

Tensor misplaced(const Module& module, Device device) {
  for (const Tensor& tensor : all_tensors(module))
    if (tensor.device() != device) return tensor;
  return {};
}

void check_placement(const Module& module, Device first) {
  const Tensor tensor = misplaced(module, first);
  TD_CHECK(DeviceError, !tensor.defined(),
           "DataParallel: the module must have its parameters and buffers on device ", first,
           " (device_ids[0]) but found one of them on device: ", tensor.device(),
           ". Move it with module->to(\"", first, "\").");
}

}  // namespace parallel::detail

namespace parallel {
namespace {

// replicate: makes several models of one, and their gradients flow to that one. Python's replicas
// are shallow copies of a module's dictionary. C++ has none, so a replica is a clone. To be cheap,
// the clone copies no value: it starts with the original's memory, which also tells which of its
// tensors stands for which.

// The original's tensors, and for each replica the tensors that stand for them.
struct ReplicaTensors {
  TensorList originals;
  std::vector<std::vector<TensorList>> replicas;  // [replica][original]: several where it is tied
};

// A clone under SharedCloneGuard shares the original's memory, at the same address. A buffer may
// look into a parameter, at the parameter's address, but then it has other sizes or strides.
using Spot =
    std::tuple<const void*, const void*, std::vector<std::int64_t>, std::vector<std::int64_t>>;
Spot spot_of(const Tensor& t) {
  const IntArrayRef sizes = t.sizes(), strides = t.strides();
  return {t.impl().storage.get(),
          t.data_ptr(),
          {sizes.begin(), sizes.end()},
          {strides.begin(), strides.end()}};
}

ReplicaTensors find_tensors(const Module& module, const std::vector<Module*>& replicas) {
  ReplicaTensors tensors;
  tensors.originals = all_tensors(module);
  std::map<Spot, std::size_t> index;
  for (std::size_t i = 0; i < tensors.originals.size(); ++i)
    index.emplace(spot_of(tensors.originals[i]), i);
  for (const Module* replica : replicas) {
    auto& own = tensors.replicas.emplace_back(tensors.originals.size());
    for (const Tensor& tensor : all_tensors(*replica)) {
      const auto found = index.find(spot_of(tensor));
      TD_CHECK(Error, found != index.end(), "replicate: the clone of ", module.name(),
               " has a tensor of sizes ", tensor.sizes(),
               " that the module has not; a clone() of its own must take its tensors from the "
               "modules it clones");
      own[found->second].push_back(tensor);
    }
  }
  return tensors;
}

// Records the broadcast for the first tensor of each original; tied ones become the same result.
void join_graph(const ReplicaTensors& tensors, const std::vector<std::size_t>& trained) {
  TensorList sources;
  for (const std::size_t i : trained) sources.push_back(tensors.originals[i]);
  std::vector<TensorList> results;
  for (const auto& replica : tensors.replicas) {
    auto& of_replica = results.emplace_back();
    for (const std::size_t i : trained) of_replica.push_back(replica[i][0]);
  }
  td::parallel::record_broadcast(results, sources);
  for (const auto& replica : tensors.replicas)
    for (const std::size_t i : trained)
      for (std::size_t k = 1; k < replica[i].size(); ++k) {
        const Edge edge = gradient_edge(replica[i][0]);
        meta_of(replica[i][k]).set_grad_fn(edge.node, edge.output);
      }
}

}  // namespace

void detail::fill_replicas(const Module& module, const std::vector<Module*>& replicas,
                           const std::vector<Device>& devices) {
  TD_CHECK(Error, !devices.empty(), "replicate: no devices; name at least one");
  const Device first = check_device(devices[0]);
  const ReplicaTensors tensors = find_tensors(module, replicas);
  std::vector<TensorList> copies;
  {
    NoGradGuard no_grad;
    TensorList sources;
    for (const Tensor& original : tensors.originals) sources.push_back(original.to(first));
    copies = td::parallel::broadcast_coalesced(sources, devices);
  }
  std::vector<std::size_t> trained;
  for (std::size_t i = 0; i < tensors.originals.size(); ++i) {
    const bool wanted = GradMode::is_enabled() && tensors.originals[i].requires_grad();
    if (wanted) trained.push_back(i);
    for (std::size_t r = 0; r < replicas.size(); ++r)
      for (const Tensor& tensor : tensors.replicas[r][i]) {
        if (r > 0 || tensor.device() != first) tensor.set_data(copies[r][i]);
        if (!wanted && tensor.requires_grad()) tensor.requires_grad_(false);
      }
  }
  join_graph(tensors, trained);
}

}  // namespace parallel

DataParallelImpl::DataParallelImpl(AnyModule module,
                                   const optional<std::vector<Device>>& device_ids,
                                   const optional<Device>& output_device, std::int64_t dim)
    : Module("DataParallel"), module_(std::move(module)), output_device_(output_device), dim_(dim) {
  TD_CHECK(Error, !module_.is_empty(), "DataParallel: the module is empty; give it a model");
  for (const Device& device : device_ids ? *device_ids : td::parallel::all_accelerators())
    device_ids_.push_back(check_device(device));
  warn_of_imbalance(device_ids_);
  register_module("module", module_.ptr());
}

Tensor DataParallelImpl::forward(const Tensor& input) { return forward<Tensor>(input); }

std::shared_ptr<Module> DataParallelImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<DataParallelImpl>(*this);
  copy->module_ = module_.clone(device);
  copy->replace_module("module", copy->module_.ptr());
  return copy;
}

DataParallel::DataParallel(AnyModule module, std::vector<Device> device_ids,
                           const optional<Device>& output_device, std::int64_t dim)
    : ModuleHolder(std::make_shared<DataParallelImpl>(std::move(module), std::move(device_ids),
                                                      output_device, dim)) {}

}  // namespace nn
}  // namespace td
