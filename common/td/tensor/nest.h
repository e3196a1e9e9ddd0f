// Tensors inside vectors, arrays, tuples, pairs, maps and optionals, however deep: what a forward
// may take and return besides a plain Tensor, and what a batch may be. scatter and gather of
// nn::parallel walk over them, and so do pinning and prefetching of data. A type of your own takes
// part by a specialization of detail::Nest, as data::Example does.
// Invariant: the walk visits the tensors of equal structures in the same order.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "td/tensor/tensor.h"

namespace td {
namespace detail {

/// std::map; keys are never tensors.
template <class T>
concept MapLike = requires {
  typename T::mapped_type;
  typename T::key_compare;
};
/// std::vector, std::array and the like.
template <class T>
concept ListLike = requires(T list) {
  list.begin();
  list.back();
};
/// std::optional.
template <class T>
concept OptionalLike = requires(T value) {
  value.has_value();
  *value;
};
/// std::tuple and std::pair.
template <class T>
concept TupleLike = !ListLike<T> && requires {
  std::tuple_size<T>::value;
};

template <class T>
struct Nest;
/// Calls f(tensor) for every tensor inside `value`.
template <class T, class F>
void each_tensor(T& value, F&& f) {
  Nest<T>::each(value, f);
}

/// True of types that hold nothing but tensors.
template <class T>
inline constexpr bool only_tensors = std::is_same_v<T, Tensor>;
template <MapLike T>
inline constexpr bool only_tensors<T> = Nest<typename T::mapped_type>::kOnlyTensors;
template <class T>
requires ListLike<T> || OptionalLike<T>
inline constexpr bool only_tensors<T> = Nest<typename T::value_type>::kOnlyTensors;
template <class... T>
inline constexpr bool only_tensors<std::tuple<T...>> = (Nest<T>::kOnlyTensors && ...);
template <class A, class B>
inline constexpr bool only_tensors<std::pair<A, B>> = only_tensors<std::tuple<A, B>>;

/// How the walk treats a type. A type that is none of the above holds no tensors.
template <class T>
struct Nest {
  static constexpr bool kOnlyTensors = only_tensors<T>;  ///< nothing but tensors in it
  template <class F>
  static void each(T& value, F&& f) {
    if constexpr (std::is_same_v<T, Tensor>)
      f(value);
    else if constexpr (TupleLike<T>)
      std::apply([&](auto&... entries) { (each_tensor(entries, f), ...); }, value);
    else if constexpr (MapLike<T> || ListLike<T>)
      for (auto&& entry : value) each_tensor(entry, f);
    else if constexpr (OptionalLike<T>)
      if (value) each_tensor(*value, f);
  }

  /// The same structure: as many entries, the same keys, a value or none.
  static bool alike(const T& a, const T& b) {
    const auto same = []<class E>(const E& x, const E& y) { return Nest<E>::alike(x, y); };
    if constexpr (std::is_same_v<T, Tensor>)
      return a.defined() == b.defined();
    else if constexpr (TupleLike<T>)
      return std::apply(
          [&](const auto&... x) {
            return std::apply([&](const auto&... y) { return (same(x, y) && ...); }, b);
          },
          a);
    else if constexpr (MapLike<T>)
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](auto& x, auto& y) {
        return x.first == y.first && same(x.second, y.second);
      });
    else if constexpr (ListLike<T>)
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
    else if constexpr (OptionalLike<T>)
      return a.has_value() == b.has_value() && (!a || same(*a, *b));
    else
      return true;
  }
};

}  // namespace detail

/// All tensors inside `value`, in the order of the walk, undefined ones left out.
template <class T>
TensorList tensors_in(T value) {
  TensorList all;
  detail::each_tensor(value, [&](Tensor& tensor) {
    if (tensor.defined()) all.push_back(tensor);
  });
  return all;
}

/// Replaces the tensors inside `value`, in the order of tensors_in.
template <class T>
void replace_tensors(T& value, const TensorList& by) {
  std::size_t next = 0;
  detail::each_tensor(value, [&](Tensor& tensor) {
    if (tensor.defined()) tensor = by[next++];
  });
}

}  // namespace td
