// The models whose gradients the programs of chapter 14 count and average.
#pragma once

#include "../04_training_loop/models.h"

/// Seven linear layers with 12.4 MB of parameters: long to send, quick to compute.
inline td::nn::Sequential deep_net() {
  using namespace td::nn;
  Sequential net(AvgPool2d(4), Flatten(), Linear(192, 768), ReLU());
  for (int layer = 0; layer < 5; ++layer) {
    net->push_back(Linear(768, 768));
    net->push_back(ReLU());
  }
  net->push_back(Linear(768, 10));
  return net;
}
