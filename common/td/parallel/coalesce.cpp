// See coalesce.h.
#include "td/parallel/coalesce.h"

#include "td/ops/ops.h"

namespace td::parallel {

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

namespace {

// Calls f(i, place) for each tensor of the group, with its place in the buffer: a view that keeps
// the order of dimensions in memory, so that channels-last weights arrive as such.
template <class F>
void each_place(const Tensor& buffer, const TensorList& like, const Group& group, F&& f) {
  std::int64_t offset = 0;
  for (const std::size_t i : group) {
    const Sizes sizes(like[i].sizes());
    f(i, alias(buffer, sizes, preserved_strides(sizes, like[i].strides()), offset));
    offset += like[i].numel();
  }
}

}  // namespace

Tensor pack(const TensorList& tensors, const TensorList& like, const Group& group) {
  Sizes total{0};
  for (const std::size_t i : group) total[0] += tensors[i].numel();
  const Tensor buffer = empty_on(total, tensors[group[0]].dtype(), tensors[group[0]].device());
  each_place(buffer, like, group,
             [&](std::size_t i, const Tensor& place) { place.copy_(tensors[i]); });
  return buffer;
}

// Into memory of their own: views of the buffer would share one version counter.
void unpack(const Tensor& buffer, const TensorList& like, const Group& group, TensorList& out) {
  each_place(buffer, like, group,
             [&](std::size_t i, const Tensor& place) { out[i] = place.clone(); });
}

}  // namespace td::parallel
