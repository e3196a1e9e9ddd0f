// What amp::GradScaler does on the device: divide gradients by the scale while looking for infinity
// and NaN, and change the scale. Invariant: nothing here waits; all numbers that a kernel depends
// on are read from device memory when it runs.
#pragma once

#include "td/tensor/tensor.h"

namespace td::kernels {

/// At most this many gradients in one call, so that pointers and extents fit in a Record.
inline constexpr std::size_t kUnscaleTensors = 62;
/// Writes 1 to `found_inf` if any element of any gradient is infinite or NaN, and divides all
/// elements by `*scale`: multiplies by float(1 / double(*scale)), in float, and stores in the
/// gradient's type. The check comes before the division.
/// @param gradients dense, of one floating-point type, on one device with the other arguments.
/// @param found_inf one float32, 0 or 1; stays as it is when all elements are finite.
/// @param scale one float32; nullptr: only checks, and changes no gradient.
void unscale(const Tensor* const* gradients, std::size_t count, const Tensor& found_inf,
             const Tensor* scale);

/// After a step: `*scale *= backoff_factor` and `*growth_tracker = 0` if `*found_inf` is not 0.
/// Otherwise counts one more finite step; when the count is equal to growth_interval,
/// `*scale *= growth_factor` (unchanged where the product would be infinite) and counting starts
/// again.
/// @param scale, found_inf one float32. @param growth_tracker one int32.
void update_scale(const Tensor& scale, const Tensor& growth_tracker, const Tensor& found_inf,
                  double growth_factor, double backoff_factor, std::int64_t growth_interval);

}  // namespace td::kernels
