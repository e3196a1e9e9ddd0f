// Which parameters a forward has not used, read from its graph. The reducer asks when
// find_unused_parameters is on.
#pragma once

#include <tuple>

#include "td/tensor/tensor.h"

namespace td::distributed {

/// The parameters, by number, that none of `outputs` depends on.
std::vector<std::size_t> unreached_parameters(const TensorList& parameters,
                                              const TensorList& outputs);

/// Adds the tensors in a forward's result to `all`: in a Tensor, a list, a pair or a tuple. What a
/// struct of another kind holds stays unseen.
///@{
inline void add_tensors(TensorList& all, const Tensor& result) { all.push_back(result); }
inline void add_tensors(TensorList& all, const TensorList& result) {
  all.insert(all.end(), result.begin(), result.end());
}
template <class... T>
void add_tensors(TensorList& all, const std::tuple<T...>& result);
template <class A, class B>
void add_tensors(TensorList& all, const std::pair<A, B>& result) {
  add_tensors(all, std::tie(result.first, result.second));
}
template <class T>
void add_tensors(TensorList&, const T&) {}
template <class... T>
void add_tensors(TensorList& all, const std::tuple<T...>& result) {
  std::apply([&](const auto&... part) { (add_tensors(all, part), ...); }, result);
}
///@}

}  // namespace td::distributed
