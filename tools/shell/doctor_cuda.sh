#!/bin/bash
# What doctor.sh finds out about the GPU, its driver and the CUDA Toolkit. Sourced by it.
# Invariant: without_cuda is empty only where the course can compile for a GPU and run on it.
# shellcheck disable=SC2034,SC2154  # doctor.sh and its other parts share these variables

without_cuda="" gpu_count=0 gpu_capabilities=() toolkit_version="" driver_cuda=""

no_cuda() { [ -n "$without_cuda" ] || without_cuda="$1"; }  # no_cuda REASON: the first one counts

examine_gpu() {
  local answer
  examine_device_files
  if ! has_command nvidia-smi; then
    examine_absent_driver
    return
  fi
  if ! answer="$(nvidia-smi --query-gpu=name,compute_cap,memory.total,compute_mode --format=csv,noheader 2>&1)"; then
    # Drivers before 510 do not know the field.
    if ! [[ "$answer" =~ compute_cap ]]; then
      examine_failing_driver "$answer"
      return
    fi
    answer="$(nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>&1 | sed 's/,/, 0.0,/; s/$/, Default/')"
  fi
  examine_each_gpu "$answer"
  driver_cuda="$(driver_cuda_version)"
  if [ -n "$driver_cuda" ] && ! at_least "$driver_cuda" 13.0; then
    finding warning driver_too_old "The NVIDIA driver serves CUDA $driver_cuda at most." \
      "The course needs CUDA 13, so it runs on cpu and sim. Another toolkit does not help; driver 580.65 or later does." \
      "Ask who looks after this machine for a newer driver, or on your own: https://www.nvidia.com/drivers"
    no_cuda "the driver is too old"
  else
    finding ok driver "The NVIDIA driver serves CUDA ${driver_cuda:-of an unknown version}."
  fi
  examine_visible_gpus
}

examine_each_gpu() {  # examine_each_gpu LINES-OF-NVIDIA-SMI
  local name capability memory mode
  while IFS=, read -r name capability memory mode; do
    capability="${capability// /}"
    gpu_capabilities+=("$capability")
    if [ "$capability" != 0.0 ] && ! at_least "$capability" 7.5; then
      finding warning gpu_too_old "cuda:$gpu_count: $name, compute capability $capability" \
        "CUDA 13 compiles for compute capability 7.5 and later, so the course runs on cpu and sim."
      no_cuda "the GPU's compute capability is below 7.5"
    elif [ "$capability" != 0.0 ] && ! at_least "$capability" 8.0; then
      finding note gpu_without_bfloat16 "cuda:$gpu_count: $name, compute capability $capability,$memory" \
        "Autocast and convolutions in bfloat16 need 8.0: chapter 07 uses float16 here."
    else
      finding ok gpu "cuda:$gpu_count: $name, compute capability $capability,$memory"
    fi
    case "$mode" in
      *Exclusive*)
        finding warning gpu_exclusive "cuda:$gpu_count serves one process at a time (compute mode Exclusive_Process)." \
          "A program fails while another one uses the GPU, and two ranks cannot share it." \
          "$ sudo nvidia-smi -i $gpu_count -c DEFAULT" ;;
      *Prohibited*)
        finding warning gpu_prohibited "cuda:$gpu_count serves no process (compute mode Prohibited)." \
          "No program can use this GPU." "$ sudo nvidia-smi -i $gpu_count -c DEFAULT"
        no_cuda "the GPU's compute mode is Prohibited" ;;
    esac
    gpu_count=$((gpu_count + 1))
  done <<<"$1"
}

examine_device_files() {
  local file
  for file in "$machine/dev"/nvidia[0-9] "$machine/dev/nvidiactl" "$machine/dev/nvidia-uvm"; do
    if [ -e "$file" ] && { [ ! -r "$file" ] || [ ! -w "$file" ]; }; then
      finding warning gpu_permission "You may not use ${file#"${DOCTOR_ROOT:-}"}." \
        "Programs find no GPU, so the course runs on cpu and sim. The file's group may:" \
        "$ ls -l ${file#"${DOCTOR_ROOT:-}"}" "$ sudo usermod -aG video \"\$USER\"" \
        "Take the group that ls shows, and log in again."
      no_cuda "the device files may not be used"
      return
    fi
  done
}

has_nvidia_card() {  # On the PCI bus: NVIDIA's vendor number, and the class of displays or 3D controllers.
  local device
  for device in "$machine/sys/bus/pci/devices"/*; do
    grep -qs 0x10de "$device/vendor" && grep -qs '^0x03' "$device/class" && return
  done
  return 1
}

examine_absent_driver() {  # There is no nvidia-smi.
  local loaded
  loaded="$(sed -n 's/.*Kernel Module.*  *\([0-9]\{3,\}\.[0-9.]*\).*/\1/p' "$machine/proc/driver/nvidia/version" 2>/dev/null)"
  no_cuda "there is no GPU that programs can use"
  if is_wsl; then
    finding note wsl_without_gpu "WSL shows no GPU." \
      "The course runs on cpu and sim. If the computer has an NVIDIA GPU, install its driver in Windows, then:" \
      "$ wsl --shutdown"
  elif is_container || [ -n "${NVIDIA_VISIBLE_DEVICES+set}" ]; then
    examine_container_without_gpu "$loaded"
  elif [ -n "$loaded" ]; then
    finding warning nvidia_smi_missing "The NVIDIA driver $loaded is loaded, but there is no nvidia-smi." \
      "The build asks nvidia-smi for the GPU. It comes with the driver, on Debian in a package of its own:" \
      "$(install_steps nvidia-smi)"
  elif ! has_nvidia_card; then
    finding note gpu_absent "There is no NVIDIA GPU." \
      "The course runs on cpu and sim. sim has what chapters need of a GPU: own memory, streams and asynchronous errors."
  elif [ -d "$machine/sys/module/nouveau" ]; then
    finding warning nouveau "There is an NVIDIA GPU, with the driver nouveau." \
      "nouveau serves no CUDA, so the course runs on cpu and sim. NVIDIA's driver takes its place; restart afterwards." \
      "$(driver_steps)"
  else
    finding warning driver_missing "There is an NVIDIA GPU, and no driver." "The course runs on cpu and sim." "$(driver_steps)"
  fi
}

# The kernel is the host's: a container sees its driver and its PCI bus, but not its device files.
examine_container_without_gpu() {  # examine_container_without_gpu VERSION-OF-THE-DRIVER
  if [ "${NVIDIA_VISIBLE_DEVICES-all}" = "" ] || [[ "${NVIDIA_VISIBLE_DEVICES-all}" =~ ^(void|none)$ ]]; then
    finding warning nvidia_visible_none "NVIDIA_VISIBLE_DEVICES is \"$NVIDIA_VISIBLE_DEVICES\": this container has no GPUs." \
      "The course runs on cpu and sim." "$ docker run --gpus all ..."
  elif [ -n "$1" ]; then
    finding warning container_without_gpus "The host has the NVIDIA driver $1, and this container was started without its GPUs." \
      "The course runs on cpu and sim. Start the container again, on a host with NVIDIA's container toolkit:" \
      "$ docker run --gpus all ..."
  elif has_nvidia_card; then
    finding warning container_without_driver "The host has an NVIDIA GPU, and its kernel has no NVIDIA driver." \
      "The course runs on cpu and sim. Install the driver on the host, and start the container again:" \
      "$ docker run --gpus all ..."
  else
    finding note container_shows_no_gpu "No GPU is visible in this container." \
      "The course runs on cpu and sim. A container cannot tell whether its host has a GPU. Ask the host:" \
      "$ nvidia-smi" "If it lists one, start the container again:" "$ docker run --gpus all ..."
  fi
}

driver_steps() {
  case "$distribution" in
    ubuntu*) echo "$ sudo ubuntu-drivers install" ;;
    # Debian 12's own package is 535, which serves CUDA 12.2.
    *) echo "Install NVIDIA's driver 580.65 or later: https://www.nvidia.com/drivers" ;;
  esac
}

examine_failing_driver() {  # examine_failing_driver WORDS-OF-NVIDIA-SMI
  local words="${1%%$'\n'*}"
  no_cuda "the NVIDIA driver does not answer"
  if is_container && [ ! -e "$machine/dev/nvidiactl" ]; then
    finding warning container_without_devices "This container has nvidia-smi, and none of the host's GPUs (/dev/nvidiactl)." \
      "The course runs on cpu and sim. Start the container again:" "$ docker run --gpus all ..."
    return
  fi
  case "$1" in
    *"version mismatch"*)
      finding warning driver_mismatch "The NVIDIA driver in memory and its libraries on disk differ in version." \
        "The driver was updated. Until the machine is restarted the course runs on cpu and sim." "$ sudo reboot" ;;
    *"No devices"*)
      finding warning driver_without_gpu "There is an NVIDIA driver, and it has no GPU." \
        "The course runs on cpu and sim. The kernel's messages may say why:" "$ sudo dmesg | grep -i nvrm" ;;
    *)
      finding warning driver_fails "nvidia-smi fails: $words" \
        "The course runs on cpu and sim. The driver is installed, but not loaded or not healthy." \
        "$ sudo modprobe nvidia && nvidia-smi" ;;
  esac
}

examine_visible_gpus() {  # As CUDA reads the variable: up to the first entry that names no GPU.
  local entry visible=0 entries
  [ -n "${CUDA_VISIBLE_DEVICES+set}" ] || return
  IFS=, read -r -a entries <<<"$CUDA_VISIBLE_DEVICES"
  for entry in "${entries[@]}"; do
    entry="${entry// /}"
    if [[ "$entry" =~ ^[0-9]+$ ]]; then
      [ "$entry" -lt "$gpu_count" ] || break
    else
      [[ "$entry" =~ ^(GPU|MIG)- ]] || break
    fi
    visible=$((visible + 1))
  done
  if [ $visible -eq 0 ]; then
    finding warning cuda_visible_none "CUDA_VISIBLE_DEVICES is \"$CUDA_VISIBLE_DEVICES\", which hides every GPU." \
      "Programs find no GPU, so the course runs on cpu and sim." "$ unset CUDA_VISIBLE_DEVICES"
    no_cuda "CUDA_VISIBLE_DEVICES hides the GPU"
  elif [ $visible -lt "$gpu_count" ]; then
    finding note cuda_visible_some "CUDA_VISIBLE_DEVICES is \"$CUDA_VISIBLE_DEVICES\": programs see $visible of $gpu_count GPUs." \
      "They are called cuda:0, cuda:1 and so on in the order of the variable." "$ unset CUDA_VISIBLE_DEVICES"
    gpu_count=$visible
  fi
}
