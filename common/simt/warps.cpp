// The functions that the lanes of a warp call together, by the rules of the CUDA C++ Programming
// Guide: the caller is in its mask, and all lanes of the mask that have not returned call the same
// function with the same mask. They may call it from different places.
#include "simt/machine.h"

#include <algorithm>
#include <bit>

#include "simt/debug_info.h"
#include "simt/texts.h"

namespace td::simt {
namespace {

constexpr const char* kNames[] = {
    "__syncwarp",        "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",
    "__shfl_xor_sync",   "__ballot_sync",     "__any_sync",        "__all_sync",
    "__match_any_sync",  "__match_all_sync",  "__reduce_add_sync", "__reduce_min_sync",
    "__reduce_max_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
    "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync", "coalesced_threads",
    "load_matrix_sync",  "store_matrix_sync", "mma_sync"};

bool is_shuffle(WarpFunction f) {
  return f >= WarpFunction::kShuffle && f <= WarpFunction::kShuffleXor;
}

/// The lane that a shuffle reads, within its part of the warp of `width` lanes.
unsigned source_of(const Thread& thread) {
  const int own = static_cast<int>(thread.info.lane()), width = thread.width;
  const int first = own & ~(width - 1), end = first + width;
  int source = own;
  switch (thread.function) {
    case WarpFunction::kShuffle:
      source = first + (thread.lane & (width - 1));
      break;
    case WarpFunction::kShuffleUp:
      source = own - thread.lane < first ? own : own - thread.lane;
      break;
    case WarpFunction::kShuffleDown:
      source = own + thread.lane >= end ? own : own + thread.lane;
      break;
    default:  // it may read from an earlier part, but not from a later one
      source = (own ^ thread.lane) >= end ? own : own ^ thread.lane;
  }
  return static_cast<unsigned>(source) & 31;
}

std::uint64_t reduce(WarpFunction function, std::uint64_t a, std::uint64_t b) {
  const auto u = static_cast<std::uint32_t>(a), v = static_cast<std::uint32_t>(b);
  const auto i = static_cast<std::int32_t>(u), j = static_cast<std::int32_t>(v);
  switch (function) {
    case WarpFunction::kAddSigned:
    case WarpFunction::kAddUnsigned:
      return u + v;
    case WarpFunction::kMinSigned:
      return i < j ? u : v;
    case WarpFunction::kMaxSigned:
      return i > j ? u : v;
    case WarpFunction::kMinUnsigned:
      return std::min(u, v);
    case WarpFunction::kMaxUnsigned:
      return std::max(u, v);
    case WarpFunction::kAnd:
      return u & v;
    case WarpFunction::kOr:
      return u | v;
    default:
      return u ^ v;
  }
}

bool is_width(int width) {
  return width > 0 && width <= 32 && std::has_single_bit(static_cast<unsigned>(width));
}

std::string text_of_width(const Thread& thread) {
  return std::string(name_of(thread.function)) + " is called with width " +
         std::to_string(thread.width) + "\n  a width is a power of two, at most 32";
}

std::string text_of_unnamed_caller(const Thread& thread) {
  return "lane " + std::to_string(thread.info.lane()) + " of warp " +
         std::to_string(thread.info.warp()) + " calls " + name_of(thread.function) + " with mask " +
         text_of_mask(thread.mask) +
         ", which does not name it\n  a mask names all lanes that call: compute it before the "
         "branch, by __ballot_sync(0xffffffff, condition)";
}

}  // namespace

const char* name_of(WarpFunction function) { return kNames[static_cast<int>(function)]; }

std::uint64_t Machine::warp_call(WarpFunction function, unsigned mask, std::uint64_t value,
                                 int lane, int width, std::uintptr_t pc) {
  Thread& thread = *current_;
  thread.state = Thread::State::kInWarpFunction;
  thread.function = function;
  thread.mask = mask;
  thread.value = value;
  thread.lane = lane;
  thread.width = width;
  thread.pc = pc;
  check_call(thread);
  const std::uint32_t warp = thread.info.warp();
  warps_[warp].waiting |= 1u << thread.info.lane();
  try_complete(warp, thread.info.lane());
  wait(thread);
  return thread.result;
}

/// Ends the thread where its own arguments are wrong.
void Machine::check_call(const Thread& thread) {
  if (!(thread.mask >> thread.info.lane() & 1))
    fail_thread(Finding::Kind::kMask, thread.pc, text_of_unnamed_caller(thread));
  if (is_shuffle(thread.function) && !is_width(thread.width))
    fail_thread(Finding::Kind::kMask, thread.pc, text_of_width(thread));
}

/// The lanes for which the thread waits, itself included.
unsigned Machine::named_lanes(const Thread& thread) const {
  return thread.mask & ~warps_[thread.info.warp()].exited;
}

/// After a lane has exited: the others may have waited only for it.
void Machine::complete_waiting(std::uint32_t warp) {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    each_lane(warps_[warp].waiting, [&](unsigned lane) {
      if (warps_[warp].waiting >> lane & 1) goes_on |= try_complete(warp, lane);
    });
  }
}

/// Completes the call of a lane when all lanes that it names have arrived.
bool Machine::try_complete(std::uint32_t warp, unsigned lane) {
  const Thread& caller = lane_of(warp, lane);
  const unsigned named = named_lanes(caller);
  if (named & ~warps_[warp].waiting) return false;
  unsigned group = 0;
  const Thread* other = nullptr;
  each_lane(named, [&](unsigned l) {
    const Thread& thread = lane_of(warp, l);
    if (thread.function == caller.function && thread.mask == caller.mask)
      group |= 1u << l;
    else if (!other)
      other = &thread;
  });
  if (other) report_mismatch(caller, *other);
  complete(warp, group);
  return true;
}

void Machine::complete(std::uint32_t warp, unsigned group) {
  give_results(warp, group);
  warps_[warp].waiting &= ~group;
  const Thread& first = lane_of(warp, static_cast<unsigned>(std::countr_zero(group)));
  if (observer_ && first.function == WarpFunction::kSync) observer_->warp_barrier(warp, group);
  make_group_ready(warp, group);
}

void Machine::make_group_ready(std::uint32_t warp, unsigned group) {
  each_lane(group, [&](unsigned lane) { make_ready(lane_of(warp, lane)); });
  if (order_.front() > order_.back())  // reversed, or every other time of random
    std::reverse(ready_.end() - std::popcount(group), ready_.end());
}

void Machine::give_results(std::uint32_t warp, unsigned group) {
  const Thread& first = lane_of(warp, static_cast<unsigned>(std::countr_zero(group)));
  const WarpFunction function = first.function;
  if (function == WarpFunction::kMatrixProduct) return multiply_matrices(warp, group);
  if (function == WarpFunction::kMatrixLoad || function == WarpFunction::kMatrixStore)
    return check_matrix(warp, group);
  unsigned trues = 0;
  std::uint64_t reduced = first.value;
  each_lane(group, [&](unsigned lane) {
    const Thread& thread = lane_of(warp, lane);
    if (thread.value) trues |= 1u << lane;
    if (&thread != &first) reduced = reduce(function, reduced, thread.value);
  });
  each_lane(group, [&](unsigned lane) {
    Thread& thread = lane_of(warp, lane);
    if (is_shuffle(function)) return give_shuffle(warp, group, thread);
    unsigned equal = 0;
    if (function == WarpFunction::kMatchAny || function == WarpFunction::kMatchAll)
      each_lane(group, [&](unsigned l) {
        if (lane_of(warp, l).value == thread.value) equal |= 1u << l;
      });
    thread.result = function == WarpFunction::kBallot     ? trues
                    : function == WarpFunction::kAny      ? trues != 0
                    : function == WarpFunction::kAll      ? trues == group
                    : function == WarpFunction::kMatchAny ? equal
                    : function == WarpFunction::kMatchAll ? (equal == group ? group : 0)
                                                          : reduced;
  });
}

void Machine::give_shuffle(std::uint32_t warp, unsigned group, Thread& thread) {
  const unsigned source = source_of(thread);
  if (group >> source & 1) {
    thread.result = lane_of(warp, source).value;
    return;
  }
  thread.result = options_.undefined;
  report_absent_source(warp, thread, source);
}

void Machine::report_absent_source(std::uint32_t warp, const Thread& thread, unsigned source) {
  const std::size_t linear = warp * 32 + source;
  if (warps_[warp].failed >> source & 1) return;  // its own report says why
  // A lane that the mask leaves out may return a value that nobody uses; only an observed launch
  // can tell (run.cpp).
  if (!observer_ && !(thread.mask >> source & 1)) return;
  const std::string lane = "lane " + std::to_string(source);
  const bool unnamed = linear < threads_.size() && !(thread.mask >> source & 1);
  const std::string why = linear >= threads_.size() ? "the block has no such thread"
                          : unnamed ? "the mask " + text_of_mask(thread.mask) + " does not name it"
                          : warps_[warp].exited >> source & 1 ? "it has returned"
                                                              : "it calls another function";
  const std::size_t number = report(
      Finding::Kind::kMask, false, thread, thread.pc,
      "lane " + std::to_string(thread.info.lane()) + " of warp " + std::to_string(warp) +
          " reads from " + lane + " in " + name_of(thread.function) +
          ", which does not take part: " + why + "\n  the result is undefined: " +
          (unnamed ? "use a mask that names every lane that is read from, such as 0xffffffff"
                   : "let all lanes of the mask call, those without work with a neutral value "
                     "such as 0"));
  if (std::find(undefined_values_.begin(), undefined_values_.end(), number) ==
      undefined_values_.end())
    undefined_values_.push_back(number);
}

void Machine::report_mismatch(const Thread& thread, const Thread& other) {
  const auto call = [&](const Thread& t) {
    return std::string(name_of(t.function)) + " with mask " + text_of_mask(t.mask);
  };
  report(Finding::Kind::kMask, false, thread, thread.pc,
         "lane " + std::to_string(thread.info.lane()) + " of warp " +
             std::to_string(thread.info.warp()) + " calls " + call(thread) + ", lane " +
             std::to_string(other.info.lane()) + " calls " + call(other) + " (" +
             line_of(*site_before(other.pc), *site_before(thread.pc)) +
             ")\n  all lanes that a mask names must call the same function with the same mask");
}

/// No thread of the block can continue: reports all waiting threads and ends the block.
void Machine::report_deadlock() {
  if (at_barrier_ > 0 && at_grid_barrier_ > 0) report_mixed_barriers();
  for (std::uint32_t warp = 0; warp < warps_.size(); ++warp) {
    unsigned left = warps_[warp].waiting;
    while (left) {
      const Thread& first = lane_of(warp, static_cast<unsigned>(std::countr_zero(left)));
      unsigned group = 0, missing = named_lanes(first) & ~warps_[warp].waiting;
      each_lane(left, [&](unsigned l) {
        const Thread& t = lane_of(warp, l);
        if (t.pc == first.pc && t.mask == first.mask) group |= 1u << l;
      });
      left &= ~group;
      if (!missing) continue;  // waits for lanes in another function, reported there
      const Thread& absent = lane_of(warp, static_cast<unsigned>(std::countr_zero(missing)));
      report(Finding::Kind::kMask, false, first, first.pc,
             text_of_lanes(group) + " of warp " + std::to_string(warp) + " of block " +
                 text_of(block_) + (std::has_single_bit(group) ? " waits in " : " wait in ") +
                 name_of(first.function) + " with mask " + text_of_mask(first.mask) + " for " +
                 text_of_lanes(missing) + "\n  which wait at the __syncthreads() of " +
                 line_of(*site_before(absent.pc), *site_before(first.pc)) +
                 ", so none can go on: name only lanes that call, or move the call out of the "
                 "condition");
    }
  }
  abandon_block();
}

}  // namespace td::simt
