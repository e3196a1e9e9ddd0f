// The exercises of chapter 05: the parts of data-parallel training, and one program made of them.
// Included by the programs, the exercises and their tests. td::parallel and td::nn::parallel have
// finished versions of the first five; implement yours without them.
#pragma once

#include <vector>

#include "td/td.h"

/// Exercise 5.scatter. Implement `scatter`. It must split a batch among devices as PyTorch does:
///   * Every part has ceil(rows / devices) rows, and the last part has the rows that are left. So
///     there may be **fewer parts than devices**: 9 rows on 4 devices give 3, 3 and 3 rows, and the
///     fourth device gets no part.
///   * Between devices, copy each row at most once. Do not copy the whole batch to every device.
///   * Use operations that autograd records, so that the gradient reaches `input`.
///   * Where `input` and the device of a part are both accelerators, the host must not wait. A part
///     on the cpu is complete when the function returns.
///
/// @param input (rows, ...), of any element type, on any device. With 0 rows every device gets an
///     empty part.
/// @return part i on devices[i], in order.
/// @throws td::Error if `devices` is empty.
///
/// Example: scatter(7 rows, {"sim:0", "sim:1"}) returns rows 0 to 3 on sim:0 and 4 to 6 on sim:1.
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices);

/// Exercise 5.gather. Implement `gather`. It must join the outputs of the replicas on one device,
/// along dimension 0:
///   * Parts without dimensions (one loss per replica, for example) become a vector with one
///     element per part.
///   * Each part gets its own rows of the gradient.
///   * If parts and destination are accelerators, the host must not wait, and no byte is copied
///     through the host.
///
/// @param parts one per replica, each on its own device. Sizes may differ in dimension 0 only.
/// @return a tensor on `destination`.
/// @throws td::ShapeError if the sizes of part i do not fit those of part 0. The message contains
///     "part i" (with the number), the device of part i and the sizes of both. td::Error if there
///     are no parts.
///
/// Example: gather({(4, 10) on sim:0, (3, 10) on sim:1}, "sim:0") is (7, 10) on sim:0.
td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination);

/// Exercise 5.replicate. Implement `replicate`. It must return one model per device:
///   * Element 0 is the model itself, so that the buffers that its forward pass writes (the running
///     mean of batch norm) are kept. Its tensors keep their memory, their values and their
///     gradients, and never leave devices[0].
///   * Element i is a copy on devices[i] with its own memory, even if devices[i] is devices[0]. It
///     has the values, the mode of every layer (train or eval) and the frozen parameters of the
///     model.
///
/// @param model is on devices[0].
/// @param devices at least one. One without an index ("sim") is the current device of its type;
///     td::check_device(device) fills in the index.
/// @throws td::DeviceError if a parameter or a buffer of the model is not on devices[0]. The
///     message contains both devices.
///
/// Example: replicate(model, {"sim:0", "sim:1"})[1]->parameters()[0].device() is sim:1.
std::vector<td::nn::Sequential> replicate(const td::nn::Sequential& model,
                                          const std::vector<td::Device>& devices);

/// Exercise 5.reduce_add. Implement `reduce_add`. It must add the gradients of all replicas and
/// store the sums as the gradients of the model, each on its own device. The loss is one number for
/// the whole batch, and every replica holds one part of a sum: so add, do not average.
///   * A parameter without a gradient adds nothing. If no replica has a gradient for a parameter,
///     the model gets none.
///   * The gradients of replicas 1, 2, ... do not change, and the model does not share memory with
///     them.
///   * If all replicas are on accelerators, the host must not wait.
///
/// @param parameters parameters[r][p] is parameter p of replica r; parameters[0] are the model's.
///
/// Example: gradients 1 on sim:0, 2 on sim:1 and 3 on sim:0: the gradient of the model is 6, on
/// sim:0.
void reduce_add(const std::vector<std::vector<td::Tensor>>& parameters);

/// Exercise 5.parallel_apply. Implement `parallel_apply`. It must run the forward passes of all
/// replicas **concurrently**, one thread per replica. The calling thread may be one of them; its
/// settings are as before when the function returns:
///   * Two settings belong to a thread: whether autograd records (td::GradMode), and the current
///     stream of a device (td::getCurrentStream). Each replica runs with the caller's settings. Its
///     device, which is also the current device of its thread, is that of its input.
///   * If replicas fail, first wait until all threads have ended. Then throw a td::Error for the
///     failed replica with the lowest number: "replica 1 on sim:1: " and the message of its error.
///     Catch std::exception inside each thread, because an exception that leaves a thread
///     terminates the program. Join every thread before you throw, because a std::thread that is
///     destroyed before join() terminates it, too.
///
/// @param modules, inputs equally many; input i is on the device of module i.
/// @return the outputs, in the order of the modules.
/// @throws td::Error if the numbers differ, before any replica runs; and see above.
///
/// Example: parallel_apply(replicas, scatter(batch, devices))
std::vector<td::Tensor> parallel_apply(std::vector<td::nn::Sequential>& modules,
                                       const std::vector<td::Tensor>& inputs);

/// Exercise 5.train. Implement `train`, a whole data-parallel training program. For one pass over
/// `batches` it must change the model exactly as one device would, up to rounding:
///   * Move the model to devices[0] and train it there with td::optim::SGD at learning rate `lr`.
///     The modules keep their modes: a frozen batch norm stays in evaluation mode.
///   * In each step, split data and target among the devices (a small batch may need fewer
///     devices), replicate the model, and run the replicas concurrently.
///   * Compute the losses where the outputs are: an output must not be copied to another device.
///     The loss of the step is the mean cross-entropy over **all** rows of the batch. The parts may
///     have different numbers of rows.
///   * Compute the gradient, and make one step.
///   * Never make the host wait if the batches are on devices[0] already: do not read a value.
///
/// Use td::parallel::scatter and td::parallel::gather, td::nn::parallel::replicate and
/// td::nn::parallel::parallel_apply. The replicas of td::nn::parallel::replicate are differentiable
/// copies: backward adds their gradients to those of the model.
///
/// @param devices at least one.
/// @param batches at least one; data (rows, ...) and target (rows), on any device, at least one row
///     each.
/// @return the loss of each step, (number of batches), on devices[0], without a graph.
///
/// Example: rows {1, 2} on one device and {6} on another have the mean losses 1.5 and 6. The mean
/// over the batch is 3: two thirds of 1.5 and one third of 6.
td::Tensor train(td::nn::Sequential& model, const std::vector<td::Device>& devices,
                 const std::vector<td::data::Example<>>& batches, double lr);

/// Exercise 5.repair_loss. Repair `parallel_loss`: the mean squared error of a batch, computed on
/// several devices with the functions of td::nn::parallel. The file compiles, but it has three
/// faults. Its author reports:
///   - "After backward() the parameters of the model have no gradient."
///   - "With two devices and 7 rows, the loss is a little different from that of one device."
///   - "The last batch has two rows. With three devices, the program ends with an error then."
///
/// @param model on devices[0]. Its parameters get the gradients when the caller calls backward.
/// @param inputs, targets on devices[0], with equally many rows, at least one.
/// @return the mean over all elements of the batch, on devices[0]. Loss and gradients are those of
///     one device.
td::Tensor parallel_loss(td::nn::Sequential& model, const td::Tensor& inputs,
                         const td::Tensor& targets, const std::vector<td::Device>& devices);
