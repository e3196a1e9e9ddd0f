// The exercises of chapter 02: what `x.to(device)` does, from whole tensors down to bytes and
// streams, and then the move of a whole batch. The programs, the exercises and their tests include
// it. Every exercise works the same for cpu, sim and cuda: none tests which kind of device it has.
#pragma once

#include <string>
#include <vector>

#include "td/td.h"

/// Exercise 2.move_to. Implement `move_to`, which is `x.to(device)` written by hand with
/// `td::empty` and `copy_`.
///
/// * If `x` is on that device already, it returns `x` itself: the same tensor, without a copy.
/// * Otherwise it returns a new tensor on that device with the same sizes, element type and values.
///   It copies each element to the device once.
/// * When it returns, `x` has been read: the host may overwrite it.
/// * The move is recorded as `to` records it: if `x` requires grad, a backward pass from the result
///   reaches `x`.
/// * Not allowed: `to`, `cpu`, `cuda` and `sim`.
///
/// @param x any sizes, any element type, contiguous or not.
/// @param device without an index it means the current device of its kind, see td::check_device.
/// @throws td::DeviceError if the device does not exist; the message contains it.
///
/// Example: move_to(x, td::kCPU).is_same(x) for an x on the cpu.
td::Tensor move_to(const td::Tensor& x, td::Device device);

/// Exercise 2.leaf_on. Implement `leaf_on`. It must return a leaf that requires grad: what a model
/// needs for a parameter on a device.
///
/// * The result has the values, sizes and element type of `values`, and is stored on `device`.
/// * It is a leaf (is_leaf()), and it requires grad.
/// * It has its own storage, even if `values` is on `device` already: an update of the result must
///   not change `values`.
/// * `values` stays as it was, whether it requires grad or not. A backward pass from the result
///   gives it no gradient.
///
/// @param values floating point, any sizes; it may be the result of recorded operations.
/// @throws td::DeviceError if the device does not exist.
///
/// Example: w = leaf_on(td::ones({2}), "sim:0"); (w * 3).sum().backward(); now w.grad() is [3, 3]
/// on sim:0.
td::Tensor leaf_on(const td::Tensor& values, td::Device device);

/// Exercise 2.copy_between. Implement `copy_between`, the course's `cudaMemcpy`. It must copy bytes
/// between the memories of two devices, and return when they have arrived.
///
/// * The accelerator makes the copy, with `td::backend(type).copy(...)` of td/device/backend.h, on
///   its current stream. If both sides are accelerators, the source makes the copy. From cpu to
///   cpu, the cpu makes it.
/// * It is a single copy of `bytes` bytes, without a detour through host memory.
/// * The copy sees the results of all work that was queued on that stream before.
/// * The host may not access a device's memory: on sim the program then ends with a report, on
///   cuda it crashes.
///
/// @param to, from the beginning of the memory, on `to_device` and `from_device`. Both devices have
///     an index, unless they are cpu. If both are accelerators, they are of one kind.
/// @param bytes may be 0; then nothing happens, and `to` and `from` may be null.
///
/// Example: float x[3] = {1, 2, 3}; auto y = td::empty({3}, td::Device("sim:0"));
/// copy_between(y.data_ptr(), y.device(), x, td::kCPU, sizeof x); now y is [1, 2, 3] on sim:0.
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes);

/// One argument of an operation, with the name that its documentation gives it.
struct Argument {
  std::string name;   ///< "weight"
  td::Tensor tensor;  ///< always defined
};

/// Exercise 2.one_device. Implement `one_device`, the check with which every operation begins: are
/// all arguments on one device? A tensor without dimensions on the cpu counts as a plain number and
/// goes with any device. No other tensor does, not even one with one element or none.
///
/// * It compares every argument with the first argument that is not a number. It reports the first
///   argument that is not on the same device as that one.
/// * It looks at devices and sizes only. It neither reads nor copies a value, and does not wait.
///
/// @param operation the name of the operation. @param arguments at least one.
/// @return the device of the arguments; cpu if all of them are numbers on the cpu.
/// @throws td::DeviceError. The message contains the name of the operation. It says where the two
///     arguments are in the form `"weight" is on sim:0`, and names no other argument. It suggests
///     the call that moves one of them, such as `input.to("cuda:0")`. It moves the one on the cpu
///     to the accelerator. Of two accelerators, it moves the later argument to the device of the
///     earlier one.
///
/// Example: one_device("linear", {{"input", x}, {"weight", w}}) with x on cpu and w on sim:0 may
/// throw `linear: "weight" is on sim:0 but "input" is on cpu. Move one with input.to("sim:0").`
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments);

/// Exercise 2.move_view. Implement `move_view`. It must move a strided view of host memory to a
/// device: a transposed matrix, every second column, one row repeated. Element (i, j, ...) of a
/// view is `data[i * strides[0] + j * strides[1] + ...]`.
///
/// * It makes the view contiguous on the host, and copies it once: a transfer costs about 10
///   microseconds, however small it is.
/// * The transfer has the elements of the view and nothing else.
/// * The result has its own memory, also on the cpu.
///
/// @param data the first element of the view, in host memory. It is read only where the view has
///     elements.
/// @param sizes 0 to 4 dimensions; a size may be 0.
/// @param strides as many as sizes, in elements, 0 or more; 0 repeats the same elements.
/// @return a contiguous float tensor of these sizes on `device`.
///
/// Example: data = {1, 2, 3, 4, 5, 6} is a matrix of 2 rows and 3 columns. Its transpose has
/// sizes {3, 2} and strides {1, 3}, and arrives as [[1, 4], [2, 5], [3, 6]].
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device);

/// Exercise 2.send. Implement `send`. It must copy a tensor from one accelerator to another, each
/// of which has its own stream, without blocking the host. This order must hold:
///
/// 1. The copy reads `from` after the work that was queued on `from_stream` before the call.
/// 2. The copy writes `to` after the work that was queued on `to_stream` before the call.
/// 3. Work that is queued on `to_stream` after the call sees the copied bytes.
///
/// No other order is needed, so the copy may be on either stream. A caller that overwrites `from`
/// afterwards lets `from_stream` wait for `to_stream` first.
///
/// * The host waits for neither stream: td::Stream::wait lets one stream wait for another.
/// * The two streams need not be the current ones, and the current streams and devices stay as
///   they are.
/// * The copy is a single one of from.nbytes() bytes, directly between the devices.
///
/// @param from, to contiguous, of the same sizes and element type, on two devices of one kind. Both
///     may be views of larger tensors, and may have no elements.
/// @param from_stream, to_stream a stream of the device of `from`, and one of the device of `to`.
///
/// Example: send(x, td::getCurrentStream(x.device()), y, td::getCurrentStream(y.device())).
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream);

/// Exercise 2.move_all. Implement `move_all`, a move for whole batches. It must move a list of
/// tensors to a device with as few transfers as possible, because each transfer has a fixed cost.
///
/// * result[i] has the sizes, the element type and the values of tensors[i], and is on `device`.
/// * A tensor that is on `device` already is returned itself.
/// * If the same tensor (is_same) is in the list several times, it is moved once, and the results
///   are the same tensor, too.
/// * It packs all tensors of the same source device and element type into one contiguous tensor on
///   that device, and moves them by one transfer. Nothing else is transferred. Tensors without
///   elements need no transfer.
/// * The results may be views of a common storage. They share no memory with `tensors`, except
///   those that are returned themselves.
///
/// @param tensors any number, sizes and element types, on several devices, contiguous or not,
///     pinned or not. None of them requires grad.
/// @param device without an index it means the current device of its kind.
/// @throws td::DeviceError if the device does not exist.
///
/// Example: move_all({images, labels, weights}, "sim:0"), with images and weights of float and
/// labels of int64 on the cpu, makes two transfers.
std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device);

/// Exercise 2.repair_read. Repair `read_scores`. It multiplies batches by a matrix on a device and
/// copies the products to the host, without blocking the host after each batch. The file compiles,
/// and with one small batch it often works, but it has four faults. Its author reports:
///   - "With several batches, the scores of the first ones are those of a later batch."
///   - "TD_SIM_RACES=1 reports a data race between a copy and the product."
///   - "In the first call the scores are zeros; later they are those of the call before."
///   - "The sum of all scores is right, but the scores are not in the order that I expect."
///
/// * The work on the device is ordered after what the current stream of the device has now.
/// * The host blocks at most once for all batches. Each batch may have pinned memory of its own.
///
/// @param batches at least one, on the cpu, contiguous, (rows, features) of float. No batch has
///     more rows than the first one. @param weight on an accelerator, (features, classes) of float.
/// @return for each batch the scores, class by class: element `c * rows + r` is the score of row r
///     for class c.
///
/// Example: the batch [[1, 0], [0, 1]] and the weight [[1, 2], [3, 4]] give {1, 3, 2, 4}.
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight);
