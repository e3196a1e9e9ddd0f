#!/bin/bash
# Tries the course as a new user of a bare Debian or Ubuntu does, and records what happened: see say_help.
# Needs root, debootstrap and a mirror; for Ubuntu also zstd and /usr/share/keyrings/ubuntu-archive-keyring.gpg, which is
# in Ubuntu's package ubuntu-keyring. It is no part of CI, because it takes ten minutes and more.
# Invariant: everything happens in a mount and a process namespace of its own, so however it ends, no mount
# and no process is left.
set -u
source="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"

say_help() {
  cat <<'END'
tools/fresh_machine.sh bookworm|trixie|noble [--as learner|root] [--only run|check|test] [--folder DIR] [--keep]

Makes a bare Debian 12 or 13, or Ubuntu 24.04 (noble), with git and sudo, clones the course into it, and types there
    ./course run 4
    ./course check 1.first_device
    ./course test
first as a user with sudo, then as root on another fresh machine. It prints how long each command took and
records it in docs/measurements/fresh_machines.json;  tools/seen_running.py write  puts that into docs/measurements/systems.md.

  --as WHO      only as this user
  --only WHAT   only this command; may be given several times
  --folder DIR  where the machines are made; needs 12 GB (default: ${TMPDIR:-/tmp}/fresh_machine)
  --keep        leaves the machines there; without it only the bare one stays, for the next time

The clone is the last commit, not what you have edited since then.
END
}

complain() { echo "fresh_machine: $*" >&2; }

mirror() {  # The mirror that this machine's packages come from. Where it is no Debian, debootstrap knows one.
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# How this machine reaches its network is no part of what is tried: names, certificates and pip's settings.
lend_network() {  # lend_network ROOT
  local file
  cp -L /etc/hosts /etc/resolv.conf "$1/etc/"
  for file in /etc/pip.conf /etc/apt/apt.conf.d/*proxy*; do
    [ -f "$file" ] && cp "$file" "$1$file"
  done
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$1/usr/local/share/ca-certificates/"
    chroot "$1" update-ca-certificates >/dev/null 2>&1
  fi
}

make_bare() {  # make_bare SUITE FOLDER: once; a later call finds it
  local part="$2.part" from options=()
  [ -d "$2" ] && return
  echo "$1: making a bare machine"
  clear_folder "$part" || return 1
  mapfile -t from < <(mirror)
  if [ "$1" = noble ]; then  # Debian's debootstrap has a name of its own for Ubuntu's script
    from=(http://archive.ubuntu.com/ubuntu gutsy)
    options=("--components=main,universe" --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg)
  fi
  debootstrap --variant=minbase --include=git,sudo,ca-certificates "${options[@]}" "$1" "$part" "${from[@]}" >"$2.log" 2>&1 || {
    complain "debootstrap failed; its words are in $2.log"
    return 1
  }
  # debootstrap leaves it mounted, and a copy of it would never end.
  if mountpoint --quiet "$part/proc"; then umount "$part/proc" || return 1; fi
  lend_network "$part"
  chroot "$part" useradd --create-home --shell /bin/bash learner
  echo 'learner ALL=(ALL) NOPASSWD: ALL' >"$part/etc/sudoers.d/learner"
  mv "$part" "$2"
}

inside() {  # inside ROOT WHO COMMAND: as somebody who has just logged in
  local setting passed=()
  for setting in "${!PIP_@}"; do passed+=("$setting=${!setting}"); done
  chroot "$1" setpriv --reuid "$2" --regid "$2" --init-groups env -i "${passed[@]}" LANG=C.UTF-8 USER="$2" \
    HOME="$(awk -F: -v who="$2" '$1 == who { print $6 }' "$1/etc/passwd")" \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "cd && $3" </dev/null
}

words_of() {  # words_of run|check|test
  case "$1" in
    run) echo "./course run 4" ;;
    check) echo "./course check 1.first_device" ;;
    test) echo "./course test" ;;
  esac
}

# Writes into FILE how many seconds after START the program in LOG printed its first result.
await_first_epoch() {  # await_first_epoch LOG START FILE
  until grep -q '^Epoch 1,' "$1"; do sleep 0.2; done
  echo $((SECONDS - $2)) >"$3"
}

record() {  # record ROOT WHO WHAT SECONDS EXIT-CODE LOG
  local versions
  versions="$(inside "$1" "$2" '. /etc/os-release; echo "$PRETTY_NAME"; c++ --version | head -1')"
  python3 "$source/tools/seen_running.py" machine --system "$(sed -n 1p <<<"$versions")" \
    --compiler "$(sed -n 2p <<<"$versions")" --user "$2" --typed "$(words_of "$3")" --seconds "$4" \
    --exit-code "$5" --load "$load" --log "$6" --commit "$cloned" --first-epoch "$(cat "$6.first")"
}

# Never into what is mounted there: /dev is this machine's own.
clear_folder() { rm -rf --one-file-system "$1"; }  # clear_folder FOLDER

try() {  # try SUITE WHO: one fresh machine, all commands
  local root="$folder/$1.$2" what start seconds status failed=0 log load cloned watcher
  clear_folder "$root" || return 1
  cp -a "$folder/$1" "$root" || return 1
  mount --bind /dev "$root/dev" && mount -t devpts devpts "$root/dev/pts" && mount -t tmpfs tmpfs "$root/dev/shm" &&
    mount -t proc proc "$root/proc" && mount -t tmpfs tmpfs "$root/run" || return 1
  cloned="$(git -C "$source" rev-parse --short HEAD)"
  git clone --quiet "$source" "$root/tmp/todevice" && chroot "$root" chown -R "$2:" /tmp/todevice &&
    inside "$root" "$2" "git clone --quiet /tmp/todevice todevice" || return 1
  # What is checked is an answer, as a reader of chapter 1 types it.
  inside "$root" "$2" "cd todevice && cp solutions/01_device_check/first_device.cpp chapters/01_device_check/exercises/" ||
    return 1
  for what in "${commands[@]}"; do
    log="$folder/$1.$2.$what.log" start=$SECONDS load="$(cut -d ' ' -f 1 /proc/loadavg)"
    : >"$log" && : >"$log.first"
    await_first_epoch "$log" "$start" "$log.first" &
    watcher=$!
    inside "$root" "$2" "cd todevice && $(words_of "$what")" >"$log" 2>&1
    status=$? seconds=$((SECONDS - start))
    kill "$watcher" 2>/dev/null
    echo "$1, $2: $(words_of "$what"): exit code $status, $((seconds / 60)) min $((seconds % 60)) s: $(tail -1 "$log")"
    record "$root" "$2" "$what" "$seconds" "$status" "$log"
    [ $status -eq 0 ] || failed=1
  done
  $keep || { umount "$root"/dev/{pts,shm} "$root"/{dev,proc,run} && clear_folder "$root"; }
  return $failed
}

suite="" users=() commands=() folder="${TMPDIR:-/tmp}/fresh_machine" keep=false
given=("$@")
while [ $# -gt 0 ]; do
  case "$1" in
    bookworm | trixie | noble) suite="$1" ;;
    --as) users+=("${2:-}") && shift ;;
    --only) commands+=("${2:-}") && shift ;;
    --folder) folder="$(realpath -m "${2:-.}")" && shift ;;
    --keep) keep=true ;;
    -h | --help) say_help && exit ;;
    *) complain "unknown word $1: type  tools/fresh_machine.sh --help" && exit 2 ;;
  esac
  shift
done
[ ${#users[@]} -gt 0 ] || users=(learner root)
[ ${#commands[@]} -gt 0 ] || commands=(run check test)
for word in "$suite" "${users[@]}" "${commands[@]}"; do
  case "$word" in bookworm | trixie | noble | learner | root | run | check | test) ;; *) say_help >&2 && exit 2 ;; esac
done
[ "$(id -u)" -eq 0 ] || { complain "only root can make a machine: type  sudo $0 ${given[*]}" && exit 1; }
command -v debootstrap >/dev/null || { complain "install debootstrap first: apt-get install debootstrap" && exit 1; }
if [ -z "${FRESH_MACHINE_INSIDE:-}" ]; then
  FRESH_MACHINE_INSIDE=1 exec unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" "${given[@]}"
fi
# Ctrl-C ends the first process of a namespace only where it asks for that.
trap "exit 130" INT TERM
mkdir -p "$folder" && make_bare "$suite" "$folder/$suite" || exit 1
code=0
for user in "${users[@]}"; do try "$suite" "$user" || code=1; done
exit $code
