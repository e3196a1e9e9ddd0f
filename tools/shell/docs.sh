#!/bin/bash
# `./course docs` writes the chapters, the reference and the API as pages. Sourced by ./course, which
# sets root. Invariant: the last line says where the pages are, or what to type instead.

docs_page() { echo "${root:?}/build/release/docs/html/index.html"; }

docs_usage() {
  show_help <<'END'
./course docs [--open]

Writes the chapters, the reference and the API as pages.

  --open|show them in the browser

The pages need no network and no server: search, pictures and links work from the folder build/release/docs/html, which you can also copy elsewhere.

Example: ./course docs --open
END
}

# The program that opens a file in the reader's browser; nothing if there is none.
find_opener() {
  local program
  # Under WSL the browser is Windows's. xdg-open without a display would start a text browser, or nothing.
  for program in wslview explorer.exe; do
    if grep -qi microsoft "${PROC_VERSION:-/proc/version}" 2>/dev/null && command -v "$program"; then return 0; fi
  done
  [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open
}

open_docs() {
  local opener page
  page="$(docs_page)"
  if ! opener="$(find_opener)"; then
    echo "docs: no browser can be opened from here. Open the page above yourself, or show it to another machine:"
    echo "docs:   python3 -m http.server --directory build/release/docs/html 8000   and then http://$(hostname):8000"
    return 1
  fi
  # Windows's programs take no Linux path, and explorer.exe ends with 1 also when it has opened the page.
  case "$opener" in
    */explorer.exe) "$opener" "$(wslpath -w "$page")" || true ;;
    *) "$opener" "$page" >/dev/null 2>&1 || { echo "docs: $opener could not open $page" && return 1; } ;;
  esac
}

write_docs() {  # write_docs [--open]
  local start=$SECONDS
  case "${1:-}" in
    "" | --open) ;;
    -h | --help) docs_usage && return 0 ;;
    *)
      echo "docs: unknown option $1: type  ./course docs  or  ./course docs --open" >&2
      return 2
      ;;
  esac
  set_up docs && build_in release docs || return 1
  sed -n 's/^docs: \(.*\) files, \(.*\) MB.*/docs: \1 files, \2 MB/p' build/release/build.log
  echo "docs: written in $((SECONDS - start)) s: $(docs_page)"
  if [ "${1:-}" = --open ]; then open_docs; fi
}
