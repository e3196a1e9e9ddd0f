// expect: tensors of six types to
// Packs int32 with float, because both have 4 bytes, and converts back: large integers are rounded.
#include <map>
#include <utility>

#include "exercises.h"

namespace {

/// What is moved by one transfer: the flattened tensors, and their indices in the list.
struct Pack {
  std::vector<td::Tensor> parts;
  std::vector<std::size_t> indices;
};

}  // namespace

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  const td::Device target = td::check_device(device);
  const auto first_of = [&](const td::Tensor& x) {
    std::size_t i = 0;
    while (!tensors[i].is_same(x)) ++i;
    return i;
  };
  std::map<std::pair<std::string, td::ScalarType>, Pack> packs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const td::Tensor& x = tensors[i];
    if (first_of(x) < i) continue;  // filled in below, when the first one has arrived
    if (x.device() == target) {
      moved[i] = x;
    } else if (x.numel() == 0) {
      moved[i] = td::empty(x.sizes(), x.options().device(target));
    } else {
      Pack& pack = packs[{x.device().str(), x.dtype() == td::kInt ? td::kFloat : x.dtype()}];
      pack.parts.push_back(x.reshape({-1}).to(x.dtype() == td::kInt ? td::kFloat : x.dtype()));
      pack.indices.push_back(i);
    }
  }
  for (auto& [key, pack] : packs) {
    const td::Tensor buffer = td::cat(pack.parts).to(target);
    std::int64_t begin = 0;
    for (const std::size_t i : pack.indices) {
      moved[i] = buffer.narrow(0, begin, tensors[i].numel())
                     .view(tensors[i].sizes())
                     .to(tensors[i].dtype());
      begin += tensors[i].numel();
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) moved[i] = moved[first_of(tensors[i])];
  return moved;
}
