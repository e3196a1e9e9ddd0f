#!/bin/bash
# What doctor.sh finds out about libraries: where cmake/Libraries.cmake finds them, without a package manager,
# and XLA's plugin. Sourced by it.
# Invariant: a library counts only with its header, as in the build.
# shellcheck disable=SC2034,SC2154  # doctor.sh and its other parts share these variables

missing=()  # Debian packages that the build requires

IFS=: read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}"
prefixes+=("$machine/usr/local" "$machine/usr")  # where CMake looks

find_header() {  # find_header NAME: prints the first one; NAME may be a pattern
  local prefix file
  for prefix in "${prefixes[@]}"; do
    # The pattern must expand.
    # shellcheck disable=SC2086,SC2231
    for file in "$prefix"/include/$1 "$prefix"/include/*-linux-gnu/$1 "$prefix"/lib/*/pmix2/include/$1; do
      [ -e "$file" ] && echo "$file" && return
    done
  done
  return 1
}

find_library() {  # find_library PATTERN: prints the first file of this name
  local prefix file
  for prefix in "${prefixes[@]}"; do
    # shellcheck disable=SC2086,SC2231
    for file in "$prefix"/lib/$1 "$prefix"/lib/*-linux-gnu/$1 "$prefix"/lib/*-linux-gnu/openblas*/$1 "$prefix"/lib64/$1; do
      [ -e "$file" ] && echo "$file" && return
    done
  done
  return 1
}

need() {  # need PACKAGE HEADER [LIBRARY]
  find_header "$2" >/dev/null && { [ -z "${3:-}" ] || find_library "$3" >/dev/null; } && return
  missing+=("$1")
}

examine_libraries() {
  need libcli11-dev CLI/CLI.hpp
  need libtomlplusplus-dev toml++/toml.h
  need nlohmann-json3-dev nlohmann/json.hpp
  need libboost-context-dev boost/context/fiber.hpp libboost_context.so
  need libdw-dev elfutils/libdwfl.h libdw.so
  need libncurses-dev ncurses.h
  examine_catch2
  if [ ${#missing[@]} -gt 0 ]; then
    finding error libraries_missing "Libraries are missing: ${missing[*]}" \
      "The course cannot be built without them. Where it may install packages, any command does so first." \
      "$(install_steps "${missing[@]}")"
  else
    finding ok libraries "What the build needs: CLI11, toml++, JSON, Boost.Context, libdw, ncurses"
  fi
  examine_math_libraries
  examine_distributed_libraries
  examine_conveniences
}

examine_catch2() {
  if find_header catch2/catch_test_macros.hpp >/dev/null; then
    finding ok catch2 "Catch2 3"
  elif find_header catch2/catch.hpp >/dev/null; then
    finding ok catch2 "Catch2 2"
  else
    missing+=(catch2)
  fi
}

examine_math_libraries() {
  local onednn=true openblas=true
  find_header dnnl.h >/dev/null && find_library libdnnl.so >/dev/null || onednn=false
  find_header cblas.h >/dev/null || find_header "openblas*/cblas.h" >/dev/null || openblas=false
  find_library libopenblas.so >/dev/null || find_library libopenblas.so.0 >/dev/null || openblas=false
  if $onednn; then finding ok onednn "oneDNN"; else
    finding warning onednn_missing "oneDNN is not here." \
      "Convolutions on cpu and sim run in the course's own loops: chapters 04 to 08 train much slower." \
      "$(install_steps libdnnl-dev)"
  fi
  if ! $openblas; then
    finding "$($onednn && echo note || echo warning)" openblas_missing "OpenBLAS is not here." \
      "Matrix products of float64, and without oneDNN those of float32 too, run in the course's own loops." \
      "$(install_steps libopenblas-openmp-dev)"
  elif ! has_openmp_variant; then
    finding note openblas_pthread "OpenBLAS is here, without its OpenMP variant." \
      "It then keeps threads of its own, which compete with those of oneDNN and of the course for the cores." \
      "$(install_steps libopenblas-openmp-dev)"
  else
    finding ok openblas "OpenBLAS, its OpenMP variant"
  fi
}

# cmake/Libraries.cmake prefers this file; the pthread variant next to it does no harm.
has_openmp_variant() { compgen -G "$machine/usr/lib/*/openblas-openmp/libopenblas.so.0" >/dev/null; }

examine_distributed_libraries() {
  if find_header gloo/allreduce.h >/dev/null && find_library libgloo.so >/dev/null; then finding ok gloo "gloo"; else
    finding warning gloo_missing "gloo is not here." \
      "Ranks cannot exchange tensors of cpu and sim: ./course launch and the ranks of chapters 06 and 14 are skipped." \
      "$(install_steps libgloo-dev)"
  fi
  if find_header hiredis/hiredis.h >/dev/null && find_library libhiredis.so >/dev/null; then finding ok hiredis "hiredis"; else
    finding note hiredis_missing "hiredis is not here." \
      "Ranks of several hosts cannot meet at a Redis server; the other ways to meet work." "$(install_steps libhiredis-dev)"
  fi
  if find_header pmix.h >/dev/null && find_library libpmix.so >/dev/null; then finding ok pmix "PMIx"; else
    finding note pmix_missing "PMIx is not here." \
      "Ranks that srun or mpirun starts need an address to meet at; with PMIx they need none." "$(install_steps libpmix-dev)"
  fi
}

examine_conveniences() {
  local command absent=()
  for command in ccache ld.lld; do has_command $command || absent+=("$command"); done
  if [ ${#absent[@]} -gt 0 ]; then
    finding note build_slower "There is no ${absent[*]}." "Building again and linking take longer." \
      "$(install_steps ccache lld)"
  fi
  has_command gnuplot || finding note gnuplot_missing "There is no gnuplot." \
    "./course time draws no pictures; its tables and its page of numbers are complete." "$(install_steps gnuplot-nox)"
  has_command dpkg-query || return
  read -r -d '' -a absent < <(missing_packages_of_all)
  [ ${#absent[@]} -eq 0 ] || finding note test_all_incomplete "For ./course test --all these packages are missing: ${absent[*]}" \
    "Only that command and ./course docs need them. Both install them where they may."
}
missing_packages_of_all() { missing_packages docs all && printf '\0'; }

examine_xla() {
  if [ -n "${PJRT_PLUGIN:-}" ]; then
    if [ -f "$PJRT_PLUGIN" ]; then finding ok xla_plugin "XLA's plugin, as PJRT_PLUGIN says: $PJRT_PLUGIN"; else
      finding warning xla_plugin_path "PJRT_PLUGIN names a file that is not there: $PJRT_PLUGIN" \
        "Chapter 10 is skipped. Without the variable the course takes XLA's plugin for the CPU." "$ unset PJRT_PLUGIN"
    fi
  elif [ -f build/xla/xla_cpu_pjrt.so ]; then
    finding ok xla_plugin "XLA's plugin for the CPU"
  elif [ "$(uname -m)" != x86_64 ]; then
    finding warning xla_no_plugin "XLA's plugin for the CPU is for x86-64 only." \
      "Chapter 10 is skipped. With another plugin it runs:" "$ PJRT_PLUGIN=/where/it/is.so ./course run 10"
  elif has_finding pip_missing || has_finding python_missing; then
    finding warning xla_needs_pip "XLA's plugin is not here, and there is no pip to fetch it." \
      "Chapter 10 is skipped." "$(install_steps python3-pip)"
  else
    finding note xla_to_fetch "XLA's plugin is not here yet." \
      "./course run 10 fetches it, once: 64 MB to download, 260 MB on disk."
  fi
}
