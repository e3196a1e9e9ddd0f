#!/bin/bash
# The summary of doctor.sh's findings: whether the course runs, and which chapter runs on what. Sourced by it.
# Invariant: numbers and titles of chapters are those of chapters/course.toml.
# shellcheck disable=SC2034,SC2154 # doctor.sh and its other parts share these variables

course_runs() { [ "$(count_of error)" -eq 0 ]; }

cuda_runs() { [ "$gpu_count" -gt 0 ] && [ -z "$without_cuda" ]; }

devices_here() {  # One per line
  course_runs || return
  printf 'cpu\nsim\n'
  ! cuda_runs || printf 'cuda\n'
}

chapters() {  # number|title, one per line
  awk '$1 == "[[chapter]]" { chapter = 1 }
    chapter && $1 == "number" { number = $3 }
    chapter && $1 == "title" { sub(/^[^"]*"/, ""); sub(/".*/, ""); print number "|" $0; chapter = 0 }' \
    "$root/chapters/course.toml"
}

devices_of() {  # devices_of CHAPTER: what it runs on here
  local devices="cpu, sim"
  case "$1" in
    10) xla_devices && return ;;
    6) has_finding gloo_missing && devices="" ;;
    8 | 11 | 12 | 13) devices="sim" ;;  # they are about copies to a device, and about its kernels
  esac
  if cuda_runs && ! { [ "$1" = 6 ] && ! $has_nccl; }; then devices="${devices:+$devices, }cuda"; fi
  echo "$devices"
}

xla_devices() {
  has_finding xla_plugin && echo "XLA's plugin" && return
  has_finding xla_to_fetch && echo "XLA's plugin, to be fetched"
  return 0
}

skipped_of() {  # skipped_of CHAPTER: what of it is skipped here beyond cuda, and why
  case "$1" in
    4 | 5 | 7 | 9) cuda_runs && ! $has_cudnn && echo "convolutions on cuda (no cuDNN)" ;;
    6)
      if has_finding gloo_missing; then echo "ranks on cpu and sim (no gloo)"; fi
      if cuda_runs && ! $has_nccl; then echo "ranks on cuda (no NCCL)"; fi ;;
    10) [ -n "$(xla_devices)" ] || echo "all of it (no XLA plugin)" ;;
  esac
  if cuda_runs && [ "$gpu_count" -eq 1 ]; then
    case "$1" in 5 | 6) echo "several GPUs (there is one)" ;; esac
  fi
}

write_summary() {
  local number title skipped
  if course_runs; then
    echo "chapters"
    while IFS='|' read -r number title; do
      write "$(printf '  %2d ' "$number")" "     " "" "$title: $(devices_of "$number")"
      while IFS= read -r skipped; do
        [ -z "$skipped" ] || write "     " "     " "" "skipped: $skipped"
      done < <(skipped_of "$number")
    done < <(chapters)
    if ! cuda_runs; then
      [ -n "$without_cuda" ] || without_cuda="there is no GPU"
      write "  " "  " "" "Everything on cuda is skipped, because $without_cuda."
    fi
    echo
  fi
  write_verdict
}

write_verdict() {
  local errors warnings devices
  errors="$(count_of error)" warnings="$(count_of warning)"
  if course_runs; then
    devices="cpu and sim"
    if cuda_runs; then devices="cpu, sim and cuda"; fi
    write "" "" "" "The course runs here, on $devices. Warnings: $warnings. Next:"
    echo "  ./course run 1"
    return
  fi
  write "" "" "" "The course does not run here yet. Errors: $errors, warnings: $warnings. Do what stands below each error, and look again:"
  echo "  ./course doctor"
  if has_command apt-get && has_command dpkg-query && [ -n "$(missing_packages base)" ]; then
    write "" "" "" "All packages that are missing come with one command:"
    echo "  ./course setup"
  fi
}

write_json_chapters() {
  local number title separator="" runs
  printf '  "chapters": ['
  while IFS='|' read -r number title; do
    runs=""
    if course_runs; then runs="$(devices_of "$number")" && runs="${runs/, to be fetched/}"; fi
    runs="${runs//, /$'\n'}"
    quote "$title" && printf '%s\n    {"number": %d, "title": %s' "$separator" "$number" "$REPLY"
    quote_lines "$runs" && printf ', "runs_on": %s' "$REPLY"
    quote_lines "$(skipped_of "$number")" && printf ', "skipped": %s}' "$REPLY"
    separator=","
  done < <(chapters)
  printf '\n  ]\n'
}
