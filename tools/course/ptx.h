// One instruction of PTX, NVIDIA's assembler, in C++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace course {

/// A call of the function in common/cuda/ptx.h that has the instruction's name:
/// "bfe.u32 %0, %1, 4, 8;" with the operands "(x)" and "(y)" is
/// "(x) = ::td::cudart::ptx::bfe_u32((y), 4, 8)". Empty where the text is not exactly one
/// instruction whose name has a point, as almost all names of PTX have.
std::string call_of_ptx(std::string_view text, const std::vector<std::string>& operands);

}  // namespace course
