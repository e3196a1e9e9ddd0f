// expect: without hidden layers, two calls in training mode
// Dropout belongs to the hidden layers here. Right where there is one.
#include "exercises.h"

#include <string>

namespace {

struct MyClassifier : Classifier {
  MyClassifier(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      const std::string name = "hidden" + std::to_string(layers.size());
      layers.push_back(register_module(name, td::nn::Linear(inputs, width)));
      inputs = width;
    }
    dropout = register_module("dropout", td::nn::Dropout(0.5));
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x - mean;
    for (td::nn::Linear& layer : layers) y = layer(y).relu();
    return output(layers.empty() ? y : dropout(y)) * scale;
  }

  td::Tensor mean, scale;
  std::vector<td::nn::Linear> layers;
  td::nn::Dropout dropout{nullptr};
  td::nn::Linear output{nullptr};
};

}  // namespace

std::shared_ptr<Classifier> make_classifier(std::int64_t inputs,
                                            const std::vector<std::int64_t>& hidden,
                                            std::int64_t classes) {
  return std::make_shared<MyClassifier>(inputs, hidden, classes);
}
