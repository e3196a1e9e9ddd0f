// The command line of `./course cuda`: the program's files, what nvcc would be given with them, and
// the program's own arguments. Invariant: no option of nvcc is ignored that changes what a program
// does.
#pragma once

#include <string>
#include <vector>

namespace course {

struct CudaWords {
  std::vector<std::string> files;      ///< .cu, .cpp, .cc, .c
  std::vector<std::string> compile;    ///< for the compiler: -I, -D, -std
  std::vector<std::string> link;       ///< -lm and the like
  std::vector<std::string> arguments;  ///< of the program
  bool check = false, profile = false, cpu = false, help = false;
  std::string json, pictures, gpu;
};

/// @throws UsageError that says what to type
CudaWords read_cuda_words(const std::vector<std::string>& words);

}  // namespace course
