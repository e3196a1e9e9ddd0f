// The exercises of chapter 07: what autocast and GradScaler do, by hand, and a whole training loop
// with them. Included by the programs, the exercises and their tests.
// Invariant: scales are float32, as GradScaler's is, and powers of two lose no digit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "td/ops/autocast.h"
#include "td/td.h"

/// Exercise 7.round_half, first part. Implement `bfloat16_bits`. It must round `value` to bfloat16
/// and return its 16 bits: sign, 8 bits of exponent, 7 bits of fraction. These are the upper half
/// of the bits of a float.
///   * Round to the nearest bfloat16. If two are equally near, take the one whose last bit is 0.
///   * A NaN stays a NaN; any NaN is right.
///   * Use std::bit_cast and integers. Please do without td::BFloat16 and the compiler's own 16-bit
///     types, which would do the work for you. The checker does not look for them.
///
/// Example: 1.0f has the bits 0x3f800000 and becomes 0x3f80. 1.01f has 0x3f8147ae, becomes 0x3f81.
std::uint16_t bfloat16_bits(float value);

/// Exercise 7.round_half, second part. Implement `half_bits`. It must do the same for float16:
/// sign, 5 bits of exponent, 10 bits of fraction.
///   * A value that is too large after rounding becomes infinity (0x7c00), with its sign.
///   * Values below 2^-14 are subnormal: multiples of 2^-24, with exponent bits 0.
///
/// Example: 65504 (the largest) is 0x7bff and so is 65519; 65520 is 0x7c00. 2^-24 is 0x0001, and
/// 2^-25, half way to 0, is 0x0000.
std::uint16_t half_bits(float value);

/// Exercise 7.half_or_bfloat. Implement `half_or_bfloat`. It must return the 16-bit type that fits
/// the values.
///   * float16 is the choice, because it has three more bits of fraction, unless it loses a value.
///   * A value is lost if it is finite and becomes infinite, or if it is not 0 and becomes 0.
///   * Infinities and NaN among the values are not lost: both types have them.
///   * The host may wait for the device once, and `values` must not change.
///
/// @param values float32, on any device, of any sizes.
/// @return kFloat16 or kBFloat16.
///
/// Example: {1, 0.001} fits float16; {1, 70000} and {1, 1e-8} need bfloat16.
td::ScalarType half_or_bfloat(const td::Tensor& values);

/// An operation that autocast has to run.
struct Operation {
  std::function<td::Tensor(const td::TensorList& arguments)> run;
  bool tensor_cores = false;  ///< with arguments in 16 bits it runs on Tensor Cores, faster
};

/// Exercise 7.cast_policy. Implement `choose_policy`: try an operation in 16 bits, and decide how
/// autocast should run it. This is how a table of policies comes about.
///   * Run the operation once with each sample as it is, and once with the floating-point arguments
///     of the sample cast to `fast`. Integers and bool stay as they are.
///   * The trial fails for a sample if an element of the result is finite in float32 and not in
///     `fast` (overflow), or not 0 in float32 and 0 in `fast` (underflow), or if its error exceeds
///     `tolerance` times the largest finite |element| of the float32 result.
///   * Elements that are infinite or NaN in float32 count as correct, whatever `fast` gives.
///   * Compute errors in float32. Record nothing for autograd, and do not change the samples.
///
/// @param samples each one a list of arguments, with float32 where they are floating point.
/// @param fast kFloat16 or kBFloat16.
/// @return kFloat if the trial fails for a sample. Otherwise kLowerPrecision if 16 bits are faster,
///     and kUnlisted (casts nothing) if they are not.
///
/// Example: exp of {1, 12} is 162754 in float32 and infinite in float16, so the policy is kFloat.
/// For bfloat16 it is kUnlisted.
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance);

/// Exercise 7.unscale, first part. Implement `scale_loss`. It must return loss * scale in float32,
/// recorded by autograd. The loss itself must not change.
///
/// @param loss in float32 or a 16-bit type. In float16, 2 * 65536 would be infinite.
td::Tensor scale_loss(const td::Tensor& loss, float scale);

/// Exercise 7.unscale, second part. Implement `unscale`. It must multiply every gradient by
/// 1 / scale and report an overflow.
///   * Modify the gradients in place, so that every view of their memory (a DDP bucket) sees it.
///   * Leave a parameter without a gradient as it is.
///   * With an overflow, multiply all gradients all the same.
///   * Large finite gradients are no overflow, even if the scale is below 1.
///   * The host reads one value, at the end, however many parameters there are.
///
/// @param parameters on one device.
/// @return whether a gradient had an infinite or NaN element.
/// @throws td::DtypeError for a gradient that is not float32, before anything is changed. The
///     message contains the name of its type as td::dtype_name returns it, such as "float16". (Such
///     gradients come from model.half(), and 16 bits cannot hold the result of the division.)
///
/// Example: gradients {131072, 65536} and scale 65536 become {2, 1}; the result is false.
bool unscale(const std::vector<td::Tensor>& parameters, float scale);

/// The scale of the loss and its settings. The names and values are those of GradScaler.
struct LossScale {
  float scale = 65536;
  std::int64_t growth_tracker = 0;  ///< consecutive steps without overflow
  float growth_factor = 2, backoff_factor = 0.5f;
  std::int64_t growth_interval = 2000;  ///< the scale grows after this many consecutive steps
};

/// Exercise 7.step_or_skip. Implement `step_or_skip`. It must end a training step, after backward
/// and unscale.
///   * With an overflow, do not call the optimizer: infinite or NaN gradients would destroy the
///     parameters. Multiply the scale by backoff_factor, and count from 0 again. There is no
///     smallest scale: it may fall below 1.
///   * Without an overflow, call the optimizer. After growth_interval consecutive steps, count from
///     0 again, and multiply the scale by growth_factor. If the product is not finite, the scale
///     stays, and the count begins again all the same.
///
/// @return whether the optimizer stepped.
///
/// Example, growth_interval 2, scale 4: step, step (scale 8), overflow (scale 4), step, step (8).
bool step_or_skip(td::optim::Optimizer& optimizer, bool overflow, LossScale& scale);

/// Exercise 7.master_step. Implement `master_step`. It must make one SGD step of a model whose
/// parameters are in 16 bits, with master weights in float32.
///   * For each i: master[i] -= lr * gradient of model[i] / scale, computed in float32. Then
///     model[i] gets the rounded master[i].
///   * Modify both in place: a layer and every view of their memory see the new values.
///   * Leave a pair as it is if model[i] has no gradient. Leave the gradients as they are.
///   * If an element of any gradient is infinite or NaN, change nothing, in no pair.
///   * The host reads one value, however many pairs there are.
///
/// @param model parameters in float16 or bfloat16 that require grad. Their gradients have the same
///     type and were computed from a loss that was multiplied by `scale`.
/// @param masters as many float32 tensors of the same sizes on the same device, without grad.
/// @return whether the step was made.
///
/// Example: a float16 weight 1 with gradient 8, scale 8 and lr 0.0001. The master becomes 0.9999,
/// and the weight stays 1: the next float16 below 1 is 0.9995. After five such steps the master is
/// 0.9995, and so is the weight.
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr);

/// Settings of train_amp.
struct AmpSettings {
  td::Device device = td::kCPU;            ///< where the model is
  td::optional<td::ScalarType> fast = {};  ///< the type for autocast; none: no autocast
  std::size_t accumulate = 1;              ///< batches per optimizer step, 1 or more
  double max_norm = 0;                     ///< limit for the norm of the gradients; 0: no clipping
  std::function<void()> after_step = {};   ///< a scheduler, for example; may be empty
};

/// What train_amp returns.
struct AmpResult {
  td::Tensor losses;         ///< one float32 per group of batches, on the device, without grad
  std::int64_t skipped = 0;  ///< groups whose optimizer step was skipped
};

/// Exercise 7.train_amp. Implement `train_amp`: one epoch of mixed-precision training with gradient
/// accumulation and clipping. Use AutocastGuard, the scaler and clip_grad_norm_ of td.
///   * Every `accumulate` batches, in order, form a group; the last group may be smaller. A group
///     makes one optimizer step with the gradient of the mean of its batch losses. A batch loss is
///     the cross entropy of the model's output.
///   * Copy each batch to `device`. Run the forward pass and the loss under autocast if `fast` is
///     set. End the guard before the backward pass, as PyTorch recommends. The checker cannot see
///     whether you do, because td switches autocast off during the backward pass.
///   * All batches of a group use the same scale. The scaler is updated once per group.
///   * If max_norm is not 0, limit the norm of the true gradients, without the scale.
///   * Gradients that the parameters have when train_amp is called must not take part.
///   * If after_step is set, call it after each step of the optimizer that was not skipped, when
///     the group is complete.
///   * The host waits at most once per group, plus what clip_grad_norm_ needs. So do not call
///     item() on a loss.
///   * If the forward pass throws, let the exception pass. No parameter may keep a part of the
///     unfinished group's gradient: all gradients are undefined or 0 then.
///
/// @param scaler may be one that is not enabled.
/// @return the mean loss of each group, and the number of skipped steps.
///
/// Example: with 5 batches and accumulate 2 there are three groups: {0, 1}, {2, 3} and {4}.
AmpResult train_amp(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                    td::amp::GradScaler& scaler, const std::vector<td::data::Example<>>& batches,
                    const AmpSettings& settings);

/// Exercise 7.repair_scaling. Repair `scaled_step`, one step of training in float16 with a gradient
/// scaler and a limit for the norm of the gradients. The file compiles, but it has four faults. Its
/// author reports:
///   - "Every step is a thousand times too small. If the inputs are small, too, the first layer
///   does
///     not learn at all."
///   - "After I had repaired that, a limit of 1 for the norm acted like a limit of 0.001."
///   - "After one batch with infinite gradients all weights are NaN."
///   - "The second step ends with an error of unscale_, and the scale never changes."
///
/// As in the file, gradients that the parameters have before must not take part.
///
/// @param optimizer of all parameters of the model; @param scaler an enabled one.
/// @param batch on the device of the model.
/// @param max_norm the largest norm of the true gradients, without the scale.
/// @return the loss of the step, not part of the graph.
td::Tensor scaled_step(td::nn::Sequential& model, td::optim::Optimizer& optimizer,
                       td::amp::GradScaler& scaler, const td::data::Example<>& batch,
                       double max_norm);
