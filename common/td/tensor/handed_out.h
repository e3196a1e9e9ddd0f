// Remembers the last addresses on sim that data_ptr<T>() gave to the program, so that a report of a
// stray touch can name the tensor. Called by Tensor::data_ptr<T>; kernels do not come this way.
#pragma once

namespace td {

class Tensor;

/// Notes that the program was given the address of a sim tensor.
void note_handed_out(const Tensor& tensor);

}  // namespace td
