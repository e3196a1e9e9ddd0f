// The executor and the orders; scheduler.h describes them. An item that cannot continue yet is
// called again after 100 us, or sooner if other items run meanwhile. Invariant: one thread
// executes at a time (State::is_executing), and an item that runs stays at the front of its
// stream.
#include "scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace cuda_stand_in {
namespace {

using namespace std::chrono_literals;

constexpr int kManyPolls = 20;   // after so many queries work runs
constexpr double kMostLate = 5;  // milliseconds for which finished work is not reported
constexpr auto kQuiet = 5ms;     // after so long without a call all work runs
constexpr auto kBetweenTries = 100us;
constexpr int kFruitlessTries = 10;  // after so many, the missing part may be any work

bool has_failed(const Device& device) { return device.failed || device.broken; }

bool can_go_on(const State& all, const Stream& stream) {
  if (stream.items.empty() || stream.is_held || stream.is_running || stream.must_wait) return false;
  if (has_failed(all.devices[stream.device])) return false;
  const std::vector<MarkPtr>& waits = stream.items.front().waits;
  return std::all_of(waits.begin(), waits.end(), [&](const MarkPtr& mark) {
    return is_reached(*mark) || has_failed(all.devices[mark->stream->device]);
  });
}

/// Compares two streams that can continue. The default streams come last in `reversed`.
bool comes_first(Order order, const Stream& a, const Stream& b) {
  if (order != Order::kReversed) return a.items.front().number < b.items.front().number;
  if ((a.index == 0) != (b.index == 0)) return b.index == 0;
  return a.items.back().number > b.items.back().number;
}

bool is_needed(const Stream* stream) { return stream->needed > stream->done; }

/// Whether the order lets work run that the host does not wait for.
bool may_run_all(const State& all) {
  if (all.order == Order::kReversed)
    return std::any_of(all.streams.begin(), all.streams.end(), is_needed);
  return all.order != Order::kLazy;
}

/// The stream whose first item runs next; null: none may or can.
Stream* choose(const State& all) {
  const bool any = !all.is_ending && may_run_all(all);
  Stream* best = nullptr;
  std::uint64_t ready = 0;
  for (Stream* stream : all.streams) {
    if (!(any || is_needed(stream)) || !can_go_on(all, *stream)) continue;
    ++ready;
    if (!best ||
        (all.order == Order::kRandom ? random(ready) == 0 : comes_first(all.order, *stream, *best)))
      best = stream;
  }
  return best;
}

/// Runs an operation for a while. @return whether it ended; an error also ends it.
bool run_operation(const Item& item, std::optional<DeviceFault>& fault) {
  try {
    return item.run(!item.has_begun);
  } catch (const DeviceFault& thrown) {
    fault = thrown;
  } catch (const std::exception& error) {
    fault = DeviceFault{cudaErrorLaunchFailure, error.what()};
  }
  return true;
}

double now_in_milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// Does the work of a stream's first item. @return whether it can continue.
bool run_front(State& all, Stream& stream, Lock& lock) {
  Item& item = stream.items.front();
  if (!item.run) return true;
  std::optional<DeviceFault> fault;
  stream.is_running = all.is_executing = true;
  lock.unlock();
  const bool ended = run_operation(item, fault);
  if (ended) item.run = nullptr;  // its members may call the runtime when they are destroyed
  lock.lock();
  stream.is_running = all.is_executing = false;
  item.has_begun = true;
  stream.must_wait = !ended;
  if (!fault) return ended;
  std::fprintf(stderr, "%s\n", fault->text.c_str());
  fail_device(all, stream.device, fault->code);
  return false;  // it stays, so that events after it are not reached
}

/// One step of a stream. @return whether an item ended.
bool step(State& all, Stream& stream, Lock& lock) {
  if (!run_front(all, stream, lock)) return false;
  if (const MarkPtr& mark = stream.items.front().mark) mark->milliseconds = now_in_milliseconds();
  stream.items.pop_front();
  ++stream.done;
  all.changed->notify_all();
  return true;
}

/// Waits, because no work may run or can continue. @param fruitless number of such waits in a row.
void rest(State& all, int& fruitless, Lock& lock) {
  bool tries = false, holds_work = false;
  for (const Stream* stream : all.streams) {
    tries |= stream->must_wait;
    holds_work |= !stream->items.empty() && !stream->is_held;
  }
  if (tries) {
    all.work_came->wait_for(lock, kBetweenTries);
    for (Stream* stream : all.streams) stream->must_wait = false;
    if (++fruitless >= kFruitlessTries) need_all(all);
  } else if (holds_work) {
    const std::uint64_t before = all.all_calls;
    const auto woken = all.work_came->wait_for(lock, kQuiet);
    if (woken == std::cv_status::timeout && before == all.all_calls) need_all(all);
  } else {
    all.executor_sleeps = true;
    all.work_came->wait(lock);
    all.executor_sleeps = false;
  }
}

/// In `random`, now and then.
void pause_at_random(const State& all, Lock& lock) {
  if (all.order != Order::kRandom || random(64) != 0) return;
  lock.unlock();
  usleep(static_cast<useconds_t>(random(500)));
  lock.lock();
}

[[noreturn]] void execute(State& all) {
  Lock lock(all.mutex);
  int fruitless = 0;
  for (;;) {
    pause_at_random(all, lock);
    Stream* const stream = all.is_executing ? nullptr : choose(all);
    if (!stream)
      rest(all, fruitless, lock);
    else if (step(all, *stream, lock))
      fruitless = 0;
  }
}

/// From then on only work that the host waits for runs: what it uses may have been destroyed.
void end_with_process() {
  const std::lock_guard lock(state().mutex);
  state().is_ending = true;
}

void start_executor(State& all) {
  if (std::exchange(all.has_executor, true)) return;
  std::atexit(end_with_process);
  std::thread(execute, std::ref(all)).detach();
}

void need(State& all, Stream& stream, std::uint64_t ticket) {
  if (ticket <= stream.needed) return;
  const std::uint64_t first = std::max(stream.needed, stream.done);
  stream.needed = ticket;
  for (std::uint64_t number = first + 1; number <= ticket; ++number)
    for (const MarkPtr& mark : stream.items[number - stream.done - 1].waits)
      need(all, *mark->stream, mark->ticket);
}

/// In `eager` the calling thread runs the work that can continue.
void run_here(State& all, Lock& lock) {
  while (!all.is_executing) {
    Stream* const stream = choose(all);
    if (!stream) return;
    step(all, *stream, lock);
  }
}

bool holds_work(const State& all) {
  return std::any_of(all.streams.begin(), all.streams.end(),
                     [](const Stream* stream) { return !stream->items.empty(); });
}

}  // namespace

void wake(State& all) {
  if (holds_work(all)) start_executor(all);
  all.work_came->notify_one();
  all.changed->notify_all();
}

void put(State& all, Stream& stream, Item item, Lock& lock) {
  item.number = ++all.items;
  stream.clock.raise(stream.number, ++stream.queued);
  stream.items.push_back(std::move(item));
  if (all.order == Order::kEager) {
    run_here(all, lock);
    if (!holds_work(all)) return;
  }
  start_executor(all);
  const bool runs_at_once = all.order == Order::kEager || all.order == Order::kRandom;
  if (all.executor_sleeps || runs_at_once) all.work_came->notify_one();
}

MarkPtr mark_here(const State& all, const Stream& stream) {
  auto mark = std::make_shared<Mark>();
  mark->stream = const_cast<Stream*>(&stream);
  mark->ticket = stream.queued;
  mark->clock = stream.clock;
  mark->clock.join(all.host);
  if (all.order == Order::kRandom && random(4) == 0) mark->late = random(kManyPolls + 1);
  return mark;
}

bool is_reached(const Mark& mark) { return mark.stream->done >= mark.ticket; }

bool query(State& all, Mark& mark) {
  const bool is_known = all.host[mark.stream->number] >= mark.ticket;
  const bool is_late =
      !is_known && mark.late > 0 && now_in_milliseconds() < mark.milliseconds + kMostLate;
  if (!is_reached(mark) || is_late) {
    if (is_reached(mark)) --mark.late;
    if (++mark.polls < kManyPolls) return false;
    need(all, *mark.stream, mark.ticket);
    all.work_came->notify_one();
    return false;
  }
  all.host.join(mark.clock);
  return true;
}

void wait_for(State& all, const std::vector<MarkPtr>& marks, const Device& device, Lock& lock) {
  const auto is_over = [&] {
    return has_failed(device) || std::all_of(marks.begin(), marks.end(),
                                             [](const MarkPtr& mark) { return is_reached(*mark); });
  };
  for (const MarkPtr& mark : marks) need(all, *mark->stream, mark->ticket);
  if (!is_over()) all.work_came->notify_one();
  all.changed->wait(lock, is_over);
  for (const MarkPtr& mark : marks) all.host.join(mark->clock);
}

void need_all(State& all) {
  if (all.is_ending) return;
  for (Stream* stream : all.streams) stream->needed = stream->queued;
}

void let_work_go_on() {
  State& all = state();
  Lock lock(all.mutex);
  need_all(all);
  all.work_came->notify_one();
  if (holds_work(all)) all.changed->wait_for(lock, kBetweenTries);
}

}  // namespace cuda_stand_in
