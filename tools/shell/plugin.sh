#!/bin/bash
# Fetches XLA's plugin for the CPU, once. Sourced by ./course, which sets root.
# Invariant: the file in build/xla is complete, and is the one whose hash tools/xla_plugin.txt names.

plugin_file=build/xla/xla_cpu_pjrt.so

fetch_plugin() {  # Leaves the library and PJRT's own header in build/xla.
  if [ -f "$plugin_file" ]; then return 0; fi
  if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "plugin: there is no pip here. Install it with  sudo apt-get install python3-pip" >&2
    return 1
  fi
  echo "plugin: fetching XLA's plugin for the CPU, once: 64 MB to download, 260 MB in build/xla" >&2
  rm -rf build/xla.part && mkdir -p build/xla.part || return 1
  if ! python3 -m pip --disable-pip-version-check download --quiet --no-deps --only-binary :all: \
    --require-hashes --requirement tools/xla_plugin.txt --dest build/xla.part; then
    echo "plugin: it could not be fetched. Is there a network? The package is for x86-64 machines." >&2
    echo "plugin: with another plugin:  PJRT_PLUGIN=/where/it/is.so ./course run 10" >&2
    return 1
  fi
  python3 - build/xla.part <<'END' || return 1
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
(wheel,) = folder.glob("*.whl")
with zipfile.ZipFile(wheel) as files:
    for name in files.namelist():
        if name.endswith((".so", "pjrt_c_api.h")):
            (folder / pathlib.Path(name).name).write_bytes(files.read(name))
wheel.unlink()
END
  # Atomically: a run that is stopped here begins again.
  rm -rf build/xla && mv build/xla.part build/xla
}

name_plugin() {  # The learner's own choice has priority.
  if [ -z "${PJRT_PLUGIN:-}" ] && [ -f "$plugin_file" ]; then
    export PJRT_PLUGIN="${root:?}/$plugin_file"
  fi
}

is_for_chapter_10() {  # is_for_chapter_10 COMMAND WORD...
  case "$1" in run | check | watch | time) ;; *) return 1 ;; esac
  local word
  for word in "${@:2}"; do
    case "$word" in 10 | 10.* | chapters/10_*) return 0 ;; -h | --help) return 1 ;; esac
  done
  return 1
}
