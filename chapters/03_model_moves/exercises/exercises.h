// The exercises of chapter 03: what a model consists of, and what must move with it. Included by
// the programs, the exercises and their tests. The exercises use what a module offers (parameters,
// buffers, state_dict) and Tensor::set_data, and do by hand what Module::to does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "td/td.h"

/// Exercise 3.devices_of. Implement `devices_of`. It answers the question "Where is my model?". A
/// model has no device of its own, but each of its parameters and buffers has one. It must
///   - look at the parameters and buffers of the model and of all modules below it;
///   - list the devices of the parameters first, then those of the buffers, in the order in which
///     the module lists them;
///   - list each device once: sim:0 and sim:1 are two devices.
///
/// @param model any module.
/// @return the devices in order of first appearance; empty for a model without tensors.
///
/// Example: {cpu} for a Linear on cpu; {cpu, sim:0} for a model whose second layer was moved.
std::vector<td::Device> devices_of(const td::nn::Module& model);

/// Exercise 3.move_tree. Implement `move_tree`. It moves the parameters of a model, and of all
/// modules below it, to a device. It must
///   - keep the parameters: the same Tensor handles, so that an optimizer that was made before
///     the move still holds them. Only their memory changes;
///   - move each gradient that is defined together with its parameter;
///   - leave values, dtypes and `requires_grad` as they are, and each parameter a leaf;
///   - copy nothing for a parameter or a gradient that is on the device already;
///   - leave the buffers where they are: the next exercise moves them.
/// Do not call Module::to, Module::cuda, Module::sim or Module::cpu.
///
/// @param model the root of the tree.
/// @param device the target.
///
/// Example: after move_tree(*model, "sim:0"), model->parameters()[i].device() is sim:0 for every i.
void move_tree(td::nn::Module& model, td::Device device);

/// Exercise 3.move_buffers. Implement `move_buffers`. It moves and converts the buffers of a model
/// and of all modules below it. Buffers are state that is not trained, such as the running mean of
/// a batch norm. It must
///   - keep the buffers: the same Tensor handles;
///   - convert floating point buffers to `dtype`;
///   - move every other buffer, for example the integer num_batches_tracked, and keep its dtype;
///   - leave the parameters as they are.
///
/// @param model the root of the tree.
/// @param device the target.
/// @param dtype a floating point type.
///
/// Example: after move_buffers(*batch_norm, "sim:0", td::kFloat16), running_mean is float16 and
/// num_batches_tracked is int64; both are on sim:0.
void move_buffers(td::nn::Module& model, td::Device device, td::ScalarType dtype);

/// Exercise 3.tied_state. Implement `tied_state`. It copies a model's state to a device. Two names
/// may stand for one tensor (**tied weights**: the embedding and the output layer of a language
/// model). They must stand for one tensor afterwards, too. It must
///   - treat two entries as one tensor exactly when a.is_same(b): tensors with equal values, and
///     different tensors over the same memory, have different copies;
///   - give each copy memory of its own, even when the tensor is on `device` already;
///   - copy each tensor once, however many names it has;
///   - keep values and dtypes; a copy is not part of a graph and does not require grad.
///
/// @param state names and tensors, on any devices.
/// @param device the target.
/// @return the same names with the copies.
///
/// Example: for {"in": w, "out": w}, result["in"].is_same(result["out"]).
std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device);

/// Exercise 3.follow. Implement `follow`. An optimizer stores state for each parameter: SGD with
/// momentum stores one tensor of the same sizes. When a model moves after its optimizer was made,
/// this state must follow. Otherwise the next step finds its arguments on two devices. It must
///   - move each defined tensor to the device of its own parameter: a model can be spread over
///     several devices;
///   - keep values and dtypes, which may differ from those of the parameter;
///   - keep a tensor that is on that device already: the same tensor as before;
///   - leave undefined tensors undefined.
///
/// @param momentum one tensor for each parameter, in the same order; undefined before the
///     parameter's first step.
/// @param parameters the parameters of the model, after the move.
/// @throws td::ShapeError when there are not as many tensors in `momentum` as in `parameters`.
///     The message contains both numbers. Nothing is moved then.
///
/// Example: follow(momentum, model->parameters()) after model->to("sim:0").
void follow(std::vector<td::Tensor>& momentum, const std::vector<td::Tensor>& parameters);

/// What training needs in order to continue later or on another device.
struct Checkpoint {
  td::OrderedDict<std::string, td::Tensor> state;  ///< parameters and buffers by name
  std::vector<td::Tensor> momentum;                ///< one tensor for each parameter
};

/// Exercise 3.checkpoint, first half. Implement `save_checkpoint`. It must
///   - copy every entry of model.state_dict(), under its name, and every defined momentum tensor;
///   - copy to the cpu, into memory of its own: training that continues does not change the
///     checkpoint, even when the model is on the cpu;
///   - keep values and dtypes, and leave undefined momentum undefined.
///
/// @param model on any devices. It does not change.
/// @param momentum one tensor for each parameter, undefined before the parameter's first step.
/// @return the copies; none of them requires grad.
Checkpoint save_checkpoint(const td::nn::Module& model, const std::vector<td::Tensor>& momentum);

/// Exercise 3.checkpoint, second half. Implement `resume`. It puts a model into the state of a
/// checkpoint, on another device. It must
///   - give every parameter and buffer the value in the checkpoint and move it to `device`. The
///     Tensor handles stay the same, so that an optimizer still holds the parameters;
///   - drop old gradients: the gradient of every parameter is undefined afterwards;
///   - leave `requires_grad` as it is;
///   - return the momentum on `device`, and keep its values and dtypes. It has memory of its own:
///     a checkpoint can be used twice.
///
/// @param model a model of the same class, on any device.
/// @param checkpoint made by save_checkpoint; it does not change.
/// @param device the target.
/// @return one momentum tensor for each parameter; undefined where the checkpoint's is undefined.
/// @throws td::Error (or a class that is derived from it) when the checkpoint does not fit: a
///     name is missing or unexpected, sizes or dtypes differ, or the momentum does not have one
///     tensor for each parameter. The model is unchanged then.
///
/// Example: three steps on cpu, save_checkpoint, resume on "sim:0" with a new model, three more
/// steps: the losses are those of six steps without interruption.
std::vector<td::Tensor> resume(td::nn::Module& model, const Checkpoint& checkpoint,
                               td::Device device);

/// Exercise 3.repair_model. Repair the class `Regressor` in the file, which `make_regressor`
/// returns. It normalizes seven numbers, (x - 2) / 0.5, and computes one number from them, with two
/// hidden layers. The file compiles, and the model works on the cpu, but it has four faults. Its
/// author reports:
///   - "After model->to(device) the forward pass stops: one argument is still on the cpu. I moved
///     that tensor by hand, and then it was another one."
///   - "The optimizer gets two parameters only, so most of the model never learns."
///   - "The file with the state_dict knows nothing of the mean and the scale."
///
/// The model must have the submodules layer0, layer1 and head, the buffers mean and scale, and the
/// parameter bias. Afterwards it computes the same as before on the cpu, and trains on any device.
///
/// @return the model, on the cpu; its forward takes (batch, 7) and returns (batch, 1).
///
/// Example: td::nn::AnyModule model = make_regressor();
///          model.ptr()->to("sim:0");
///          model.forward(td::randn({4, 7}, "sim:0")) is on sim:0 and has sizes [4, 1].
td::nn::AnyModule make_regressor();
