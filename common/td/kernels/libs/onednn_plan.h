// What a oneDNN primitive needs around it: its arguments in the layout it prefers, and scratch
// memory. A thread keeps one Plan for each shape it has met and one piece of scratch memory for all
// of them, so that a repeated call creates nothing and allocates nothing.
// Used by onednn_*.cpp alone. Invariant: a Plan is used by the thread that made it.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

namespace td::kernels::onednn {

/// The processor, and this thread's queue on it.
dnnl::engine& engine();
dnnl::stream& stream();

/// At least `bytes` of this thread's scratch memory; what it held before is lost.
std::byte* scratch(std::size_t bytes);

/// Steps that run one after another on the caller's buffers.
class Plan {
 public:
  /// A buffer of the caller: number `slot` of the list given to run().
  dnnl::memory caller(const dnnl::memory::desc& layout, int slot);
  /// A buffer in scratch memory.
  dnnl::memory temporary(const dnnl::memory::desc& layout);
  /// `memory` in another layout: itself when it has it, else a temporary that a reorder fills.
  dnnl::memory input(const dnnl::memory& memory, const dnnl::memory::desc& wanted);
  /// Where a primitive writes what belongs into `memory`: itself when it has the layout `made`,
  /// else a temporary. Call finish_output after adding the primitive.
  dnnl::memory output(const dnnl::memory& memory, const dnnl::memory::desc& made);
  void finish_output(const dnnl::memory& made, const dnnl::memory& memory);
  /// Adds a primitive with its arguments; scratchpad memory is added here.
  void add(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
           std::vector<std::pair<int, dnnl::memory>> arguments);
  /// Runs all steps; `buffers` are the caller's, by slot.
  void run(std::initializer_list<const void*> buffers);

 private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> held;  // keeps alive what `arguments` points at
    std::vector<dnnl_exec_arg_t> arguments;
  };
  struct Temporary {
    dnnl::memory memory;
    std::size_t offset;
  };

  std::vector<Step> steps_;
  std::vector<std::pair<dnnl::memory, int>> callers_;
  std::vector<Temporary> temporaries_;
  std::size_t scratch_bytes_ = 0;
  std::byte* scratch_ = nullptr;  // where the temporaries were last placed
};

/// The plans of one thread, by what they depend on; made at the first call.
template <class Key, class Hash>
class Plans {
 public:
  Plan& find_or_make(const Key& key, Plan (*make)(const Key&)) {
    const auto found = plans_.find(key);
    if (found != plans_.end()) return found->second;
    if (plans_.size() >= kMost) plans_.clear();
    return plans_.emplace(key, make(key)).first->second;
  }

 private:
  static constexpr std::size_t kMost = 256;  // more shapes than this come from ever-changing sizes
  std::unordered_map<Key, Plan, Hash> plans_;
};

/// Turns oneDNN's error into one of ours, in words.
[[noreturn]] void report(const char* operation, const dnnl::error& error);

}  // namespace td::kernels::onednn
