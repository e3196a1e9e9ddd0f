// The object behind td::cuda::libs(), in libtd_cuda_libs.so: hands each call to the file that
// knows the library.
#include "td/backends/cuda/libs/nccl.h"
#include "td/backends/cuda/libs/stream_state.h"

namespace td::cuda {
namespace {

class NvidiaLibs final : public Libs {
 public:
  void gemm(const Gemm& gemm, const void* a, const void* b, void* c, Where where) override {
    run_gemm(gemm, a, b, c, where);
  }
  bool gemm_with_bias(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c,
                      Where where) override {
    return run_gemm_with_bias(gemm, a, b, bias, c, where);
  }
  bool supports(const Conv2d& conv) const override {
    return !(conv.channels_last && conv.dtype == kDouble);
  }
  void conv2d(ConvKind kind, const Conv2d& conv, const void* first, const void* second,
              void* result, Where where) override {
    run_conv(kind, conv, first, second, result, where);
  }
  std::string new_communicator_id() override { return new_nccl_id(); }
  std::shared_ptr<Communicator> join_communicator(const std::string& id, int rank, int size,
                                                  int device) override {
    return join_nccl(id, rank, size, device);
  }
};

}  // namespace
}  // namespace td::cuda

td::cuda::Libs* td_cuda_libs() {
  static auto* const libs = new td::cuda::NvidiaLibs;
  return libs;
}
