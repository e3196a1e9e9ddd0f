// What a loss does with the losses of its elements. Loss operations take it; programs write
// `torch::kMean`.
#pragma once

namespace td {

/// libtorch's home for the three names.
namespace Reduction {
/// One loss an element, their mean, or their sum.
enum Reduction { None, Mean, Sum };
}  // namespace Reduction

inline constexpr Reduction::Reduction kNone = Reduction::None;  ///< Keep one loss an element.
inline constexpr Reduction::Reduction kMean = Reduction::Mean;  ///< Their mean.
inline constexpr Reduction::Reduction kSum = Reduction::Sum;    ///< Their sum.

}  // namespace td
