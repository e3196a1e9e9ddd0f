#include "exercises.h"

// answer: blocks_on_each_copy
// expect: times for nine; it should wait once
// Right about the classes: the host waits for every batch.
#ifdef blocks_on_each_copy
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches)
      classes.push_back(model->forward(batch.to(device)).argmax(1));
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();
}
#endif  // blocks_on_each_copy

// answer: guard_ends_early
// expect: is recorded: a guard that is a variable of the constructor
// Inference mode begins and ends in the constructor.
#ifdef guard_ends_early
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  const td::InferenceMode inference_mode;
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches) {
      const td::Tensor input = batch.to(device, batch.dtype(), /*non_blocking=*/true);
      classes.push_back(model->forward(input).argmax(1));
    }
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();  // after the scope: an ordinary tensor
}
#endif  // guard_ends_early

// answer: joins_in_the_scope
// expect: the result is an inference tensor
// The joined tensor is made in inference mode.
#ifdef joins_in_the_scope
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches)
      classes.push_back(model->forward(batch.to(device, /*non_blocking=*/true)).argmax(1));
    if (!classes.empty()) return td::cat(classes).cpu();
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();
}
#endif  // joins_in_the_scope

// answer: keeps_the_outputs
// expect: more than one at their peak
// All scores stay on the device until the end.
#ifdef keeps_the_outputs
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches) {
      const td::Tensor input = batch.to(device, batch.dtype(), /*non_blocking=*/true);
      classes.push_back(model->forward(input));
    }
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).argmax(1).cpu();  // after the scope: an ordinary tensor
}
#endif  // keeps_the_outputs

// answer: no_batches_as_floats
// expect: the classes of no batches: expected elements of type int64, got float32
// Right for one batch or more.
#ifdef no_batches_as_floats
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches) {
      const td::Tensor input = batch.to(device, batch.dtype(), /*non_blocking=*/true);
      classes.push_back(model->forward(input).argmax(1));
    }
  }
  if (classes.empty()) return td::empty({0});
  return td::cat(classes).cpu();  // outside the scope: what is made here may join a graph
}
#endif  // no_batches_as_floats

// answer: no_batches_no_answer
// expect: cat
// Right for one batch or more.
#ifdef no_batches_no_answer
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches)
      classes.push_back(model->forward(batch.to(device, /*non_blocking=*/true)).argmax(1));
  }
  return td::cat(classes).cpu();
}
#endif  // no_batches_no_answer

// answer: no_evaluation
// expect: a module is in training mode inside the scope
// Nothing is recorded, but dropout drops and batch norm learns.
#ifdef no_evaluation
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches) {
      const td::Tensor input = batch.to(device, batch.dtype(), /*non_blocking=*/true);
      classes.push_back(model->forward(input).argmax(1));
    }
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();  // after the scope: an ordinary tensor
}
#endif  // no_evaluation

// answer: only_the_root
// expect: a model in training mode with a frozen batch norm: module
// Right for a model whose parts are all in one mode: a frozen batch norm trains afterwards.
#ifdef only_the_root
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() { modes_[0].module->train(modes_[0].training); }

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches) {
      const td::Tensor input = batch.to(device, batch.dtype(), /*non_blocking=*/true);
      classes.push_back(model->forward(input).argmax(1));
    }
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();  // after the scope: an ordinary tensor
}
#endif  // only_the_root

// answer: restores_backwards
// expect: a model in training mode with a frozen batch norm: module
// The root comes last and sets all modules below it.
#ifdef restores_backwards
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (auto mode = modes_.rbegin(); mode != modes_.rend(); ++mode)
    mode->module->train(mode->training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches)
      classes.push_back(model->forward(batch.to(device, /*non_blocking=*/true)).argmax(1));
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();
}
#endif  // restores_backwards

// answer: waits_each_batch
// expect: times for nine; it should wait once
// Fetches the classes of each batch: the device is idle until the host has the next one ready.
#ifdef waits_each_batch
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches) {
      const td::Tensor input = batch.to(device, batch.dtype(), /*non_blocking=*/true);
      classes.push_back(model->forward(input).argmax(1).cpu());
    }
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();  // after the scope: an ordinary tensor
}
#endif  // waits_each_batch

// answer: squeezes
// expect: the class of a batch of one sample on cpu: predict threw "cat
// Drops all dimensions of size 1: a batch of one sample is left without any.
#ifdef squeezes
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches)
      classes.push_back(model->forward(batch.to(device, true)).argmax(1, true).squeeze());
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).cpu();
}
#endif

// answer: returns_too_early
// expect: read right after predict returned
// Copies the classes with non_blocking, and returns before they have arrived.
#ifdef returns_too_early
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches)
      classes.push_back(model->forward(batch.to(device, true)).argmax(1));
  }
  if (classes.empty()) return td::empty({0}, td::kInt64);
  return td::cat(classes).to("cpu", /*non_blocking=*/true);
}
#endif

// answer: nothing_on_the_device
// expect: the classes of no batches: expected on cpu
// Without batches, the result is on the device.
#ifdef nothing_on_the_device
Evaluation::Evaluation(td::nn::Module& model) {
  model.apply([this](td::nn::Module& module) {
    modes_.push_back({&module, module.is_training()});
  });
  model.eval();
  inference_mode_.emplace();
}

void Evaluation::restore() {
  for (const Mode& mode : modes_) mode.module->train(mode.training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::vector<td::Tensor> classes;
  {
    const Evaluation evaluation(*model);
    for (const td::Tensor& batch : batches)
      classes.push_back(model->forward(batch.to(device, /*non_blocking=*/true)).argmax(1));
  }
  if (classes.empty()) return td::empty({0}, td::TensorOptions(td::kInt64).device(device));
  return td::cat(classes).cpu();
}
#endif  // nothing_on_the_device
