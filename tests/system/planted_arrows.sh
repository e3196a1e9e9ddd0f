#!/bin/bash
# Plants faults in a copy of one layer and expects include_arrows.py to find each, and only them.
# Called by CTest with the folder of include_arrows.py.
folder="$(mktemp -d)" || exit 1
trap 'rm -rf "$folder"' EXIT
checker="$1/include_arrows.py"
failed=0

verdict() {  # verdict CODE TEXT FILE LINE
  rm -rf "$folder/td" && mkdir -p "$folder/td/$(dirname "$3")" && printf '%s\n' "$4" >"$folder/td/$3"
  local output code
  output="$(python3 "$checker" "$folder" 2>&1)"
  code=$?
  if [ $code -ne "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
    echo "$3 with '$4': expected exit code $1 and '$2', got $code and: $output"
    failed=1
  fi
}

verdict 0 "1 files, 0 faults" ops/add.cpp '#include "td/kernels/pointwise.h"'
verdict 0 "1 files, 0 faults" nn/linear.h '#include "td/base/error.h"'
verdict 0 "1 files, 0 faults" kernels/launch.h '#include "sim/sim.h"'
verdict 0 "1 files, 0 faults" td.h '#include "distributed/distributed.h"'
verdict 1 "td/base/error.h:1: base must not include td/tensor/tensor.h" \
  base/error.h '#include "td/tensor/tensor.h"'
verdict 1 "kernels must not include td/autograd/node.h" \
  kernels/rows.h '#  include "td/autograd/node.h"'
verdict 1 "ops must not include sim/sim.h" ops/add.cpp '#include "sim/sim.h"'
verdict 1 "only backends, device and kernels" tensor/print.cpp '#if defined(TD_HAS_CUDA)'
verdict 1 "io must not include td/nn/module.h" io/checkpoint.h '#include "td/nn/module.h"'
verdict 1 "the folder misc is in no layer" misc/x.h '#include "td/base/error.h"'
verdict 1 "0 files" empty/readme.txt 'nothing to read is not a pass'
exit $failed
