// What happened to each byte of the memory of devices, for --check: whether anything has written it
// since cudaMalloc gave it, and which operations wrote and read it last. An operation that uses
// memory without coming after a conflicting one of another stream is a race, also where the two did
// not overlap in time. Kernels tell what they access under observation, copies and sets what they
// use. Invariant: has a lock of its own, and is empty without --check.
#pragma once

#include <cstddef>
#include <cstdint>

namespace td::cudart {

struct Operation;

namespace shadow {

/// A block begins to exist, with no byte written, and ends.
/// @param made where the program called cudaMalloc
///@{
void begin_block(const void* data, std::size_t bytes, const void* made);
void end_block(const void* data);
///@}

/// What touches memory from now on belongs to this operation; operations run one after another.
/// @param operation lives until the next call; null: none
void set_operation(const Operation* operation);

enum class Use : std::uint8_t { kRead, kWrite, kAtomic };
/// Notes what the operation does, and reports a race. Words of four bytes are compared, so that
/// races of single bytes are missed. Two atomic functions do not conflict.
void touch(const void* data, std::size_t bytes, Use use);
/// The bytes were written, by whatever it was.
void mark(const void* data, std::size_t bytes);
/// Whether all the bytes were written, or belong to no block.
bool has(const void* data, std::size_t bytes);

}  // namespace shadow
}  // namespace td::cudart
