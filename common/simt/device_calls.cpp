// The functions that kernels and their hooks call, for the machine of the calling OS thread.
//
// Invariant: a kernel runs in a machine; host code that calls one of these outside of a launch gets
// the result for a block of one thread, or none.
#include "simt/device_calls.h"

#include <chrono>

#include "simt/async_copy.h"
#include "simt/device_heap.h"
#include "simt/machine.h"
#include "simt/matrices.h"
#include "simt/texts.h"
#include "simt/thread_variables.h"

constinit thread_local uint3 threadIdx{}, blockIdx{}, blockDim{}, gridDim{};

namespace td::simt {
namespace {

std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// The caller of the function that uses it.
#define CALLER address_of(__builtin_return_address(0))

void tell(AccessKind kind, const void* address, std::size_t bytes, AccessForm form,
          std::uintptr_t pc) {
  if (Machine* machine = Machine::running())
    machine->access(kind, address_of(address), bytes, form, pc);
  else if (host_access)
    host_access(address, bytes, kind != AccessKind::kRead, reinterpret_cast<const void*>(pc));
}

void before_volatile(const void* address, const void* pc) {
  Machine* const machine = Machine::running();
  if (!machine) return;
  machine->may_wait(address_of(pc));
  machine->keep_in_step(address_of(address), address_of(pc));
}

std::string text_of_assertion(const Machine& machine, const char* text) {
  return "assertion `" + std::string(text) + "` failed in thread " +
         text_of(machine.current().index) + " of block " + text_of(blockIdx);
}

}  // namespace

constinit thread_local bool is_observed = false;
constinit thread_local std::uintptr_t observed_begin = 0, observed_bytes = ~std::uintptr_t{0};
constinit HostAccess host_access = nullptr;

int block_barrier(BlockBarrier barrier, int predicate) {
  Machine* const machine = Machine::running();
  return machine ? machine->block_barrier(barrier, predicate, CALLER) : predicate != 0;
}

std::uint64_t warp_call(WarpFunction function, unsigned mask, std::uint64_t value, int lane,
                        int width) {
  Machine* const machine = Machine::running();
  return machine ? machine->warp_call(function, mask, value, lane, width, CALLER) : value;
}

unsigned active_lanes() {
  Machine* const machine = Machine::running();
  return machine ? machine->active_lanes(CALLER) : 1;
}

bool is_cooperative() {
  const Machine* const machine = Machine::running();
  return machine && machine->is_cooperative();
}

void grid_barrier() {
  if (Machine* const machine = Machine::running()) machine->grid_barrier(CALLER);
}

void wait_for_others() {
  if (Machine* const machine = Machine::running()) machine->wait_for_others(CALLER);
}

void async_copy(void* to, const void* from, std::size_t bytes, std::size_t zeros) {
  if (Machine* const machine = Machine::running())
    machine->async_copy({to, from, bytes, zeros, CALLER});
}

void async_commit() {
  if (Machine* const machine = Machine::running()) machine->async_commit();
}

void async_wait(std::size_t left) {
  if (Machine* const machine = Machine::running()) machine->async_wait(left);
}

void tell_read(const void* address, std::size_t bytes, AccessForm form, const void* pc) {
  tell(AccessKind::kRead, address, bytes, form, address_of(pc));
}

void tell_write(const void* address, std::size_t bytes, AccessForm form, const void* pc) {
  tell(AccessKind::kWrite, address, bytes, form, address_of(pc));
}

void tell_read_here(const void* address, std::size_t bytes) {
  if (is_observed) tell(AccessKind::kRead, address, bytes, AccessForm::kPlain, CALLER);
}

void tell_write_here(const void* address, std::size_t bytes) {
  if (is_observed) tell(AccessKind::kWrite, address, bytes, AccessForm::kPlain, CALLER);
}

void tell_atomic(const void* address, std::size_t bytes, const void* pc, AccessForm form) {
  Machine* const machine = Machine::running();
  if (!machine) return;
  machine->may_wait(address_of(pc));
  if (is_observed)
    machine->access(AccessKind::kAtomic, address_of(address), bytes, form, address_of(pc));
}

void tell_volatile_read(const void* address, std::size_t bytes, const void* pc) {
  before_volatile(address, pc);
  if (is_observed && in_kernel()) tell_read(address, bytes, AccessForm::kVolatile, pc);
}

void tell_volatile_write(const void* address, std::size_t bytes, const void* pc) {
  before_volatile(address, pc);
  if (is_reported(address)) tell_write(address, bytes, AccessForm::kVolatile, pc);
}

void may_wait() {
  if (Machine* const machine = Machine::running()) machine->may_wait(CALLER);
}

void tell_basic_block(const void* pc) {
  Machine* const machine = Machine::running();
  if (machine) machine->observer()->basic_block(machine->current(), address_of(pc));
}

bool in_kernel() { return Machine::running() != nullptr; }

AddressSpace address_space(const void* address) {
  const Machine* const machine = Machine::running();
  return machine ? machine->address_space(address_of(address)) : AddressSpace::kGlobal;
}

char* shared_window() {
  const Machine* const machine = Machine::running();
  return machine ? reinterpret_cast<char*>(machine->library().thread_local_variables.begin)
                 : nullptr;
}

void* device_malloc(std::size_t bytes) { return DeviceHeap::instance().allocate(bytes); }

bool device_free(const void* begin, const void* pc) {
  if (!DeviceHeap::contains(address_of(begin))) return false;
  if (!DeviceHeap::instance().release(begin) && in_kernel())
    Machine::running()->fail_thread(
        Finding::Kind::kTrap, address_of(pc),
        "releases memory that malloc has not returned, or that is released already\n  release "
        "each piece once, by the address that malloc or new has returned");
  return true;
}

void fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  Machine* const machine = Machine::running();
  if (!machine) return;
  machine->may_wait(CALLER);
  machine->fence();
}

void assertion_failed(const char* text, const void* pc) {
  Machine* const machine = Machine::running();
  if (!machine) __builtin_trap();
  machine->fail_thread(Finding::Kind::kTrap, address_of(pc), text_of_assertion(*machine, text));
}

void trap(const char* function) {
  Machine* const machine = Machine::running();
  if (!machine) __builtin_trap();
  machine->fail_thread(Finding::Kind::kTrap, CALLER,
                       "thread " + text_of(machine->current().index) + " of block " +
                           text_of(blockIdx) + " calls " + function +
                           "\n  it ends the kernel with an error");
}

unsigned lane_of_thread() {
  Machine* const machine = Machine::running();
  return machine ? machine->current().lane() : 0;
}

unsigned matrix_element(unsigned slot, unsigned count) {
  Machine* const machine = Machine::running();
  return matrix_element(slot, count, machine ? machine->seed() : 0);
}

long long clock_ticks() {
  constexpr long long kPerCall = 1000;
  thread_local long long ahead = 0;
  if (Machine* machine = Machine::running()) machine->may_wait(CALLER);
  ahead += kPerCall;
  return std::chrono::steady_clock::now().time_since_epoch().count() + ahead;
}

}  // namespace td::simt
