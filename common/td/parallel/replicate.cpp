// replicate: one model becomes several, all feeding the gradients of the one. Python's replicas are
// shallow copies of a module's dictionary. C++ has none, so a replica is a clone, and to be cheap
// the clone copies no value: it starts over the original's memory, which also tells which of its
// tensors stands for which.
#include <map>

#include "td/autograd/modes.h"
#include "td/autograd/record.h"
#include "td/parallel/data_parallel.h"

namespace td::nn::parallel {
namespace {

// The original's tensors, and for each replica the tensors that stand for them.
struct ReplicaTensors {
  TensorList originals;
  std::vector<std::vector<TensorList>> replicas;  // [replica][original]: several where it is tied
};

TensorList all_tensors(const Module& module) {
  TensorList all = module.parameters();
  const TensorList buffers = module.buffers();
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

// A clone under SharedCloneGuard looks at the original's memory, in the same place.
using Spot = std::pair<const void*, const void*>;
Spot spot_of(const Tensor& t) { return {t.impl().storage.get(), t.data_ptr()}; }

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

// The first tensor of each original, and the tied ones made the same result as that one.
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

}  // namespace td::nn::parallel
