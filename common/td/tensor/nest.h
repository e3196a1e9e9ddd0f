// Tensors inside vectors, arrays, tuples, pairs, maps and optionals, however deep: what a forward
// may take and return beside a plain Tensor, and what a batch may be. scatter and gather of
// nn::parallel walk over them, and so do pinning and prefetching of data. A type of your own takes
// part by a specialization of detail::Nest, as data::Example does.
// Invariant: the walk meets the tensors of equal structures in the same order.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "td/tensor/tensor.h"

namespace td {

namespace detail {

/// What a type is to the walk; this is the case of anything that holds no tensors.
template <class T>
struct Nest {
  static constexpr bool kOnlyTensors = false;  ///< nothing but tensors in it
  template <class F>
  static void each(T&, F&&) {}
  static bool alike(const T&, const T&) { return true; }
};

/// Calls f(tensor) for every tensor inside `value`.
template <class T, class F>
void each_tensor(T& value, F&& f) {
  Nest<T>::each(value, f);
}

/// A tensor.
template <>
struct Nest<Tensor> {
  static constexpr bool kOnlyTensors = true;
  template <class F>
  static void each(Tensor& tensor, F&& f) {
    f(tensor);
  }
  static bool alike(const Tensor& a, const Tensor& b) { return a.defined() == b.defined(); }
};

/// A list: entries one after the other.
template <class List>
struct ListNest {
  using Entry = typename List::value_type;
  static constexpr bool kOnlyTensors = Nest<Entry>::kOnlyTensors;
  template <class F>
  static void each(List& list, F&& f) {
    for (Entry& entry : list) each_tensor(entry, f);
  }
  static bool alike(const List& a, const List& b) {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i) same = Nest<Entry>::alike(a[i], b[i]);
    return same;
  }
};
template <class T>
struct Nest<std::vector<T>> : ListNest<std::vector<T>> {};
template <>
struct Nest<std::vector<bool>> {
  static constexpr bool kOnlyTensors = false;
  template <class F>
  static void each(std::vector<bool>&, F&&) {}
  static bool alike(const std::vector<bool>&, const std::vector<bool>&) { return true; }
};
template <class T, std::size_t N>
struct Nest<std::array<T, N>> : ListNest<std::array<T, N>> {};

/// Values of several types.
template <class... T>
struct Nest<std::tuple<T...>> {
  static constexpr bool kOnlyTensors = (Nest<T>::kOnlyTensors && ...);
  template <class F>
  static void each(std::tuple<T...>& values, F&& f) {
    std::apply([&](T&... value) { (each_tensor(value, f), ...); }, values);
  }
  static bool alike(const std::tuple<T...>& a, const std::tuple<T...>& b) {
    return alike(a, b, std::index_sequence_for<T...>());
  }

 private:
  template <std::size_t... I>
  static bool alike(const std::tuple<T...>& a, const std::tuple<T...>& b,
                    std::index_sequence<I...>) {
    return (Nest<T>::alike(std::get<I>(a), std::get<I>(b)) && ...);
  }
};
template <class A, class B>
struct Nest<std::pair<A, B>> {
  static constexpr bool kOnlyTensors = Nest<A>::kOnlyTensors && Nest<B>::kOnlyTensors;
  template <class F>
  static void each(std::pair<A, B>& values, F&& f) {
    each_tensor(values.first, f);
    each_tensor(values.second, f);
  }
  static bool alike(const std::pair<A, B>& a, const std::pair<A, B>& b) {
    return Nest<A>::alike(a.first, b.first) && Nest<B>::alike(a.second, b.second);
  }
};

/// Values by key; keys are never tensors.
template <class K, class T>
struct Nest<std::map<K, T>> {
  static constexpr bool kOnlyTensors = Nest<T>::kOnlyTensors;
  template <class F>
  static void each(std::map<K, T>& values, F&& f) {
    for (auto& [key, value] : values) each_tensor(value, f);
  }
  static bool alike(const std::map<K, T>& a, const std::map<K, T>& b) {
    bool same = a.size() == b.size();
    for (const auto& [key, value] : a) {
      const auto other = b.find(key);
      same = same && other != b.end() && Nest<T>::alike(value, other->second);
    }
    return same;
  }
};

/// A value or none.
template <class T>
struct Nest<std::optional<T>> {
  static constexpr bool kOnlyTensors = Nest<T>::kOnlyTensors;
  template <class F>
  static void each(std::optional<T>& value, F&& f) {
    if (value) each_tensor(*value, f);
  }
  static bool alike(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || Nest<T>::alike(*a, *b));
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
