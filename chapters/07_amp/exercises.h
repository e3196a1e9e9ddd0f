// The exercises of chapter 07: what autocast and a gradient scaler do, by hand. Included by
// main.cpp, the exercises and their tests.
// Invariant: scales are float32, as the scaler's own is, and powers of two lose no digit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "td/ops/autocast.h"
#include "td/td.h"

/// Exercise 7.round_half, first part. A float rounded to bfloat16, as bits: sign, 8 bits of
/// exponent, 7 of fraction, which are the upper half of a float's bits. To the nearest; of two that
/// are equally near, the one whose last bit is 0. NaN stays some NaN.
///
/// Use the bits of `value` (std::bit_cast) and integers, not td::BFloat16.
///
/// Example: 1.0f has the bits 0x3f800000 and becomes 0x3f80. 1.01f is 0x3f8147ae, becomes 0x3f81.
std::uint16_t bfloat16_bits(float value);

/// Exercise 7.round_half, second part. The same for float16: sign, 5 bits of exponent, 10 of
/// fraction. What is too large after rounding becomes infinity (0x7c00); the smallest numbers,
/// below 2^-14, are multiples of 2^-24 and have exponent bits 0.
///
/// Example: 65504 (the largest) is 0x7bff and so is 65519; 65520 is 0x7c00. 2^-24 is 0x0001, and
/// 2^-25, half way to 0, is 0x0000.
std::uint16_t half_bits(float value);

/// Exercise 7.half_or_bfloat. Which 16-bit type fits these values? float16 has three bits more of
/// fraction, so it is the choice, unless it loses a value altogether: a finite one that becomes
/// infinite, or one that is not 0 and becomes 0.
///
/// @param values float32, on any device, of any sizes. Infinities and NaN are no reason: both types
///     have them.
/// @return kFloat16 or kBFloat16. The host waits for the device at most once.
///
/// Example: {1, 0.001} fits float16; {1, 70000} and {1, 1e-8} ask for bfloat16.
td::ScalarType half_or_bfloat(const td::Tensor& values);

/// Exercise 7.cast_policy. The arguments of an operation as it gets them under autocast.
///
/// The policy stands in the core's table (ops/autocast_table.h): td::autocast::find(operation) is
/// its line, or nullptr, which means kUnlisted; td::autocast::policy_on(device_type, line) is the
/// policy there. cuda and cpu have columns of their own.
///   * kLowerPrecision: all arguments to the fast type
///   * kFloat: all to float32
///   * kPromote: all to float32 if one of them is float32, else to the fast type
///   * kUnlisted: as they are. kFloatOutput: the same; the operation itself returns float32
///   * kBanned: refused
///
/// Only some arguments take part: those that are defined, on a device of `device_type`, floating
/// point, and not float64. The others come back as they are, and so does one that has the wanted
/// type already: the very same tensor. A cast is recorded: backward gives the argument a gradient
/// of the argument's own type.
///
/// @param fast the fast type: kFloat16 or kBFloat16.
/// @return as many tensors as there are arguments, in their order.
/// @throws td::Error for a banned operation; the text has the operation's name and the way out,
///     which is called the same with _with_logits behind it.
///
/// Example: cast_arguments("linear", {input, weight, bias}, td::kSIM, td::kFloat16) are all three
/// in float16. For "cross_entropy_loss" {output, target} the output is float32 and the int64 target
/// is left alone.
std::vector<td::Tensor> cast_arguments(const std::string& operation,
                                       const std::vector<td::Tensor>& arguments,
                                       td::DeviceType device_type, td::ScalarType fast);

/// Exercise 7.unscale, first part. The loss that backward begins with: loss * scale, recorded.
///
/// @param loss in float32 or a 16-bit type. The result is float32: in float16, 2 * 65536 would be
///     infinite.
td::Tensor scale_loss(const td::Tensor& loss, float scale);

/// Exercise 7.unscale, second part. Takes the scale out of the gradients: every gradient is
/// multiplied by 1 / scale, in place, so that everything that holds it (an optimizer, a bucket)
/// sees it.
///
/// @param parameters on one device. One without a gradient is left alone.
/// @return whether a gradient had an infinite or NaN element. Only then: large finite ones are no
///     overflow. The device looks, and the host asks it once, at the end, however many there are.
/// @throws td::DtypeError for a gradient that is not float32, before anything is changed: the text
///     names its type. Gradients of float32 parameters are float32, also under autocast; others
///     come from model.half(), and 16 bits cannot hold what is left after the division.
///
/// Example: gradients {131072, 65536} and scale 65536 become {2, 1}; the result is false.
bool unscale(const std::vector<td::Tensor>& parameters, float scale);

/// The scale of the loss, and what moves it. torch.amp.GradScaler's names and values.
struct LossScale {
  float scale = 65536;
  std::int64_t growth_tracker = 0;  ///< steps in a row that were not skipped
  float growth_factor = 2, backoff_factor = 0.5f;
  std::int64_t growth_interval = 2000;  ///< so many of them in a row, and the scale grows
};

/// Exercise 7.step_or_skip. The end of a training step, after backward and unscale.
///   * With an overflow the optimizer does not step: infinite or NaN gradients would spoil the
///     parameters forever. The scale is multiplied by backoff_factor, and the counting of
///     steps begins again. There is no smallest scale: it may fall below 1.
///   * Without one the optimizer steps. When growth_interval steps in a row were made, the scale is
///     multiplied by growth_factor, unless that is not finite, and the counting begins again.
///
/// @return whether the optimizer stepped.
///
/// Example, growth_interval 2, scale 4: step, step (scale 8), overflow (scale 4), step, step (8).
bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale);

/// Exercise 7.clip_scaled. After the backward of a scaled loss: takes the scale out of the
/// gradients and then, if their norm is above `max_norm`, makes them smaller by one factor for all,
/// so that it is max_norm. The norm is that of all elements of all gradients together (p = 2).
///
/// @param parameters as in unscale; float32 gradients.
/// @return the norm without the scale, before the limit. It is not finite when a gradient is not;
///     the caller then skips the step, and what the gradients hold is of no use.
///
/// Example: one gradient {3 * 1024, 4 * 1024}, scale 1024, max_norm 1: the result is 5 and the
/// gradient becomes {0.6, 0.8}.
double clip_scaled(const std::vector<td::Tensor>& parameters, float scale, double max_norm);
