// What a oneDNN primitive needs around it: its arguments in the layout it prefers, and scratch
// memory. A thread keeps one Plan per shape it has seen and one piece of scratch memory for all
// of them, so that a repeated call creates nothing and allocates nothing.
// Used by onednn.cpp alone. Invariant: a Plan is used by the thread that made it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "td/base/error.h"

namespace td::kernels {

/// The processor, and this thread's queue on it.
inline dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}
inline dnnl::stream& stream() {
  thread_local dnnl::stream queue(engine());
  return queue;
}

/// A cache line, and the alignment that oneDNN prefers.
struct alignas(64) Line {
  std::byte bytes[64];
};
inline std::size_t lines(std::size_t bytes) { return (bytes + sizeof(Line) - 1) / sizeof(Line); }

/// At least `count` lines of this thread's scratch memory; what they held before is lost.
inline Line* scratch(std::size_t count) {
  thread_local std::unique_ptr<Line[]> block;
  thread_local std::size_t size = 0;
  if (size < count) {
    block.reset();  // first free, then allocate: never both at once
    size = 0;
    block.reset(new (std::nothrow) Line[count]);
    if (!block)
      fail<OutOfMemoryError>("oneDNN: no ", count * sizeof(Line),
                             " bytes of host memory left for scratch");
    size = count;
  }
  return block.get();
}

inline dnnl::primitive_attr own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

/// The tensors that a primitive reads and writes, each with oneDNN's number for it.
using Arguments = std::vector<std::pair<int, dnnl::memory>>;

/// Steps that run one after another on the caller's buffers.
class Plan {
 public:
  /// A buffer of the caller: number `slot` of the list given to run().
  dnnl::memory caller(const dnnl::memory::desc& layout, int slot) {
    return callers_.emplace_back(dnnl::memory(layout, engine(), nullptr), slot).first;
  }
  /// `memory` in another layout: itself when it has it, else a temporary that a reorder fills.
  dnnl::memory input(const dnnl::memory& memory, const dnnl::memory::desc& wanted) {
    const dnnl::memory copy = in_layout(memory, wanted);
    reorder(memory, copy);
    return copy;
  }
  /// Adds a primitive whose result, argument `name` in the layout `made`, belongs into `result`: it
  /// writes there when that has this layout, else into a temporary, which is then reordered.
  void add(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, Arguments inputs,
           int name, const dnnl::memory::desc& made, const dnnl::memory& result) {
    const dnnl::memory output = in_layout(result, made);
    inputs.emplace_back(name, output);
    add(primitive, scratchpad, std::move(inputs));
    reorder(output, result);
  }
  /// Adds a primitive with its arguments; scratchpad memory is added here.
  void add(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
           Arguments arguments) {
    if (scratchpad.get_size() > 0)
      arguments.emplace_back(DNNL_ARG_SCRATCHPAD, temporary(scratchpad));
    Step& step = steps_.emplace_back(Step{primitive, {}, {}});
    for (const auto& [name, memory] : arguments) {
      step.arguments.push_back({name, memory.get()});
      step.held.push_back(memory);
    }
  }
  /// Runs all steps; `buffers` are the caller's, by slot.
  void run(std::initializer_list<const void*> buffers) {
    Line* const base = scratch(scratch_lines_);
    if (base != scratch_)
      for (auto& [memory, offset] : temporaries_) memory.set_data_handle(base + offset);
    scratch_ = base;
    for (auto& [memory, slot] : callers_)
      memory.set_data_handle(const_cast<void*>(buffers.begin()[slot]));
    // The C interface takes the arguments as they are kept; the C++ one would copy them every time.
    for (const Step& step : steps_)
      dnnl::error::wrap_c_api(
          dnnl_primitive_execute(step.primitive.get(), stream().get(),
                                 static_cast<int>(step.arguments.size()), step.arguments.data()),
          "could not execute a primitive");
    stream().wait();
  }

 private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> held;  // keeps alive what `arguments` points at
    std::vector<dnnl_exec_arg_t> arguments;
  };

  // `memory` itself when it has this layout, else a temporary.
  dnnl::memory in_layout(const dnnl::memory& memory, const dnnl::memory::desc& layout) {
    return memory.get_desc() == layout ? memory : temporary(layout);
  }
  void reorder(const dnnl::memory& from, const dnnl::memory& to) {
    if (from.get() == to.get()) return;
    const dnnl::reorder::primitive_desc copy(engine(), from.get_desc(), engine(), to.get_desc(),
                                             own_scratchpad());
    add(dnnl::reorder(copy), copy.scratchpad_desc(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }
  dnnl::memory temporary(const dnnl::memory::desc& layout) {
    const std::size_t offset = scratch_lines_;
    scratch_lines_ += lines(layout.get_size());
    return temporaries_.emplace_back(dnnl::memory(layout, engine(), nullptr), offset).first;
  }

  std::vector<Step> steps_;
  std::vector<std::pair<dnnl::memory, int>> callers_;
  std::vector<std::pair<dnnl::memory, std::size_t>> temporaries_;  // with offsets in lines
  std::size_t scratch_lines_ = 0;
  Line* scratch_ = nullptr;  // where the temporaries were last placed
};

/// Runs this thread's plan for `key`, all that the plan depends on; `make` makes it at the first
/// call. @throws OutOfMemoryError, or Error with oneDNN's words; both name the operation.
template <class Key>
void run_plan(const char* operation, const Key& key, Plan (*make)(const Key&),
              std::initializer_list<const void*> buffers) try {
  constexpr std::size_t kMost = 256;  // more shapes than this mean that sizes keep changing
  thread_local std::map<Key, Plan> plans;
  auto plan = plans.find(key);
  if (plan == plans.end()) {
    if (plans.size() >= kMost) plans.clear();
    plan = plans.emplace(key, make(key)).first;
  }
  plan->second.run(buffers);
} catch (const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory)
    fail<OutOfMemoryError>(operation, ": oneDNN has no host memory left");
  fail<Error>(operation, ": oneDNN: ", error.what());
}

}  // namespace td::kernels
