"""GPUs, drivers and toolkits, and what ./course doctor must find about them. Imported by doctor_test.py.

Invariant: as in cases.py, which has the list that these cases join.
"""

import os

from cases import GXX, RELEASE, case
from machine import nvidia_smi

GPU = "NVIDIA H200, 9.0, 143771 MiB, Default"


@case(
    gpu=("ok", "cuda:0: NVIDIA H200, compute capability 9.0, 143771 MiB"),
    driver=("ok", "CUDA 13.0"),
    cublas=("ok",),
    toolkit=("ok", "CUDA Toolkit 13.0"),
    cudnn=("ok",),
    nccl=("ok",),
    xla_plugin=("ok", "PJRT_PLUGIN"),
)
def gpu(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, GPU))
    machine.toolkit("13.0", "cublas", "cudnn", "nccl")
    machine.file("/plugin.so")
    machine.environment["PJRT_PLUGIN"] = f"{machine.root}/plugin.so"


@case(
    wsl_2=("note", "WSL 2"),
    gpu=("ok", "RTX"),
    toolkit_missing=("warning", "no CUDA Toolkit", "./course setup --cuda"),
)
def wsl_2_with_gpu(machine):
    machine.file("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2\n")
    machine.file(
        "/usr/lib/wsl/lib/nvidia-smi", "#!/bin/sh\n" + nvidia_smi("NVIDIA RTX 4070, 8.9, 12282 MiB, Default")
    )
    (machine.root / "usr/lib/wsl/lib/nvidia-smi").chmod(0o755)


def card(machine):
    machine.file("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n")
    machine.file("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n")


def driver_in_kernel(machine):
    machine.file(
        "/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue\n"
    )


@case(driver_missing=("warning", "no driver", "580.65"))
def card_without_driver(machine):
    card(machine)


@case(nouveau=("warning", "nouveau serves no CUDA", "ubuntu-drivers install"))
def card_with_nouveau(machine):
    card(machine)
    machine.file("/sys/module/nouveau/version")
    machine.file("/etc/os-release", RELEASE.format("ubuntu", "24.04"))


@case(container_without_gpus=("warning", "driver 580.95.05", "docker run --gpus all"))
def container_of_a_host_with_driver(machine):
    machine.file("/proc/1/cgroup", "1:name=systemd:/docker/0123\n")
    version = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (root)\n"
    machine.file("/proc/driver/nvidia/version", version)


@case(container_without_driver=("warning", "kernel has no NVIDIA driver", "docker run --gpus all"))
def container_of_a_host_without_driver(machine):
    machine.file("/.dockerenv")
    card(machine)


@case(container_without_devices=("warning", "none of the host's GPUs", "docker run --gpus all"))
def container_with_the_tool_alone(machine):
    machine.file("/.dockerenv")
    machine.program("nvidia-smi", 'echo "NVIDIA-SMI has failed"; exit 9')


@case(nvidia_visible_none=("warning", '"void"', "docker run --gpus all"))
def container_told_to_hide(machine):
    machine.file("/run/.containerenv")
    machine.environment["NVIDIA_VISIBLE_DEVICES"] = "void"


@case(nvidia_smi_missing=("warning", "580.95.05 is loaded", "nvidia-smi"))
def driver_without_tool(machine):
    driver_in_kernel(machine)


@case(driver_mismatch=("warning", "differ in version", "sudo reboot"))
def updated_driver(machine):
    machine.program(
        "nvidia-smi", 'echo "Failed to initialize NVML: Driver/library version mismatch"; exit 18'
    )


@case(driver_without_gpu=("warning", "has no GPU", "dmesg"))
def driver_finds_nothing(machine):
    machine.program("nvidia-smi", 'echo "No devices were found"; exit 6')


@case(driver_fails=("warning", "couldn't communicate", "modprobe nvidia"))
def unloaded_driver(machine):
    machine.program(
        "nvidia-smi", 'echo "NVIDIA-SMI has failed because it couldn\'t communicate with the driver"; exit 9'
    )


@case(gpu_permission=("warning", "You may not use /dev/nvidia0", "ls -l /dev/nvidia0", "usermod -aG"))
def forbidden_device(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.file("/dev/nvidia0")
    (machine.root / "dev/nvidia0").chmod(0)
    machine.course.chmod(0o777)
    # root may access everything.
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


@case(gpu_too_old=("warning", "capability 6.1"), toolkit_absent=("note", "would not help"))
def old_gpu(machine):
    machine.program("nvidia-smi", nvidia_smi("GeForce GTX 1080, 6.1, 8192 MiB, Default"))


@case(
    gpu_without_bfloat16=("note", "chapter 07 uses float16"),
    gpu_exclusive=("warning", "Exclusive_Process", "nvidia-smi -i 0 -c DEFAULT"),
    toolkit_missing=("warning", "no CUDA Toolkit", "./course setup --cuda"),
)
def turing_alone(machine):
    machine.program("nvidia-smi", nvidia_smi("Tesla T4, 7.5, 15360 MiB, Exclusive_Process"))


@case(gpu_prohibited=("warning", "Prohibited", "nvidia-smi -i 0 -c DEFAULT"))
def prohibited(machine):
    machine.program("nvidia-smi", nvidia_smi("Tesla T4, 7.5, 15360 MiB, Prohibited"))


@case(driver_too_old=("warning", "CUDA 12.4 at most", "newer driver"), toolkit=("ok",))
def driver_of_cuda_12(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, cuda="12.4", driver="550.54.14"))
    machine.toolkit()


@case(
    driver_too_old=("warning", "CUDA 11.4 at most", "newer driver"),
    toolkit_absent=("note", "no CUDA Toolkit"),
)
def driver_that_knows_no_capability(machine):
    machine.program(
        "nvidia-smi",
        'case "$*" in *compute_cap*) echo \'Field "compute_cap" is not a valid field to query.\'; exit 2 ;; '
        "*query*) echo 'Tesla T4, 15109 MiB' ;; *) echo 'Driver Version: 470.82 CUDA Version: 11.4' ;; esac",
    )


@case(toolkit_too_old=("warning", "12.0", "./course setup --cuda"), driver=("ok", "CUDA 13.1"))
def toolkit_of_cuda_12(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU).replace("CUDA Version: 13.0", "CUDA UMD Version: 13.1"))
    machine.toolkit("12.0")


@case(toolkit_newer_than_driver=("warning", "14.0, and the driver serves CUDA 13.0", "./course setup --cuda"))
def toolkit_of_tomorrow(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.toolkit("14.0", "cublas")


@case(
    toolkit_lacks_gpu=("warning", "capability 13.5"),
    toolkit_compiler_new=("warning", "g++ 16.1", "CUDAHOSTCXX=g++-14"),
)
def gpu_of_tomorrow(machine):
    machine.program("nvidia-smi", nvidia_smi("NVIDIA X1, 13.5, 99999 MiB, Default"))
    machine.toolkit()
    machine.program("g++", "echo 16.1.0")


@case(toolkit_compiler_old=("warning", "g++ 11.4", "export CUDAHOSTCXX=g++-12"))
def newer_compiler_for_the_host_alone(machine):
    gpu(machine)
    machine.program("g++", "echo 11.4.0")
    machine.program("g++-12", GXX.format("12.3"))
    machine.environment["CXX"] = "g++-12"


@case(toolkit=("ok",))
def newer_compiler_for_both(machine):
    newer_compiler_for_the_host_alone(machine)
    machine.program("g++-12", 'case "$1" in --version) echo "g++ (GCC) 12.3.0" ;; *) echo 12.3.0 ;; esac')
    machine.environment["CUDAHOSTCXX"] = "g++-12"


@case(toolkit_without_gpu=("note", "./course test --all compiles it"))
def toolkit_alone(machine):
    machine.toolkit()


@case(
    cublas_missing=("warning", "no cuBLAS", "setup --cuda"),
    cudnn_missing=("warning", "Convolutions", "setup --cuda"),
    nccl_missing=("note", "chapters 06 and 14", "setup --cuda"),
    cuda_visible_some=("note", "1 of 2 GPUs", "unset CUDA_VISIBLE_DEVICES"),
)
def bare_toolkit(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, GPU))
    machine.toolkit()
    machine.environment["CUDA_VISIBLE_DEVICES"] = "1,-1,0"


@case(cudnn=("ok", "cuDNN"), nccl_missing=("warning", "between GPUs"))
def cudnn_of_python(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, GPU))
    machine.toolkit()
    machine.file("/wheels/nvidia/cudnn/include/cudnn.h")
    machine.file("/wheels/nvidia/cudnn/lib/libcudnn.so.9")
    machine.program(
        "python3", f'case "$*" in -c*) echo {machine.root}/wheels ;; *) echo "Python 3.11.2" ;; esac'
    )


@case(cuda_visible_none=("warning", "hides every GPU", "unset CUDA_VISIBLE_DEVICES"))
def hidden_gpus(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.environment["CUDA_VISIBLE_DEVICES"] = ""


@case(cuda_stubs=("warning", "error 34", "unset LD_LIBRARY_PATH"))
def stubs(machine):
    machine.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64/stubs"


@case(build_without_cuda=("note", "TD_CUDA=OFF", "cmake --preset release -DTD_CUDA=AUTO"))
def switched_off(machine):
    gpu(machine)
    (machine.course / "build/release").mkdir(parents=True)
    (machine.course / "build/release/CMakeCache.txt").write_text("TD_CUDA_CHOICE:INTERNAL=off\n")
