#!/bin/bash
# Plants faults in a copy of one file and expects include_arrows.py to find each, and only them.
# Called by CTest with the folder of include_arrows.py.
folder="$(mktemp -d)" || exit 1
trap 'rm -rf "$folder"' EXIT
checker="$1/include_arrows.py"
failed=0

verdict() {  # verdict CODE TEXT FILE LINE [FILE LINE]: the files of a made-up common/
  rm -rf "${folder:?}"/* && mkdir -p "$folder/$(dirname "$3")" && printf '%s\n' "$4" >"$folder/$3"
  if [ $# -gt 4 ]; then mkdir -p "$folder/$(dirname "$5")" && printf '%s\n' "$6" >"$folder/$5"; fi
  local output code
  output="$(python3 -B "$checker" "$folder" 2>&1)"
  code=$?
  if [ $code -ne "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
    echo "$3 with '$4': expected exit code $1 and '$2', got $code and: $output"
    failed=1
  fi
}

echo "what may be included"
verdict 0 "1 files, 0 faults" td/ops/add.cpp '#include "td/kernels/pointwise.h"'
verdict 0 "1 files, 0 faults" td/nn/linear.h '#include "td/base/error.h"'
verdict 0 "1 files, 0 faults" td/kernels/launch.h '#include "td/backends/cuda/cuda.h"'
verdict 0 "1 files, 0 faults" td/tensor/tensor.h '#include "td/ops/pointwise/binary.def"'
verdict 0 "1 files, 0 faults" td/td.h '#include "distributed/distributed.h"'
verdict 0 "1 files, 0 faults" distributed/ddp/ddp.h '#include "td/nn/module.h"'
verdict 1 "td/base/error.h:1: td/base must not include td/tensor/tensor.h" \
  td/base/error.h '#include "td/tensor/tensor.h"'
verdict 1 "td/kernels must not include td/autograd/node.h" td/kernels/rows.h '#  include "td/autograd/node.h"'
verdict 1 "td/ops must not include td/backends/cuda/cuda.h" td/ops/add.cpp '#include "td/backends/cuda/cuda.h"'
verdict 0 "1 files, 0 faults" td/ops/gemm/gemm.cu '#include "libs/host_libs.h"'
verdict 1 "td/ops must not include libs/host_libs.h" td/ops/add.cpp '#include "libs/host_libs.h"'
verdict 1 "only backends, device and kernels" td/tensor/print.cpp '#if defined(TD_HAS_CUDA)'
verdict 1 "td/misc/x.h: it is in no layer" td/misc/x.h '#include "td/base/error.h"'
verdict 1 "misc/x.h: it is in no layer" misc/x.h '#include "td/base/error.h"'
verdict 1 "td/extra.h: it is in no layer" td/extra.h '#include "td/base/error.h"'

echo "from the core to the house, and between the houses"
verdict 1 "td/ops must not include sim/sim.h" td/ops/add.cpp '#include "sim/sim.h"'
verdict 1 "td/nn must not include distributed/ddp/ddp.h" td/nn/module.h '#include "distributed/ddp/ddp.h"'
verdict 1 "the core must not name sim::" td/kernels/launch.h 'int* p = sim::kernel_view(0, q);'
verdict 1 "the core must not name kSIM" td/ops/add.cpp 'bool on_sim(Device d) { return d.type() == kSIM; }'
verdict 1 "the core must not name is_sim" td/tensor/tensor.h 'inline bool f(Device d) { return d.is_sim(); }'
verdict 0 "1 files, 0 faults" td/device/devices.def 'ACCELERATOR(SIM, sim, kSIM)'
verdict 0 "1 files, 0 faults" td/ops/add.cpp '// like sim::link' 
verdict 0 "1 files, 0 faults" td/ops/add.cpp 'const char* text = "kSIM";'
verdict 1 "io must not include td/nn/module.h" io/checkpoint.h '#include "td/nn/module.h"'
verdict 0 "1 files, 0 faults" sim/queue.cpp '#include "trace/trace.h"'
verdict 1 "trace must not include sim/sim.h" trace/chrome.cpp '#include "sim/sim.h"'
verdict 1 "data must not include distributed/sampler.h" data/loader.h '#include "distributed/sampler.h"'

echo "lists and kernels are read too"
verdict 1 "td/tensor must not include td/nn/nn.h" td/tensor/lists.inc '#include "td/nn/nn.h"'
verdict 1 "the core must not name kSIM" td/ops/sort/sort.cu 'int x = kSIM;'
verdict 1 "td/base must not include td/ops/ops.def" td/base/names.def '#include "td/ops/ops.def"'

echo "declared in one directory and defined in another"
verdict 1 "td/ops/sum.cpp:1: sum_to is declared in td/autograd and defined in td/ops" \
  td/autograd/node.h 'namespace td { Tensor sum_to(const Tensor& x, const Sizes& sizes = {}); }' \
  td/ops/sum.cpp 'namespace td { Tensor sum_to(const Tensor& x, const Sizes& sizes) { return x; } }'
verdict 1 "start is declared in td/base and defined in trace" \
  td/base/span.h 'namespace td { class Recorder { public: void start(); }; }' \
  trace/chrome.cpp 'namespace td { void Recorder::start() {} }'
verdict 1 "sum is declared in td/kernels and defined in td/ops" \
  td/kernels/kernels.h 'namespace td::kernel { void sum(const View& in, int dim); }' \
  td/ops/sum.cu 'namespace td::kernel { template <class T> struct Op {}; void sum(const View& in, int) {} }'
verdict 0 "2 files, 0 faults" td/ops/sum.h 'namespace td { Tensor sum(const Tensor& x); }' \
  td/ops/reduce/sum.cpp 'namespace td { Tensor sum(const Tensor& x) { return x; } }'
verdict 0 "2 files, 0 faults" td/tensor/tensor.h 'namespace td { class Tensor { Tensor sum() const; }; }' \
  td/ops/sum.cpp 'namespace td { Tensor Tensor::sum() const { return *this; } }'
verdict 0 "2 files, 0 faults" td/base/file.h 'namespace td { int size(int x); }' \
  td/ops/sum.cpp 'namespace td { namespace { int size(int x) { return x; } } int one() { return size(1); } }'
verdict 1 "0 files" empty/readme.txt 'nothing to read is not a pass'
exit $failed
