// Several processes from one program, without a launcher. Programs call it once, after their
// options are read. Invariant: a process is never copied while it runs (fork without exec):
// threads, locks and devices do not survive that.
#pragma once

#include <functional>

namespace td::distributed {

/// Starts this program `nprocs` times more, with the same arguments, and calls `fn(rank)` in each.
/// What stands before spawn() in the program therefore runs in every rank too; what stands after it
/// runs in the caller alone. Returns when all ranks have ended; their lines begin with "[1] ". As
/// torch.multiprocessing.spawn, which pickles `fn` instead.
///
/// In a rank spawn() does not return: the process ends with exit code 0, or, when `fn` throws, with
/// "rank 1: <the error's text>" on standard error and exit code 1.
///
/// @throws Error naming the first rank that failed; for `nprocs` below 1; in a process that is a
/// rank already.
void spawn(const std::function<void(int rank)>& fn, int nprocs);

}  // namespace td::distributed
