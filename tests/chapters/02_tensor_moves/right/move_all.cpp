#include "exercises.h"

// answer: with_copies_into_a_buffer
// Fills a buffer with copy_ instead of cat, splits with slices, and keeps its groups in vectors.
namespace with_copies_into_a_buffer {
namespace {

struct Group {
  td::Device from;
  td::ScalarType type;
  std::vector<std::size_t> members;
  std::int64_t elements = 0;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  device = td::check_device(device);
  std::vector<td::Tensor> results(tensors.size());
  std::vector<Group> groups;
  std::vector<std::pair<std::size_t, std::size_t>> repetitions;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    bool repeated = false;
    for (std::size_t k = 0; k < i && !repeated; ++k)
      if (x.is_same(tensors[k])) repetitions.emplace_back(i, k), repeated = true;
    if (repeated) continue;
    if (x.device() == device || x.numel() == 0) {
      results[i] = x.to(device);
      continue;
    }
    Group* group = nullptr;
    for (auto& g : groups)
      if (g.from == x.device() && g.type == x.dtype()) group = &g;
    if (!group) group = &groups.emplace_back(Group{x.device(), x.dtype(), {}});
    group->members.push_back(i);
    group->elements += x.numel();
  }
  for (const auto& g : groups) {
    const auto options = td::device(g.from).dtype(g.type);
    const td::Tensor staging = td::empty({g.elements}, options);
    std::int64_t at = 0;
    for (const auto i : g.members) {
      const std::int64_t n = tensors[i].numel();
      staging.slice(0, at, at + n).copy_(tensors[i].flatten());
      at += n;
    }
    const td::Tensor there = staging.to(device);
    at = 0;
    for (const auto i : g.members) {
      const std::int64_t n = tensors[i].numel();
      results[i] = there.slice(0, at, at + n).reshape(tensors[i].sizes());
      at += n;
    }
  }
  for (const auto& [i, k] : repetitions) results[i] = results[k];
  return results;
}
}  // namespace with_copies_into_a_buffer
