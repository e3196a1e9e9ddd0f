# Refuses a compiler that is too old, in words. Also a script, for its test:
#   cmake -DCMAKE_CXX_COMPILER_ID=GNU -DCMAKE_CXX_COMPILER_VERSION=11.4 -P cmake/Compiler.cmake
set(oldest_GNU 12)
set(oldest_Clang 14)
set(oldest ${oldest_${CMAKE_CXX_COMPILER_ID}})
if(oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest)
  message(FATAL_ERROR "The compiler is too old: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. "
    "The course is written in C++20 and needs g++ 12 or clang 14 or later. Type  ./course doctor  to see what to do.")
endif()
