#include "exercises.h"

#include <map>
#include <string>

// answer: always_drops
// expect: two calls after eval() gave different scores
// The function does not know the mode.
namespace always_drops {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      const std::string name = "hidden" + std::to_string(layers.size());
      layers.push_back(register_module(name, td::nn::Linear(inputs, width)));
      inputs = width;
    }
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x - mean;
    for (td::nn::Linear& layer : layers) y = layer(y).relu();
    return output(td::nn::functional::dropout(y, td::nn::functional::DropoutFuncOptions().p(0.5))) *
           scale;
  }
  td::Tensor mean, scale;
  std::vector<td::nn::Linear> layers;
  td::nn::Linear output{nullptr};
};

}  // namespace

std::shared_ptr<Classifier> make_classifier(std::int64_t inputs,
                                            const std::vector<std::int64_t>& hidden,
                                            std::int64_t classes) {
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace always_drops

// answer: copies_of_the_tensors
// expect: scores with 1 hidden layers on
// Forward uses its own copies, which do not change with the registered ones.
namespace copies_of_the_tensors {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1})).detach().clone();
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
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace copies_of_the_tensors

// answer: dropout_not_registered
// expect: two calls after eval() gave different scores
// Right in training mode: eval() does not reach a module outside the tree.
namespace dropout_not_registered {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      const std::string name = "hidden" + std::to_string(layers.size());
      layers.push_back(register_module(name, td::nn::Linear(inputs, width)));
      inputs = width;
    }
    dropout = td::nn::Dropout(0.5);
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x - mean;
    for (td::nn::Linear& layer : layers) y = layer(y).relu();
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace dropout_not_registered

// answer: dropout_too_late
// expect: the mean of 4096 ones should be near 1
// Drops scores instead of activations.
namespace dropout_too_late {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
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
    return dropout(output(y) * scale);
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace dropout_too_late

// answer: drops_after_every_layer
// expect: dropout should come once
// Dropout after every hidden layer, as in many networks. Right for one hidden layer.
namespace drops_after_every_layer {
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
    for (td::nn::Linear& layer : layers) y = dropout(layer(y).relu());
    return output(layers.empty() ? dropout(y) : y) * scale;
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
}  // namespace drops_after_every_layer

// answer: forgets_the_relu
// expect: scores with 1 hidden layers on cpu
namespace forgets_the_relu {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
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
    for (td::nn::Linear& layer : layers) y = layer(y);
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace forgets_the_relu

// answer: list_of_layers
// expect: two hidden layers: state_dict() should have the names
// A vector of layers is not part of the tree.
namespace list_of_layers {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      layers.push_back(td::nn::Linear(inputs, width));
      inputs = width;
    }
    dropout = register_module("dropout", td::nn::Dropout(0.5));
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x - mean;
    for (td::nn::Linear& layer : layers) y = layer(y).relu();
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace list_of_layers

// answer: no_dropout_without_hidden
// expect: without hidden layers, two calls in training mode
// Dropout belongs to the hidden layers here. Right where there is one.
namespace no_dropout_without_hidden {
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
}  // namespace no_dropout_without_hidden

// answer: plain_mean
// expect: two hidden layers: state_dict() should have the names
// A plain tensor member does not move.
namespace plain_mean {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = td::zeros({inputs});
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
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace plain_mean

// answer: relu_at_the_end
// expect: scores with 1 hidden layers on cpu
namespace relu_at_the_end {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
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
    return output(dropout(y)).relu() * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace relu_at_the_end

// answer: scale_as_buffer
// expect: scale and the weights and biases of two layers are 5 parameters
// The scale is never trained.
namespace scale_as_buffer {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_buffer("scale", td::ones({1}));
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
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace scale_as_buffer

// answer: small_dropout
// expect: with probability 0.5, values that are kept are doubled
namespace small_dropout {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      const std::string name = "hidden" + std::to_string(layers.size());
      layers.push_back(register_module(name, td::nn::Linear(inputs, width)));
      inputs = width;
    }
    dropout = register_module("dropout", td::nn::Dropout(0.1));
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x - mean;
    for (td::nn::Linear& layer : layers) y = layer(y).relu();
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace small_dropout

// answer: trains_the_mean
// expect: scale and the weights and biases of two layers are 5 parameters
// The mean is a parameter, which an optimizer would change.
namespace trains_the_mean {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_parameter("mean", td::zeros({inputs}));
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
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace trains_the_mean

// answer: one_digit
// expect: twelve hidden layers: state_dict() should have the name hidden10.weight
// Makes the name from one character: right for ten layers.
namespace one_digit {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      const std::string name =
          std::string("hidden") + static_cast<char>('0' + static_cast<int>(layers.size()));
      layers.push_back(register_module(name, td::nn::Linear(inputs, width)));
      inputs = width;
    }
    dropout = register_module("dropout", td::nn::Dropout(0.5));
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x - mean;
    for (td::nn::Linear& layer : layers) y = layer(y).relu();
    return output(dropout(y)) * scale;
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
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace one_digit

// answer: sorted_by_name
// expect: scores with 12 hidden layers on cpu
// Keeps the layers in a map by name, in which hidden10 comes before hidden2.
namespace sorted_by_name {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      const std::string name = "hidden" + std::to_string(layers.size());
      layers.emplace(name, register_module(name, td::nn::Linear(inputs, width)));
      inputs = width;
    }
    dropout = register_module("dropout", td::nn::Dropout(0.5));
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x - mean;
    for (auto& [name, layer] : layers) y = layer(y).relu();
    return output(dropout(y)) * scale;
  }
  td::Tensor mean, scale;
  std::map<std::string, td::nn::Linear> layers;
  td::nn::Dropout dropout{nullptr};
  td::nn::Linear output{nullptr};
};

}  // namespace

std::shared_ptr<Classifier> make_classifier(std::int64_t inputs,
                                            const std::vector<std::int64_t>& hidden,
                                            std::int64_t classes) {
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace sorted_by_name

// answer: changes_its_input
// expect: the inputs after forward on cpu, which must not change
// Subtracts the mean in the memory of the input.
namespace changes_its_input {
namespace {

struct Mine : Classifier {
  Mine(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t classes) {
    mean = register_buffer("mean", td::zeros({inputs}));
    scale = register_parameter("scale", td::ones({1}));
    for (const std::int64_t width : hidden) {
      const std::string name = "hidden" + std::to_string(layers.size());
      layers.push_back(register_module(name, td::nn::Linear(inputs, width)));
      inputs = width;
    }
    output = register_module("output", td::nn::Linear(inputs, classes));
  }
  td::Tensor forward(const td::Tensor& x) override {
    td::Tensor y = x;
    y.sub_(mean);
    for (td::nn::Linear& layer : layers) y = layer(y).relu();
    return output(td::dropout(y, 0.5, is_training())) * scale;
  }
  td::Tensor mean, scale;
  std::vector<td::nn::Linear> layers;
  td::nn::Linear output{nullptr};
};

}  // namespace

std::shared_ptr<Classifier> make_classifier(std::int64_t inputs,
                                            const std::vector<std::int64_t>& hidden,
                                            std::int64_t classes) {
  return std::make_shared<Mine>(inputs, hidden, classes);
}
}  // namespace changes_its_input
