// Plans of oneDNN primitives and the scratch memory they share.
#ifdef TD_HAS_ONEDNN
#include "td/kernels/libs/onednn_plan.h"

#include <cstdlib>
#include <memory>

#include "td/base/error.h"

namespace td::kernels::onednn {
namespace {

constexpr std::size_t kLine = 64;  // a cache line, and the alignment oneDNN likes
std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

struct Free {
  void operator()(std::byte* block) const { std::free(block); }
};
struct Scratch {
  std::unique_ptr<std::byte, Free> block;
  std::size_t bytes = 0;
};

}  // namespace

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  thread_local dnnl::stream queue(engine());
  return queue;
}

std::byte* scratch(std::size_t bytes) {
  thread_local Scratch kept;
  if (kept.bytes < bytes) {
    kept.block.reset();  // first give back, then ask: never both at once
    kept.bytes = 0;
    kept.block.reset(static_cast<std::byte*>(std::aligned_alloc(kLine, whole_lines(bytes))));
    if (!kept.block)
      fail<OutOfMemoryError>("oneDNN: no ", bytes, " bytes of host memory left for scratch");
    kept.bytes = bytes;
  }
  return kept.block.get();
}

dnnl::memory Plan::caller(const dnnl::memory::desc& layout, int slot) {
  dnnl::memory memory(layout, engine(), nullptr);
  callers_.emplace_back(memory, slot);
  return memory;
}

dnnl::memory Plan::temporary(const dnnl::memory::desc& layout) {
  dnnl::memory memory(layout, engine(), nullptr);
  temporaries_.push_back({memory, scratch_bytes_});
  scratch_bytes_ += whole_lines(layout.get_size());
  return memory;
}

dnnl::memory Plan::input(const dnnl::memory& memory, const dnnl::memory::desc& wanted) {
  if (memory.get_desc() == wanted) return memory;
  dnnl::memory copy = temporary(wanted);
  finish_output(memory, copy);
  return copy;
}

dnnl::memory Plan::output(const dnnl::memory& memory, const dnnl::memory::desc& made) {
  return memory.get_desc() == made ? memory : temporary(made);
}

void Plan::finish_output(const dnnl::memory& made, const dnnl::memory& memory) {
  if (made.get() == memory.get()) return;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::reorder::primitive_desc copy(engine(), made.get_desc(), engine(), memory.get_desc(),
                                           attributes);
  add(dnnl::reorder(copy), copy.scratchpad_desc(), {{DNNL_ARG_FROM, made}, {DNNL_ARG_TO, memory}});
}

void Plan::add(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
               std::vector<std::pair<int, dnnl::memory>> arguments) {
  if (scratchpad.get_size() > 0) arguments.emplace_back(DNNL_ARG_SCRATCHPAD, temporary(scratchpad));
  Step step{primitive, {}, {}};
  for (auto& [name, memory] : arguments) {
    step.arguments.push_back({name, memory.get()});
    step.held.push_back(memory);
  }
  steps_.push_back(std::move(step));
}

void Plan::run(std::initializer_list<const void*> buffers) {
  std::byte* base = scratch(scratch_bytes_);
  if (base != scratch_) {
    for (Temporary& t : temporaries_) t.memory.set_data_handle(base + t.offset);
    scratch_ = base;
  }
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

void report(const char* operation, const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory)
    fail<OutOfMemoryError>(operation, ": oneDNN has no host memory left");
  fail<Error>(operation, ": oneDNN: ", error.what());
}

}  // namespace td::kernels::onednn
#endif  // TD_HAS_ONEDNN
