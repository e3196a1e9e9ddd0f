#include "exercises.h"

// answer: by_children
// Stores the modes of a walk over the children, and copies the classes to a result on the device.
#ifdef by_children
Evaluation::Evaluation(td::nn::Module& model) {
  for (std::vector<td::nn::Module*> open = {&model}; !open.empty();) {
    td::nn::Module* module = open.back();
    open.pop_back();
    modes_.push_back({module, module->is_training()});
    for (const auto& child : module->children()) open.push_back(child.get());
  }
  inference_mode_.emplace();
  model.train(false);
}

void Evaluation::restore() {
  for (std::size_t i = 0; i < modes_.size(); ++i) modes_[i].module->train(modes_[i].training);
}

td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device) {
  std::int64_t samples = 0;
  for (const td::Tensor& batch : batches) samples += batch.size(0);
  const td::Tensor classes = td::empty({samples}, td::TensorOptions(td::kInt64).device(device));
  std::int64_t at = 0;
  auto evaluation = std::make_unique<Evaluation>(*model);
  for (const td::Tensor& batch : batches) {
    const td::Tensor scores = model->forward(batch.to(device, /*non_blocking=*/true));
    classes.slice(0, at, at + batch.size(0)).copy_(scores.argmax(1));
    at += batch.size(0);
  }
  evaluation.reset();
  return classes.cpu();
}
#endif  // by_children
