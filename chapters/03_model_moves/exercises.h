// The exercises of chapter 03: what a model consists of, and what must move with it. Included by
// main.cpp, the exercises and their tests. They use what a module offers (parameters, buffers,
// children) and Tensor::set_data, and do by hand what Module::to does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "td/td.h"

/// Exercise 3.devices_of. Where is my model? A model has no device of its own; its parameters and
/// buffers have. In PyTorch one asks next(model.parameters()).device and hopes that all agree.
///
/// @return each device that holds a parameter or a buffer, once, in order of first appearance:
///     parameters first, then buffers, in the order in which the module lists them. Empty for a
///     model that has neither.
///
/// Example: for a Linear on cpu, {cpu}; for a model whose second layer was moved, {cpu, sim:0}.
std::vector<td::Device> devices_of(const td::nn::Module& model);

/// Exercise 3.move_tree. Moves the parameters of a model, and of all modules below it, to a device.
/// Do not call Module::to or Module::cuda.
///
/// @param model keeps its parameters: the same Tensor handles, so that an optimizer made before the
///     move still holds them. Only the memory behind them is another.
///     A gradient that is defined moves with its parameter. Nothing is recorded for backward, each
///     parameter still requires a gradient exactly when it did before, and stays a leaf.
/// @param device where to.
///
/// Example: move_tree(*model, "sim:0"); every model->parameters()[i].device() is then sim:0.
void move_tree(td::nn::Module& model, td::Device device);

/// Exercise 3.move_buffers. Moves and converts the buffers of a model and of all modules below it:
/// state that is not trained, such as the running mean of a batch norm. A model whose buffers stay
/// behind trains, and fails at its first evaluation.
///
/// @param model keeps its buffers: the same Tensor handles.
/// @param device where to.
/// @param dtype a floating point type, for floating point buffers. A whole-number buffer, such as
///     num_batches_tracked, moves but keeps its type.
///
/// Example: after move_buffers(*batch_norm, "sim:0", td::kFloat16), running_mean is float16 and
/// num_batches_tracked is int64, both on sim:0.
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype);

/// Exercise 3.tied_state. Copies a model's state to a device. Two names may stand for one tensor
/// (tied weights: the embedding and the output layer of a language model); they must stand for one
/// tensor afterwards too.
///
/// @param state names and tensors; entries are the same tensor when a.is_same(b).
/// @return the same names, each with a copy on `device` that has memory of its own, also when the
///     tensor was on `device` before. Names that shared one tensor share one copy; names with
///     different tensors, even of equal values or over the same memory, have different copies.
///
/// Example: for {"in": w, "out": w}, result["in"].is_same(result["out"]).
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device);

/// Exercise 3.follow. An optimizer keeps state for each parameter: SGD with momentum one tensor of
/// the same sizes. When a model moves after its optimizer was made, that state must follow, or the
/// next step finds its arguments on two devices.
///
/// @param momentum one tensor for each parameter, in the same order; undefined where no step was
///     made yet. Afterwards each defined one has the values it had and is on its parameter's
///     device; one that is there already is the same tensor as before. Undefined ones stay
///     undefined.
/// @param parameters may be on different devices: a model can be spread over several.
/// @throws td::ShapeError when there are not as many of the one as of the other. The message says
///     both numbers. Nothing is moved then.
///
/// Example: follow(momentum, model->parameters()) after model->to("sim:0").
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters);
