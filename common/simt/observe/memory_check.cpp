// The findings of the memory check. Invariant: each text gives the index or address, the declared
// size, the thread and the fix.
#include "simt/observe/memory_check.h"

#include <algorithm>
#include <sstream>

#include "simt/texts.h"

namespace td::simt {
namespace {

/// An address so far away does not come from a slightly wrong index into this argument.
constexpr std::size_t kNear = std::size_t{64} << 20;
/// The reach of an overflowed 32-bit index of 16-byte elements.
constexpr std::size_t kReachOfIndex = std::size_t{64} << 30;

std::string hexadecimal(std::uintptr_t address) {
  std::ostringstream out;
  out << "0x" << std::hex << address;
  return out.str();
}

std::size_t distance(const Region& region, std::uintptr_t address) {
  return address < region.begin ? region.begin - address : address - region.begin;
}

/// The first pages are never mapped. Dynamic shared memory that a kernel does not have also begins
/// at 0.
bool is_null(std::uintptr_t address) { return address < 65536; }

std::string size_of(const Access& access) { return count_of(access.bytes, "byte"); }

}  // namespace

Region* MemoryCheck::search(const ThreadInfo& thread, const Access& access, Region* usual) {
  if (access.space == Space::kOtherStack) {
    report_other_stack(thread, access);
    return nullptr;
  }
  if (access.space == Space::kConstant) {
    report_constant(thread, access);
    return nullptr;
  }
  Region* region = regions_.find(access);
  if (!region) {
    report_outside(thread, access, usual);
    return nullptr;
  }
  if (!is_aligned(access)) {
    report_misaligned(thread, access, *region);
    return nullptr;
  }
  if (writes_const(access, *region)) {
    report_const(thread, access, *region, usual);
    return nullptr;
  }
  return region;
}

void MemoryCheck::report_outside(const ThreadInfo& thread, const Access& access, Region* usual) {
  if (access.space == Space::kShared) {
    const bool is_known = usual && usual->shared;
    return report_out_of_bounds(thread, access,
                                is_known ? *usual : regions_.nearest_shared(access));
  }
  if (is_null(access.address)) return report_host_memory(thread, access);
  if (usual && distance(*usual, access.address) < kReachOfIndex)
    return report_out_of_bounds(thread, access, *usual);
  if (Region* near = regions_.nearest(access.address, kNear))
    return report_out_of_bounds(thread, access, *near);
  if (Region* wrapped = regions_.nearest_before_wrap(access.address, kNear))
    return report_out_of_bounds(thread, access, *wrapped);
  report_host_memory(thread, access);
}

void MemoryCheck::report_out_of_bounds(const ThreadInfo& thread, const Access& access,
                                       const Region& region) {
  findings_.add(Finding::Kind::kOutOfBounds, access.site, &region, thread, [&] {
    const bool before = access.address < region.begin;
    Findings::Text text;
    text.first = std::string(verb(access.kind)) + ' ' +
                 region.elements(access.address, access.bytes) +
                 (before ? ", before the start of " : ", past the end of ") + region.name();
    text.last = region.declared() + ". Cure: compare the index with the size before the access";
    if (region.shared)
      text.last = region.declared() + ". Cure: keep the index below " +
                  std::to_string(region.elements()) + ", or make " + region.name() + " larger";
    if (region.shared && region.shared->is_dynamic) text.last += " in the launch";
    return text;
  });
}

/// An index that runs past the end of one tensor may reach another one, which must not be blamed.
void MemoryCheck::report_const(const ThreadInfo& thread, const Access& access, const Region& region,
                               const Region* usual) {
  if (usual && !writes_const(access, *usual)) return report_out_of_bounds(thread, access, *usual);
  findings_.add(Finding::Kind::kOutOfBounds, access.site, &region, thread, [&] {
    return Findings::Text{std::string(verb(access.kind)) + ' ' +
                              region.elements(access.address, access.bytes) +
                              ", but the kernel takes " + region.name() + " as const",
                          region.declared() +
                              ". Cure: compare the index with the size of the tensor that this "
                              "line should write; its index has probably run past the end"};
  });
}

void MemoryCheck::left_variable(const ThreadInfo& thread, const Site* site, AccessKind kind,
                                std::uintptr_t address, const Region& meant,
                                const Region& reached) {
  findings_.add(Finding::Kind::kOutOfBounds, site, &meant, thread, [&] {
    return Findings::Text{std::string(verb(kind)) + ' ' + meant.element(address) + ", which is " +
                              reached.element(address) + ": past the end of " + meant.name(),
                          meant.declared() + ", " + reached.declared() +
                              ". Cure: keep the index below " + std::to_string(meant.elements()) +
                              ", or make " + meant.name() + " larger"};
  });
}

void MemoryCheck::report_constant(const ThreadInfo& thread, const Access& access) {
  findings_.add(Finding::Kind::kOutOfBounds, access.site, nullptr, thread, [&] {
    return Findings::Text{
        std::string(verb(access.kind)) + ' ' + size_of(access) + " of constant memory",
        "kernels only read __constant__ variables, which the host fills with "
        "cudaMemcpyToSymbol. Cure: write a __device__ variable instead"};
  });
}

void MemoryCheck::report_misaligned(const ThreadInfo& thread, const Access& access,
                                    const Region& region) {
  findings_.add(Finding::Kind::kMisaligned, access.site, &region, thread, [&] {
    const std::string bytes = std::to_string(access.bytes);
    return Findings::Text{
        std::string(verb(access.kind)) + ' ' + size_of(access) + " at " +
            region.element(access.address) + ", byte " +
            std::to_string(access.address - region.begin) + " of " + region.name() +
            ": not a multiple of " + bytes,
        region.declared() + ". A GPU stops with cudaErrorMisalignedAddress. Cure: access " + bytes +
            " bytes at once only from an index that is a multiple of " +
            std::to_string(std::max<std::size_t>(access.bytes / region.element_size, 1))};
  });
}

void MemoryCheck::report_host_memory(const ThreadInfo& thread, const Access& access) {
  findings_.add(Finding::Kind::kHostMemory, access.site, nullptr, thread, [&] {
    std::string names;
    for (const Region& region : regions_.all())
      if (region.argument) names += (names.empty() ? "" : ", ") + region.name();
    return Findings::Text{
        std::string(verb(access.kind)) + ' ' + size_of(access) + " at " +
            (is_null(access.address)
                 ? "address " + std::to_string(access.address) + ": the pointer is null"
                 : hexadecimal(access.address) + ", which belong to no tensor of this launch"),
        "the kernel reaches " +
            (names.empty() ? "shared memory only" : "only " + names + " and shared memory") +
            ", not the host's memory. Cure: pass the tensor to the launch"};
  });
}

void MemoryCheck::report_other_stack(const ThreadInfo& thread, const Access& access) {
  findings_.add(Finding::Kind::kOtherThreadsLocal, access.site, nullptr, thread, [&] {
    return Findings::Text{std::string(verb(access.kind)) + ' ' + size_of(access) +
                              " in a local variable of another thread",
                          "each thread has its own local memory. Cure: exchange values through a "
                          "__shared__ variable"};
  });
}

}  // namespace td::simt
