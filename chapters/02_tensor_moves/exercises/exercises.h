// The exercises of chapter 02: what `x.to(device)` does, from whole tensors down to strides and
// streams, what it costs, and then the move of a whole batch. The programs, the exercises and their
// tests include it. Every exercise works the same for cpu, sim and cuda: none tests which kind of
// device it has.
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

/// One argument of an operation, with the name that its documentation gives it.
struct Argument {
  std::string name;   ///< "weight"
  td::Tensor tensor;  ///< always defined
};

/// The error of tensors on several devices, with its three facts. The constructor writes the
/// message.
struct WrongDevice : td::DeviceError {
  WrongDevice(const std::string& name, td::Device is_on, td::Device should_be_on)
      : td::DeviceError('"' + name + "\" is on " + is_on.str() + ", but it should be on " +
                        should_be_on.str() + ": use " + name + ".to(\"" + should_be_on.str() +
                        "\")."),
        argument(name),
        found(is_on),
        expected(should_be_on) {}

  std::string argument;  ///< the name of the argument that has to be moved
  td::Device found;      ///< where it is
  td::Device expected;   ///< where the operation needs it
};

/// Exercise 2.one_device. Implement `one_device`, the check with which every operation begins: are
/// all arguments on one device? A tensor without dimensions on the cpu counts as a plain number and
/// goes with any device. No other tensor does, not even one with one element or none.
///
/// * The expected device is that of the first argument on an accelerator, because a model is there
///   and its input was forgotten. If no argument is on an accelerator, it is cpu.
/// * It reports the first argument that is on another device and is not a number.
/// * It looks at devices and sizes only. It neither reads nor copies a value, and does not wait.
///
/// @param arguments at least one.
/// @return the expected device, if all arguments are there or numbers.
/// @throws WrongDevice with the name of the reported argument, its device, and the expected device.
///
/// Example: one_device({{"input", x}, {"weight", w}}) with x on cpu and w on sim:0 throws
/// WrongDevice("input", "cpu", "sim:0").
td::Device one_device(const std::vector<Argument>& arguments);

/// The cost of a link between two memories: a copy takes latency + bytes / bandwidth seconds.
struct LinkCost {
  double latency;    ///< seconds of every copy, however small
  double bandwidth;  ///< bytes per second
};

/// Exercise 2.fit_link, first part. Implement `fit_link`. It must compute the cost of a link from
/// measured copies of several sizes. Their times lie near a straight line over the bytes. Return
/// the line for which the squares of the errors, latency + bytes[i] / bandwidth - seconds[i], have
/// the smallest sum (least squares).
///
/// @param bytes at least two different sizes, in any order; sizes may be repeated, and may be 0.
/// @param seconds one for each size. The line through them rises.
/// @return the line as it is. Noise can make the latency negative.
///
/// Example: fit_link({0, 12000000}, {1e-5, 1.01e-3}) is {1e-5, 1.2e10}: 10 us and 12 GB/s.
LinkCost fit_link(const std::vector<std::int64_t>& bytes, const std::vector<double>& seconds);

/// Exercise 2.fit_link, second part. Implement `predict_seconds`. It must return the seconds of a
/// copy over a link. @param bytes 0 or more.
///
/// Example: predict_seconds({1e-5, 1.2e10}, 120000) is 2e-5.
double predict_seconds(const LinkCost& link, double bytes);

/// Exercise 2.fit_link, third part. Implement `half_bandwidth_bytes`. It must return the size of a
/// copy for which the latency and the bytes take equally long. Such a copy reaches half of the
/// bandwidth. The latency dominates smaller copies, and the bandwidth dominates larger ones.
///
/// Example: half_bandwidth_bytes({1e-5, 1.2e10}) is 120000.
double half_bandwidth_bytes(const LinkCost& link);

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
/// * The device's work comes after what its current stream has now. That stream stays current.
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
