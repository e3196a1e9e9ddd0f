// Asynchronous copies (cp.async) of the machine's threads. They happen as late as a GPU may do
// them, when the thread waits for them, so a missing wait shows in the results. The observer is
// told of the write twice, when the copy starts and when it happens, because a GPU may write at any
// time in between.
#include <algorithm>
#include <cstring>

#include "simt/machine.h"

namespace td::simt {

void Machine::async_copy(const AsyncCopy& copy) {
  if (copies_.empty()) copies_.resize(threads_.size());
  AsyncCopies& own = copies_[current_->info.linear];
  own.pending.push_back(copy);
  own.pending.back().batch = own.batch;
  own.pending.back().shared_reads = own.shared_reads;
  if (observer_)
    access(AccessKind::kWrite, reinterpret_cast<std::uintptr_t>(copy.to), copy.bytes,
           AccessForm::kStart, copy.pc);
}

void Machine::async_commit() {
  if (!copies_.empty()) ++copies_[current_->info.linear].batch;
}

/// Does the copies of all but the last `left` batches that were committed.
void Machine::async_wait(std::size_t left) {
  if (copies_.empty()) return;
  AsyncCopies& own = copies_[current_->info.linear];
  const auto first_left = std::find_if(own.pending.begin(), own.pending.end(),
                                       [&](const auto& c) { return c.batch + left >= own.batch; });
  for (auto copy = own.pending.begin(); copy != first_left; ++copy) copy_now(*copy);
  own.pending.erase(own.pending.begin(), first_left);
}

void Machine::copy_now(const AsyncCopy& copy) {
  const std::size_t read = copy.bytes - copy.zeros;
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  if (observer_ && read > 0)
    access(AccessKind::kRead, address(copy.from), read, AccessForm::kPlain, copy.pc);
  if (observer_)
    access(AccessKind::kWrite, address(copy.to), copy.bytes, AccessForm::kPlain, copy.pc);
  if (observer_)
    observer_->async_copy(copy.bytes,
                          copies_[current_->info.linear].shared_reads > copy.shared_reads);
  std::memcpy(copy.to, copy.from, read);
  std::memset(static_cast<char*>(copy.to) + read, 0, copy.zeros);
}

/// A GPU also does the copies for which a thread never waits, so what they read is checked. What
/// they write is of no use to anybody.
void Machine::check_unawaited_copies() {
  if (copies_.empty() || !observer_) return;
  for (const AsyncCopy& copy : copies_[current_->info.linear].pending)
    if (copy.bytes > copy.zeros)
      access(AccessKind::kRead, reinterpret_cast<std::uintptr_t>(copy.from),
             copy.bytes - copy.zeros, AccessForm::kPlain, copy.pc);
}

}  // namespace td::simt
