// Ranks as threads, one on each GPU of the stand-in for CUDA, which call NCCL's own functions. The
// tests of the stand-in for NCCL share this. Assertions are made after the ranks have ended: what a
// rank throws is returned.
#pragma once

#include <nccl.h>

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "fake_gpus.h"

namespace fake {

inline ncclUniqueId new_id() {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  return id;
}

/// Waits until the communicator's last call has ended, for `longest` at most.
inline ncclResult_t wait_for(ncclComm_t comm,
                             std::chrono::milliseconds longest = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + longest;
  for (ncclResult_t state = ncclInProgress;;
       std::this_thread::sleep_for(std::chrono::microseconds(50))) {
    if (ncclCommGetAsyncError(comm, &state) != ncclSuccess) return ncclInternalError;
    if (state != ncclInProgress || std::chrono::steady_clock::now() > end) return state;
  }
}

inline void must(bool holds, const std::string& what) {
  if (!holds) throw td::Error(what);
}

/// One rank of a communicator. Its stream is current while it lives.
class Rank {
 public:
  Rank(const ncclUniqueId& id, int rank_, int size_) : Rank(id, rank_, size_, gpu(rank_)) {}
  Rank(const ncclUniqueId& id, int rank_, int size_, td::Device device_)
      : rank(rank_),
        size(size_),
        device(device_),
        device_guard_(device_),
        stream(td::getStreamFromPool(device_)),
        stream_guard_(stream) {
    cudaSetDevice(device.index());
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    begun = ncclCommInitRankConfig(&comm, size, id, rank, &config);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  cudaStream_t native() const { return reinterpret_cast<cudaStream_t>(stream.native()); }
  /// A call has begun and ends well.
  void done(ncclResult_t result) const {
    must(result == ncclInProgress, std::string("the call says ") + ncclGetErrorString(result));
    result = wait_for(comm);
    must(result == ncclSuccess, std::string("the end is ") + ncclGetErrorString(result));
  }
  void leave() const {
    done(ncclCommFinalize(comm));
    must(ncclCommDestroy(comm) == ncclSuccess, "destroying");
  }

  const int rank, size;
  const td::Device device;

 private:
  const td::DeviceGuard device_guard_;

 public:
  const td::Stream stream;
  ncclComm_t comm = nullptr;
  ncclResult_t begun = ncclSuccess;

 private:
  const td::StreamGuard stream_guard_;
};

/// Runs `work` in `count` threads and returns what each threw, "" for nothing.
template <class Work>
std::vector<std::string> in_threads(int count, Work work) {
  std::vector<std::future<std::string>> threads;
  for (int i = 0; i < count; ++i)
    threads.push_back(std::async(std::launch::async, [&work, i]() -> std::string {
      try {
        work(i);
      } catch (const std::exception& error) {
        return error.what();
      }
      return "";
    }));
  std::vector<std::string> errors;
  for (auto& thread : threads) errors.push_back(thread.get());
  return errors;
}

/// Runs `work(rank)` on the ranks of one communicator, which joins before and leaves afterwards.
template <class Work>
std::vector<std::string> on_ranks(int count, Work work) {
  const ncclUniqueId id = new_id();
  return in_threads(count, [&](int r) {
    const Rank rank(id, r, count);
    rank.done(rank.begun);
    work(rank);
    rank.leave();
  });
}

}  // namespace fake
