// The queue of work, and the thread that does it. Work of all devices is done one after another, in
// an order that CUDA allows; the kernels themselves use all cores.
//
// Invariant: an operation comes after earlier operations only, so that the queue never blocks.
#include <algorithm>
#include <chrono>
#include <thread>

#include "cuda/graph.h"
#include "cuda/report.h"
#include "cuda/shadow.h"
#include "cuda/state.h"

namespace td::cudart {
namespace {

double now_in_milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

bool is_ready(const Operation& operation) {
  return std::all_of(operation.after.begin(), operation.after.end(),
                     [](const OperationPtr& earlier) { return earlier->is_done; });
}

/// What runs next. In reversed order nothing runs before the host waits, or has called nothing for
/// a while, and then the stream that was given work last.
OperationPtr take(State& all) {
  if (all.is_reversed && all.waiting == 0 && !all.is_ending && !all.is_quiet) return nullptr;
  auto best = all.queue.end();
  for (auto at = all.queue.begin(); at != all.queue.end(); ++at) {
    if (!is_ready(**at)) continue;
    if (best == all.queue.end() || (*at)->stream > (*best)->stream) best = at;
    if (!all.is_reversed) break;
  }
  if (best == all.queue.end()) return nullptr;
  OperationPtr operation = *best;
  all.queue.erase(best);
  return operation;
}

[[noreturn]] void work(State& all) {
  thread.is_worker = true;
  Lock lock(all.mutex);
  for (;;) {
    const OperationPtr operation = take(all);
    if (!operation) {
      const std::uint64_t before = all.calls;
      const auto woken = all.work_came.wait_for(lock, std::chrono::milliseconds(20));
      all.is_quiet = woken == std::cv_status::timeout && before == all.calls;
      continue;
    }
    if (operation->run && !all.devices[operation->device].error) {
      all.is_running = true;
      lock.unlock();
      shadow::set_operation(operation.get());
      operation->run();
      shadow::set_operation(nullptr);
      lock.lock();
      all.is_running = false;
    }
    operation->run = nullptr;
    operation->after.clear();
    operation->is_done = true;
    operation->milliseconds = now_in_milliseconds();
    all.work_ended.notify_all();
  }
}

template <class Condition>
void wait_until(State& all, Lock& lock, Condition is_over) {
  ++all.waiting;
  all.work_came.notify_all();
  all.work_ended.wait(lock, is_over);
  --all.waiting;
}

/// The legacy default stream comes after all blocking streams of its device, and they after it.
void add_order(State& all, Stream& stream, Operation& operation) {
  Device& device = all.devices[stream.device];
  const auto add = [&](const Stream& other) {
    stream.clock.join(other.clock);
    if (other.last && !other.last->is_done) operation.after.push_back(other.last);
  };
  add(stream);
  stream.clock.join(all.host);
  if (stream.is_default) {
    for (const Stream* other : device.streams)
      if (!(other->flags & cudaStreamNonBlocking)) add(*other);
  } else if (!(stream.flags & cudaStreamNonBlocking)) {
    add(device.default_stream);
  }
  stream.clock.raise(stream.number, ++stream.count);
  operation.clock = stream.clock;
}

/// Whether work of another stream was queued before and need not be done.
bool can_overlap(const State& all, const Stream& stream, const Operation& operation) {
  for (const Stream* other : all.devices[stream.device].streams)
    if (other != &stream && operation.clock[other->number] < other->count) return true;
  return false;
}

/// The host may touch pinned and managed memory, and should wait before.
void note_uses(State& all, const Stream& stream, const Call& call, const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    if (use.bytes == 0 || arena_of(use.data) != kHostArena) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(use.data);
    all.accesses.note({kept_name(call.name), stream.number, stream.count, use.writes, begin,
                       begin + use.bytes, call.caller});
    all.is_waited_for = false;
  }
}

}  // namespace

OperationPtr enqueue(State& all, Stream& stream, std::function<void()> run, const Call& call,
                     const std::vector<Use>& uses) {
  if (stream.capture) {
    std::vector<Node*>& tips = stream.capture->tips[&stream];
    tips = {add_node(*stream.capture->graph, cudaGraphNodeTypeKernel, tips, std::move(run))};
    return nullptr;
  }
  auto operation = std::make_shared<Operation>();
  operation->device = stream.device;
  operation->stream = stream.number;
  operation->name = call.name;
  operation->caller = call.caller;
  operation->run = std::move(run);
  add_order(all, stream, *operation);
  note_uses(all, stream, call, uses);
  if (operation->run) all.overlaps += can_overlap(all, stream, *operation);
  stream.last = operation;
  all.queue.push_back(operation);
  if (!all.has_worker) {
    all.has_worker = true;
    std::thread(work, std::ref(all)).detach();
  }
  all.work_came.notify_all();
  return operation;
}

void know(State& all, const VectorClock& clock) {
  all.host.join(clock);
  if (all.is_waited_for) return;
  forget(all.accesses, all.host);
  all.is_waited_for = all.accesses.size() == 0;
}

void wait_for(State& all, const OperationPtr& operation, Lock& lock) {
  if (!operation) return;
  if (!operation->is_done) wait_until(all, lock, [&] { return operation->is_done; });
  know(all, operation->clock);
}

void wait_for_device(State& all, int device, Lock& lock) {
  const Device& waited = all.devices[device];
  wait_for(all, waited.default_stream.last, lock);
  const std::set<Stream*> streams = waited.streams;
  for (Stream* stream : streams)
    if (waited.streams.count(stream)) wait_for(all, OperationPtr(stream->last), lock);
}

void finish_queue(State& all, Lock& lock) {
  all.is_ending = true;
  if (all.has_worker) wait_until(all, lock, [&] { return all.queue.empty() && !all.is_running; });
}

}  // namespace td::cudart
