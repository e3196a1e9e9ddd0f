// What the stand-in for NCCL rejects, and the life of a communicator: calls before the last one has
// ended, operations that differ from rank to rank, memory and streams of other devices, abort.
#include "catch.h"
#include "nccl_ranks.h"

using namespace td;
using fake::must;
using fake::Rank;

namespace {

using Texts = std::vector<std::string>;
using std::chrono::milliseconds;

Tensor numbers(const Rank& rank, std::int64_t n) {
  return full({n}, rank.rank + 1.0, TensorOptions(rank.device));
}

ncclResult_t all_reduce(const Rank& rank, const Tensor& t, std::int64_t n) {
  return ncclAllReduce(t.data_ptr(), t.data_ptr(), static_cast<std::size_t>(n), ncclFloat, ncclSum,
                       rank.comm, rank.native());
}

/// A communicator of one rank, ready.
struct Alone : Rank {
  Alone() : Rank(fake::new_id(), 0, 1) { done(begun); }
  ~Alone() {
    if (comm) ncclCommAbort(comm);
  }
};

std::string last_error() { return ncclGetLastError(nullptr); }

TEST_CASE("a communicator waits for all its ranks, at its beginning and at its end") {
  const ncclUniqueId id = fake::new_id();
  CHECK(fake::in_threads(2, [&](int r) {
          if (r == 1) std::this_thread::sleep_for(milliseconds(100));
          const Rank rank(id, r, 2);
          must(rank.begun == ncclInProgress, "joining does not wait");
          const ncclResult_t state = fake::wait_for(rank.comm, milliseconds(r == 0 ? 20 : 20'000));
          must(state == (r == 0 ? ncclInProgress : ncclSuccess), ncclGetErrorString(state));
          rank.done(ncclInProgress);
          if (r == 1) std::this_thread::sleep_for(milliseconds(100));
          must(ncclCommFinalize(rank.comm) == ncclInProgress, "finalizing does not wait");
          if (r == 0) must(fake::wait_for(rank.comm, milliseconds(20)) == ncclInProgress, "alone");
          rank.done(ncclInProgress);
          must(ncclCommDestroy(rank.comm) == ncclSuccess, "destroying");
        }) == Texts(2));
}

TEST_CASE("two ranks on one GPU are an invalid usage") {
  const ncclUniqueId id = fake::new_id();
  Texts why(2);
  CHECK(fake::in_threads(2, [&](int r) {
          const Rank rank(id, r, 2, fake::gpu(0));
          must(fake::wait_for(rank.comm) == ncclInvalidUsage, "the state");
          why[static_cast<std::size_t>(r)] = last_error();
          ncclCommAbort(rank.comm);
        }) == Texts(2));
  CHECK_THAT(why[0], Catch::StartsWith("Duplicate GPU detected: ranks 0 and 1 are both on "));
}

TEST_CASE("a call before the last one has ended is an invalid argument") {
  Alone rank;
  const Tensor t = numbers(rank, 4);
  ncclResult_t second = ncclSuccess;
  for (int pair = 0; pair < 100 && second != ncclInvalidArgument; ++pair) {
    REQUIRE(fake::wait_for(rank.comm) == ncclSuccess);
    REQUIRE(all_reduce(rank, t, 4) == ncclInProgress);
    second = all_reduce(rank, t, 4);  // on a busy machine the first may have ended by now
  }
  CHECK(second == ncclInvalidArgument);
  CHECK_THAT(last_error(), Catch::StartsWith("ncclAllReduce: the communicator is used before "));
  CHECK(fake::wait_for(rank.comm) == ncclInvalidArgument);  // and stays so
}

// An event that is recorded right after the call does not cover the operation.
TEST_CASE("an operation is in its stream only after the communicator reports it") {
  Alone rank;
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  int too_early = 0;
  for (int round = 0; round < 30; ++round) {
    const Tensor in = numbers(rank, 1), out = zeros({1}, in.options());
    synchronize(rank.device);
    REQUIRE(ncclAllReduce(in.data_ptr(), out.data_ptr(), 1, ncclFloat, ncclSum, rank.comm,
                          rank.native()) == ncclInProgress);
    cudaEventRecord(event, rank.native());
    cudaEventSynchronize(event);
    // Only a query: the test itself must not wait for the stream.
    const float seen = *static_cast<float*>(cuda_stand_in::device_view(out.data_ptr()));
    too_early += seen == 0;
    CHECK(fake::wait_for(rank.comm) == ncclSuccess);
    rank.stream.synchronize();
    CHECK(out.item<float>() == 1);
  }
  CHECK(too_early > 0);
  cudaEventDestroy(event);
}

/// Lets work continue until a call is rejected.
Texts next_refusals(cuda_stand_in::CollectRefusals& refusals) {
  for (int i = 0; i < 5000; ++i) {
    cuda_stand_in::let_work_go_on();
    Texts texts = refusals.take();
    if (!texts.empty()) return texts;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return {};
}

TEST_CASE("operations that differ between ranks are an error that names both") {
  struct Case {
    std::string other;
    std::function<ncclResult_t(const Rank&, const Tensor&)> call;
  };
  const auto changed = [](std::size_t n, ncclDataType_t type, ncclRedOp_t op) {
    return [=](const Rank& r, const Tensor& t) {
      return ncclAllReduce(t.data_ptr(), t.data_ptr(), n, type, op, r.comm, r.native());
    };
  };
  const Case other = GENERATE_COPY(
      Case{"ncclAllReduce of 4 x float32 (ncclSum)", changed(4, ncclFloat, ncclSum)},
      Case{"ncclAllReduce of 3 x int32 (ncclSum)", changed(3, ncclInt32, ncclSum)},
      Case{"ncclAllReduce of 3 x float32 (ncclMax)", changed(3, ncclFloat, ncclMax)},
      Case{"ncclBroadcast of 3 x float32 (root 1)", [](const Rank& r, const Tensor& t) {
             return ncclBroadcast(t.data_ptr(), t.data_ptr(), 3, ncclFloat, 1, r.comm, r.native());
           }});
  cuda_stand_in::CollectRefusals refusals;
  const ncclUniqueId id = fake::new_id();
  std::promise<Texts> promise;
  const auto refused = promise.get_future().share();
  CHECK(fake::in_threads(2, [&](int r) {
          const Rank rank(id, r, 2);
          rank.done(rank.begun);
          const Tensor t = numbers(rank, 4);
          must((r ? other.call(rank, t) : all_reduce(rank, t, 3)) == ncclInProgress, "the call");
          if (r == 0) promise.set_value(next_refusals(refusals));
          refused.wait();
          must(ncclCommAbort(rank.comm) == ncclSuccess, "abort");
          rank.stream.synchronize();
        }) == Texts(2));
  const Texts texts = refused.get();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0], Catch::Contains(other.other) &&
                           Catch::Contains("ncclAllReduce of 3 x float32 (ncclSum)"));
}

TEST_CASE("a send without its receive waits until it is aborted") {
  const ncclUniqueId id = fake::new_id();
  CHECK(fake::in_threads(2, [&](int r) {
          Rank rank(id, r, 2);
          rank.done(rank.begun);
          const Tensor out = numbers(rank, 3), in = zeros({3}, out.options());
          Event done(kCUDA);
          if (r == 0) {  // the receive comes in a group of its own: too late
            must(ncclSend(out.data_ptr(), 3, ncclFloat, 1, rank.comm, rank.native()) ==
                     ncclInProgress,
                 "the send");
            const ncclResult_t state = fake::wait_for(rank.comm, milliseconds(100));
            if (state == ncclSuccess) {
              done.record(rank.stream);
              std::this_thread::sleep_for(milliseconds(50));
              must(!done.query(), "the send has ended without its receive");
            }
          }
          std::this_thread::sleep_for(milliseconds(r * 300));
          must(ncclCommAbort(rank.comm) == ncclSuccess, "abort");
          rank.stream.synchronize();
        }) == Texts(2));
}

TEST_CASE("abort from another thread ends waiting operations, whose results are garbage") {
  const ncclUniqueId id = fake::new_id();
  CHECK(fake::in_threads(2, [&](int r) {
          Rank rank(id, r, 2);
          rank.done(rank.begun);
          if (r == 1) return (void)ncclCommAbort(rank.comm);  // rank 1 never calls
          const Tensor t = numbers(rank, 3);
          must(all_reduce(rank, t, 3) == ncclInProgress, "the call");
          std::thread([&] {
            cudaSetDevice(0);
            std::this_thread::sleep_for(milliseconds(50));
            must(ncclCommAbort(rank.comm) == ncclSuccess, "abort");
          }).join();
          rank.stream.synchronize();
          // Queued or not, there is no sum of both ranks.
          must(t.cpu().to(kDouble).data_ptr<double>()[0] != 3, "there is a result");
        }) == Texts(2));
}

// What was rejected while `call` ran, and that it returned ncclInvalidArgument.
template <class Call>
std::string refusal_of(Call call) {
  cuda_stand_in::CollectRefusals refusals;
  const ncclResult_t result = call();
  const Texts texts = refusals.take();
  if (texts.size() != 1) return std::to_string(texts.size()) + " refusals";
  return result == ncclInvalidArgument ? texts[0] : "result " + std::to_string(result);
}

TEST_CASE("wrong memory, streams, threads and types that NCCL would accept are rejected") {
  Alone rank;
  const Tensor t = numbers(rank, 4), other = zeros({4}, TensorOptions(fake::gpu(1)));
  const Stream far = getStreamFromPool(fake::gpu(1));
  cudaSetDevice(0);
  const auto call = [&](const void* send, void* recv, std::size_t n, cudaStream_t stream) {
    return refusal_of(
        [&] { return ncclAllReduce(send, recv, n, ncclFloat, ncclSum, rank.comm, stream); });
  };
  void* const data = t.data_ptr();
  float host[4] = {};
  CHECK(call(nullptr, data, 4, rank.native()) == "ncclAllReduce: sendbuff is null");
  CHECK(call(data, nullptr, 4, rank.native()) == "ncclAllReduce: recvbuff is null");
  CHECK_THAT(call(host, data, 4, rank.native()),
             Catch::Contains("sendbuff of 16 bytes is memory of the host"));
  CHECK_THAT(
      call(data, other.data_ptr(), 4, rank.native()),
      Catch::Contains("recvbuff of 16 bytes is memory of cuda:1; expected memory of cuda:0"));
  CHECK_THAT(call(data, data, std::size_t{1} << 33, rank.native()), Catch::Contains("sendbuff"));
  CHECK_THAT(call(data, static_cast<float*>(data) + 1, 3, rank.native()),
             Catch::Contains("overlap, but not as the operation in place"));
  CHECK(call(data, data, 0, rank.native()) == "ncclAllReduce: there are no elements");
  CHECK(call(data, data, 4, reinterpret_cast<cudaStream_t>(far.native())) ==
        "ncclAllReduce: the stream is of another device");
  CHECK(refusal_of([&] {
          return ncclAllReduce(data, data, 4, ncclInt32, ncclAvg, rank.comm, rank.native());
        }) == "ncclAllReduce: a mean of integers is not what the core promises");
  CHECK(refusal_of([&] {
          return ncclAllReduce(data, data, 4, ncclInt8, ncclSum, rank.comm, rank.native());
        }) == "ncclAllReduce: the core has no such element type");
  CHECK(ncclBroadcast(data, data, 4, ncclFloat, 1, rank.comm, rank.native()) ==
        ncclInvalidArgument);
  CHECK(fake::in_new_thread([&] { return call(data, data, 4, rank.native()); }) ==
        "ncclAllReduce: the communicator is on cuda:0, but this thread has chosen no device");
}

TEST_CASE("groups hold the sends and receives of one communicator") {
  Alone rank, second;
  const Tensor t = numbers(rank, 8);
  float* const data = t.data_ptr<float>();
  ncclGroupStart();
  CHECK(refusal_of([&] { return all_reduce(rank, t, 4); }) ==
        "ncclAllReduce: the core makes no collective in a group");
  CHECK(ncclSend(data, 2, ncclFloat, 0, rank.comm, rank.native()) == ncclSuccess);
  CHECK(refusal_of([&] { return ncclRecv(data + 1, 2, ncclFloat, 0, rank.comm, rank.native()); }) ==
        "ncclRecv: the buffer overlaps another one of the group");
  CHECK(refusal_of([&] {
          return ncclSend(data + 4, 2, ncclFloat, 0, second.comm, second.native());
        }) == "ncclSend: the group has another communicator or stream");
  CHECK(ncclGroupEnd() == ncclInvalidArgument);  // an error of a group comes at its end
  CHECK(refusal_of([] { return ncclGroupEnd(); }) == "ncclGroupEnd: there was no ncclGroupStart");
}

TEST_CASE("a communicator is finalized before it is destroyed") {
  Alone rank;
  ncclComm_t const comm = rank.comm;
  CHECK(refusal_of([&] { return ncclCommDestroy(comm); }) ==
        "ncclCommDestroy: ncclCommFinalize has not ended");
  rank.done(ncclCommFinalize(comm));
  CHECK(refusal_of([&] { return ncclCommFinalize(comm); }) ==
        "ncclCommFinalize: the communicator has been finalized");
  CHECK(ncclCommDestroy(comm) == ncclSuccess);
  rank.comm = nullptr;
  CHECK(refusal_of([&] { return ncclCommAbort(comm); }) ==
        "ncclCommAbort: the communicator has been destroyed or aborted");
  ncclResult_t state = ncclSuccess;
  CHECK(refusal_of([&] { return ncclCommGetAsyncError(comm, &state); }) ==
        "ncclCommGetAsyncError: the communicator has been destroyed or aborted");
}

TEST_CASE("the beginning of a communicator is checked") {
  cudaSetDevice(0);
  const ncclUniqueId id = fake::new_id();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclComm_t comm = nullptr;
  const auto join = [&](const ncclUniqueId& unique, int ranks, int rank) {
    return ncclCommInitRankConfig(&comm, ranks, unique, rank, &config);
  };
  CHECK_THAT(refusal_of([&] { return join(id, 2, 0); }), Catch::Contains("that blocks"));
  config.blocking = 0;
  CHECK_THAT(refusal_of([&] { return join(ncclUniqueId{}, 2, 0); }), Catch::Contains("this id"));
  CHECK_THAT(refusal_of([&] { return fake::in_new_thread([&] { return join(id, 2, 0); }); }),
             Catch::Contains("chosen no device"));
  CHECK(join(id, 2, 2) == ncclInvalidArgument);
  REQUIRE(join(id, 2, 0) == ncclInProgress);
  ncclComm_t const first = comm;
  CHECK_THAT(refusal_of([&] { return join(id, 2, 0); }), Catch::Contains("has joined already"));
  CHECK_THAT(refusal_of([&] { return join(id, 3, 1); }),
             Catch::Contains("another rank has named 2"));
  CHECK(ncclCommAbort(first) == ncclSuccess);
}

}  // namespace
