// Stands in for the course's td/td.h where a chapter's code is compiled with libtorch: found first
// on the include path of those builds and of no other. Invariant: every name that the included code
// uses has libtorch's meaning.
#pragma once

#include <torch/torch.h>

namespace td = torch;
