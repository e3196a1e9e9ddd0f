// What the tests of graphs share: a stream of sim that can be captured, and values on the host.
#pragma once

#include <string>
#include <vector>

#include "catch.h"
#include "td/td.h"

namespace test {

/// A stream of sim:0 that is the current one until the end of the scope.
class OnStream {
 public:
  OnStream() : stream(td::getStreamFromPool("sim:0")), guard_(stream) {}
  const td::Stream stream;

 private:
  td::StreamGuard guard_;
};

/// Float values, after the current stream's work.
inline std::vector<float> values(const td::Tensor& t) {
  const td::Tensor host = t.detach().cpu().contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

inline td::Tensor on_sim(const std::vector<float>& numbers) {
  return td::tensor(numbers).to(td::Device("sim:0"));
}

/// The text of the DeviceError that `work` throws.
template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const td::DeviceError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace test
