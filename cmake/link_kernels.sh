#!/bin/bash
# Links a kernel library: link_kernels.sh COMPILER ARGUMENTS. Called by the build (cmake/Kernels.cmake).
# A kernel names its dynamic shared memory as it likes (`extern __shared__ float tile[];`), and nobody
# defines that variable. So this script defines what the objects miss: all such names are one piece of
# memory per OS thread, of the most bytes that a block can have on any GPU (227 KiB).
set -e
names=$(for word in "$@"; do case "$word" in *.o) echo "$word" ;; esac; done |
  xargs -r -d '\n' readelf --syms --wide |
  awk '$4 == "TLS" && $7 == "UND" && $8 !~ /^(threadIdx|blockIdx|blockDim|gridDim)$|4simt|^_ZN2td/ { print $8 }' |
  sort -u)
[ -n "$names" ] || exec "$@"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  echo '.section .tbss,"awT",@nobits'
  echo '.balign 1024'
  for name in $names td_dynamic_shared; do
    # Protected: found by name from outside, while this library's kernels use this library's memory.
    printf '.globl %s\n.protected %s\n.type %s, @tls_object\n.size %s, 232448\n%s:\n' \
      "$name" "$name" "$name" "$name" "$name"
  done
  echo '.zero 232448'
  echo '.section .note.GNU-stack,"",@progbits'
} >"$folder/dynamic_shared.s"
"$1" -c "$folder/dynamic_shared.s" -o "$folder/dynamic_shared.o"
"$@" "$folder/dynamic_shared.o"
