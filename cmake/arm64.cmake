# Debian's compiler for 64-bit ARM, of the package g++-aarch64-linux-gnu:
#   cmake -S . -B build/arm64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DTD_CUDA=OFF -DTD_NATIVE=OFF
# With ARM64_ROOT, a folder with ARM64's libraries in Debian's layout, programs are linked too, and run under
# qemu-user. Without it, the libraries' headers are this machine's, and only object files can be made.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
if(ARM64_ROOT)
  set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
  set(CMAKE_FIND_ROOT_PATH "${ARM64_ROOT}" /)
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  foreach(kind IN ITEMS EXE SHARED)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT
      "-Wl,-rpath-link,${ARM64_ROOT}/usr/lib/aarch64-linux-gnu:${ARM64_ROOT}/lib/aarch64-linux-gnu")
  endforeach()
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ARM64_ROOT)
