// Chooses how bfloat16 is multiplied, from what oneDNN and the processor report. Nothing is timed:
// a choice by timing could differ from run to run, and with it the last bits of a training.
#include "libs/host_libs.h"

#include <atomic>

#include "td/base/error.h"

#ifdef TD_HAS_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace td::kernels {
namespace {

#ifdef TD_HAS_ONEDNN
bool has(unsigned instructions) {  // the environment's ONEDNN_MAX_CPU_ISA may hide some
  return (dnnl_get_effective_cpu_isa() & instructions) == instructions;
}
constexpr unsigned kReads = dnnl_cpu_isa_avx512_core, kMultiplies = dnnl_cpu_isa_avx512_core_bf16,
                   kMatrixUnit = dnnl_cpu_isa_avx512_core_amx;
#else
bool has(int) { return false; }
constexpr int kReads = 0, kMultiplies = 0, kMatrixUnit = 0;
#endif

// Intel's processors since Sapphire Rapids leave bfloat16 to their matrix unit (AMX). The vector
// instruction, which is what a virtual machine that hides the unit offers, takes four times as long
// there as a multiplication of floats, for twice the products. Those processors are known by their
// float16 arithmetic, which earlier ones lack.
bool vectors_are_slow() {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kFloat16Arithmetic = 1u << 23;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & kFloat16Arithmetic);
#else
  return false;
#endif
}

Bfloat16Products fastest() {
  if (has(kMultiplies) && (has(kMatrixUnit) || !vectors_are_slow()))
    return Bfloat16Products::kNative;
  return has(kReads) ? Bfloat16Products::kConverted : Bfloat16Products::kCopied;
}

std::atomic<Bfloat16Products>& chosen() {
  static std::atomic<Bfloat16Products> way(fastest());
  return way;
}

}  // namespace

Bfloat16Products bfloat16_products() { return chosen().load(std::memory_order_relaxed); }

void set_bfloat16_products(Bfloat16Products wanted) {
  TD_CHECK(Error, wanted != Bfloat16Products::kNative || has(kMultiplies),
           "bfloat16: this processor, or this build, has no instructions that multiply bfloat16");
  TD_CHECK(Error, wanted != Bfloat16Products::kConverted || has(kReads),
           "bfloat16: oneDNN is not in this build, or reads no bfloat16 on this processor");
  chosen().store(wanted);
}

bool host_convolves(ScalarType dtype) {
  if (dtype == kBFloat16) return bfloat16_products() != Bfloat16Products::kCopied;
  return dtype != kHalf;
}

}  // namespace td::kernels
