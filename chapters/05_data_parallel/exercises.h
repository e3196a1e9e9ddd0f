// The exercises of chapter 05: the parts of data parallel training, by hand. Included by main.cpp,
// the exercises and their tests. td::parallel has finished ones; write yours without them.
#pragma once

#include <vector>

#include "td/td.h"

/// Exercise 5.scatter. Splits a batch among devices, as PyTorch does: every part has
/// ceil(rows / devices) rows, and the last one what is left. So there may be **fewer parts than
/// devices**: with 9 rows for 4 devices the parts are 3, 3 and 3, and the fourth device gets none.
///
/// @param input (rows, ...), on any device. With 0 rows every device gets an empty part.
/// @return part i on devices[i], in order. Its gradient goes back to `input`: use operations that
///     are recorded.
/// @throws td::Error when there are no devices.
///
/// Example: scatter(7 rows, {"sim:0", "sim:1"}) gives rows 0 to 3 on sim:0 and 4 to 6 on sim:1.
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices);

/// Exercise 5.gather. Joins the replicas' outputs on one device, along dimension 0.
///
/// @param parts one from each replica, on its device. They may differ in dimension 0 only. Parts
///     without dimensions (a loss each, say) become a vector with an element for each.
/// @return on `destination`. Each part gets its share of the gradient.
/// @throws td::ShapeError when part i does not fit to part 0; the message has "part i", its device
///     and both sizes. td::Error when there are no parts.
///
/// Example: gather({(4, 10) on sim:0, (3, 10) on sim:1}, "sim:0") is (7, 10) on sim:0.
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination);

/// Exercise 5.replicate. One model becomes one for each device.
///
/// @param model is on devices[0].
/// @return element 0 is the model itself, so that what its forward writes into a buffer (batch
///     norm's statistics) stays. The others are copies with memory of their own, element i on
///     devices[i], with the values, the modes and the frozen layers of the model. The model stays
///     where it is.
/// @throws td::DeviceError when a parameter or a buffer of the model is not on devices[0]; the
///     message has both devices.
///
/// Example: replicate(model, {"sim:0", "sim:1"})[1]->parameters()[0].device() is sim:1.
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices);

/// Exercise 5.reduce_add. Adds the gradients of all replicas up in the model's parameters. The loss
/// is one number for the whole batch, so every replica holds a part of one sum: sum, not mean.
///
/// @param parameters parameters[r][p] is parameter p of replica r; parameters[0] are the model's,
///     and their gradients are replaced by the sums, on their own device. The others' gradients
///     stay as they are.
/// A parameter without a gradient has nothing to add. Where no replica has one, the model gets
/// none.
///
/// Example: gradients 1 on sim:0, 2 on sim:1, 3 on sim:2: the model's gradient is then 6, on sim:0.
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters);

/// Exercise 5.parallel_apply. Runs every replica on its part, **concurrently**: in one thread
/// each.
///
/// @param modules, inputs as many of one as of the other; input i is on the device of module i.
/// @return the outputs, in the order of the modules.
///
/// Whether operations are recorded is a matter of a thread (td::GradMode): replicas run in the mode
/// of the caller.
///
/// @throws td::Error when the numbers differ. When replicas fail, all threads are waited for, and
///     then a td::Error is thrown with the error of the first of them, by number:
///     "replica 1 on sim:1: " and the text of that error. (Compute what may throw in a thread
///     inside a try: an exception that leaves a thread ends the program.)
///
/// Example: parallel_apply(replicas, scatter(batch, devices))
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs);
