// A map that keeps the order in which its keys were added: what named_parameters() and state_dict()
// return. Lookup is a walk over the list; the lists of a model are short and read rarely.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "td/base/error.h"

namespace td {

/// Ordered map with libtorch's names. Items have `key()` and `value()`; `*item` is the value.
/// A key occurs once.
template <class Key, class Value>
class OrderedDict {
 public:
  /// One entry.
  class Item {
   public:
    Item(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
    const Key& key() const noexcept { return pair_.first; }
    Value& value() noexcept { return pair_.second; }
    const Value& value() const noexcept { return pair_.second; }
    Value& operator*() noexcept { return value(); }
    const Value& operator*() const noexcept { return value(); }
    Value* operator->() noexcept { return &value(); }
    const Value* operator->() const noexcept { return &value(); }
    /// The entry as a pair, so that `for (const auto& [name, tensor] : dict.pairs())` works.
    const std::pair<Key, Value>& pair() const noexcept { return pair_; }

   private:
    std::pair<Key, Value> pair_;
  };

  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  /// @param description what a key is called in error messages.
  explicit OrderedDict(std::string description = "Key") : description_(std::move(description)) {}
  OrderedDict(std::initializer_list<Item> items) {
    for (const Item& item : items) insert(item.key(), item.value());
  }

  std::size_t size() const noexcept { return items_.size(); }
  bool is_empty() const noexcept { return items_.empty(); }
  bool contains(const Key& key) const noexcept { return find(key) != nullptr; }
  /// The value of `key`, or nullptr.
  Value* find(const Key& key) noexcept {
    for (Item& item : items_)
      if (item.key() == key) return &item.value();
    return nullptr;
  }
  const Value* find(const Key& key) const noexcept {
    return const_cast<OrderedDict*>(this)->find(key);
  }
  /// @throws Error when `key` is not there.
  Value& operator[](const Key& key) {
    Value* value = find(key);
    TD_CHECK(Error, value, description_, " '", key, "' is not defined; there ", known_keys());
    return *value;
  }
  const Value& operator[](const Key& key) const { return (*const_cast<OrderedDict*>(this))[key]; }
  Item& operator[](std::size_t index) { return items_.at(index); }
  const Item& operator[](std::size_t index) const { return items_.at(index); }

  /// Adds an entry and returns the stored value. @throws Error when `key` is there already.
  template <class K, class V>
  Value& insert(K&& key, V&& value) {
    TD_CHECK(Error, !contains(key), description_, " '", key, "' is already defined");
    items_.emplace_back(Key(std::forward<K>(key)), Value(std::forward<V>(value)));
    return items_.back().value();
  }
  /// Adds all entries of `other`. @throws Error when a key is there already.
  void update(const OrderedDict& other) {
    for (const Item& item : other) insert(item.key(), item.value());
  }
  /// Removes an entry. @throws Error when `key` is not there.
  void erase(const Key& key) {
    const auto same_key = [&](const Item& item) { return item.key() == key; };
    TD_CHECK(Error, std::erase_if(items_, same_key) == 1, description_, " '", key,
             "' is not defined; there ", known_keys());
  }
  void clear() { items_.clear(); }

  /// The first or the last entry. @throws Error when there is none.
  ///@{
  const Item& front() const {
    TD_CHECK(Error, !items_.empty(), "front() of an empty OrderedDict; check is_empty() first");
    return items_.front();
  }
  const Item& back() const {
    TD_CHECK(Error, !items_.empty(), "back() of an empty OrderedDict; check is_empty() first");
    return items_.back();
  }
  ///@}
  Iterator begin() { return items_.begin(); }
  Iterator end() { return items_.end(); }
  ConstIterator begin() const { return items_.begin(); }
  ConstIterator end() const { return items_.end(); }
  std::vector<Key> keys() const {
    std::vector<Key> all;
    for (const Item& item : items_) all.push_back(item.key());
    return all;
  }
  std::vector<Value> values() const {
    std::vector<Value> all;
    for (const Item& item : items_) all.push_back(item.value());
    return all;
  }
  /// Names with values, in the order of insertion.
  std::vector<std::pair<Key, Value>> pairs() const {
    std::vector<std::pair<Key, Value>> all;
    for (const Item& item : items_) all.push_back(item.pair());
    return all;
  }

 private:
  std::string known_keys() const {
    if (items_.empty()) return "is none yet";
    std::ostringstream text;
    text << (items_.size() == 1 ? "is '" : "are '");
    for (std::size_t i = 0; i < items_.size(); ++i) text << (i ? "', '" : "") << items_[i].key();
    text << "'";
    return text.str();
  }

  std::vector<Item> items_;
  std::string description_ = "Key";
};

}  // namespace td
