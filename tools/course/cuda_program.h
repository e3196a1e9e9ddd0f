// Makes an executable file of a learner's program in CUDA C++: preprocesses, translates and
// compiles each file, and links them with the runtime. Called by `./course cuda`.
//
// Invariant: a program is made again only if one of its files, of the headers that it includes, or
// of the course's libraries has changed.
#pragma once

#include "course.h"
#include "cuda_words.h"

namespace course {

/// @return the program. @throws std::runtime_error with the compiler's errors
fs::path make_cuda_program(const Course& course, const CudaWords& words);

}  // namespace course
