// Calls of the runtime that fail: which call reports the error, and that no other call does.
#include <cuda_runtime.h>

#include "catch.h"
#include "fake_gpus.h"
#include "td/base/error.h"

using namespace td;

namespace {

TEST_CASE("an event that cannot be asked after is not done") {
  Event event(kCUDA);
  event.record(getDefaultStream(fake::gpu()));
  const Tensor x = ones({8}, TensorOptions(fake::gpu()));
  cuda_stand_in::fail_next("cudaEventQuery", cudaErrorDevicesUnavailable);
  CHECK_THROWS_WITH(event.query(),
                    Catch::StartsWith("asking whether work is done on cuda:0: CUDA-capable "
                                      "device(s) is/are busy or unavailable"));
  CHECK((x + x).sum().item<float>() == 16);  // the next launch is not blamed
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(event.query());
}

TEST_CASE("a stream whose query fails is not done, and the next launch gets no error from it") {
  const Stream stream = getStreamFromPool(fake::gpu());
  const Tensor x = ones({8}, TensorOptions(fake::gpu()));
  cuda_stand_in::fail_next("cudaStreamQuery", cudaErrorDevicesUnavailable);
  CHECK_THROWS_AS(stream.query(), DeviceError);
  CHECK((x + x).sum().item<float>() == 16);
  CHECK(stream.query());
}

TEST_CASE("a lost device is reported by every query, but not when objects are destroyed") {
  const Device device = fake::gpu(1);
  const Tensor x = ones({8}, TensorOptions(device));
  Event event(kCUDA);
  event.record(getDefaultStream(device));
  cuda_stand_in::break_device(1, cudaErrorIllegalAddress);
  CHECK_THROWS_AS(event.query(), AsyncError);
  CHECK_THROWS_AS(getDefaultStream(device).query(), AsyncError);
  CHECK_THROWS_AS(synchronize(device), AsyncError);
  { const Event gone = std::move(event); }
  cuda_stand_in::break_device(1, cudaSuccess);
  CHECK(x.sum().item<float>() == 8);
}

}  // namespace
