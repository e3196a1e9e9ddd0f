// The exercises of chapter 02: what is behind `x.to(device)`, from the bytes up to streams.
// Included by main.cpp, the exercises and their tests.
// Every exercise works for cpu, sim and cuda alike: none asks which kind of device it has.
#pragma once

#include <string>
#include <vector>

#include "td/td.h"

/// Exercise 2.copy_between. Copies bytes between the memories of two devices: the course's
/// `cudaMemcpy`. When it returns, the bytes have arrived, and work that was queued on the source's
/// current stream before has been waited for.
///
/// The accelerator does the copy, as a backend's job on its current stream; the host may not touch
/// a device's memory (on sim the program ends with a report, on cuda it crashes). From cpu to cpu
/// the cpu is the one that does it. td/device/backend.h has `td::backend(type).copy(...)`.
///
/// @param to, from start of the memory, on `to_device` and `from_device`. Both have their index
///     filled in, unless they are cpu. When both are accelerators they are of one kind.
/// @param bytes how many; 0 is allowed, then nothing happens.
///
/// Example: float x[3] = {1, 2, 3}; auto y = td::empty({3}, td::Device("sim:0"));
/// copy_between(y.data_ptr(), y.device(), x, td::kCPU, sizeof x); now y is [1, 2, 3] on sim:0.
void copy_between(void* to, td::Device to_device, const void* from, td::Device from_device,
                  std::size_t bytes);

/// Exercise 2.move_to. `x.to(device)`, written by hand with `td::empty` and `copy_` (and without
/// `to`, `cpu`, `cuda` and `sim`, which would be cheating).
///
/// @param x any sizes, any element type. @param device without an index it means the current device
///     of its kind, see td::check_device.
/// @return `x` itself, the same tensor, when it is on that device already: moving is free when
/// there
///     is nothing to do. Otherwise a new tensor there with the same sizes, type and values.
/// @throws td::DeviceError when there is no such device.
///
/// Example: move_to(x, td::kCPU).is_same(x) for an x on the cpu.
td::Tensor move_to(const td::Tensor& x, td::Device device);

/// One argument of an operation, with the name that its documentation gives it.
struct Argument {
  std::string name;   ///< "weight"
  td::Tensor tensor;  ///< never undefined
};

/// Exercise 2.one_device. The check that every operation begins with: are all its arguments on one
/// device? A tensor without dimensions on the cpu is like a plain number and goes with any device.
///
/// @param operation its name, for the message. @param arguments at least one.
/// @return the device that all arguments share, cpu when all are numbers on the cpu.
/// @throws td::DeviceError for the first argument that is on another device than the first that is
///     not a number. The message names the operation, both arguments in double quotes and both
///     devices, and gives the cure towards the accelerator: `input.to("cuda:0")` where input is the
///     one on the cpu. Between two accelerators the later argument is the one to move.
///
/// Example: one_device("linear", {{"input", x}, {"weight", w}}) with x on cpu and w on sim:0 throws
/// `linear: "weight" is on sim:0 but "input" is on cpu. Move one with input.to("sim:0").`
td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments);

/// Exercise 2.move_view. Moves a view that lies scattered in the host's memory: a transposed
/// matrix, every second column, one row shown many times. Element (i, j, ...) of a view is at
/// `data[i * strides[0] + j * strides[1] + ...]`.
///
/// Gather on the host, then cross over once: a transfer costs about 10 microseconds however small
/// it is, so a transfer per element would be a thousand times slower than the memory.
///
/// @param data first element of the view, on the host. @param sizes 0 to 4 dimensions, 0 allowed.
/// @param strides as many as sizes, in elements, 0 or more; 0 shows the same elements again.
/// @return a contiguous float tensor of these sizes on `device`, made with at most one transfer,
/// which
///     carries the elements of the view and nothing else.
///
/// Example: data = {1, 2, 3, 4, 5, 6} is a matrix of 2 rows and 3 columns. Its transpose has
/// sizes {3, 2} and strides {1, 3}, and arrives as [[1, 4], [2, 5], [3, 6]].
td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device);

/// Exercise 2.send. Copies from one accelerator to another, each with its own stream, and lets the
/// host go on. The order that has to hold:
///
/// 1. work queued on `from_stream` before is done before the copy reads `from`;
/// 2. work queued on `to_stream` before is done before the copy writes `to`;
/// 3. work queued on `to_stream` afterwards sees the copy's bytes.
///
/// The host waits for none of it. td::Stream::wait lets one stream wait for another.
///
/// @param from, to contiguous, of the same sizes and type, on two devices of one kind.
/// @param from_stream, to_stream one stream of each one's device, on which its work is queued.
///
/// Example: send(x, td::getCurrentStream(x.device()), y, td::getCurrentStream(y.device())).
void send(const td::Tensor& from, const td::Stream& from_stream, const td::Tensor& to,
          const td::Stream& to_stream);
