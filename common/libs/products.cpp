// The switches for TF32 and cuDNN's algorithms, and the GPUs that can compute in bfloat16; see
// products.h.
#include "libs/products.h"

#include <array>
#include <atomic>

#include "td/base/error.h"

namespace td {
namespace {

constexpr std::array<std::string_view, 3> kPrecisions{"highest", "high", "medium"};
std::atomic<std::size_t> chosen{0};
std::atomic<bool> benchmark{false};

}  // namespace

void set_float32_matmul_precision(std::string_view precision) {
  for (std::size_t i = 0; i < kPrecisions.size(); ++i)
    if (kPrecisions[i] == precision) return chosen.store(i);
  fail<Error>(
      "set_float32_matmul_precision: expected \"highest\", \"high\" or \"medium\" but got \"",
      precision, "\"; \"high\" lets GPUs use TF32");
}

std::string_view get_float32_matmul_precision() { return kPrecisions[chosen.load()]; }

bool allow_tf32() { return chosen.load(std::memory_order_relaxed) != 0; }

void set_cudnn_benchmark(bool on) { benchmark.store(on); }

bool cudnn_benchmark() { return benchmark.load(std::memory_order_relaxed); }

void check_bfloat16(const char* what, Device device, int compute_capability) {
  TD_CHECK(DeviceError, compute_capability == 0 || compute_capability >= 80, what, ": ", device,
           " has compute capability ", compute_capability / 10, '.', compute_capability % 10,
           " and cannot compute in bfloat16, which began with 8.0; ask for "
           "float16, and scale the loss with a GradScaler");
}

}  // namespace td
