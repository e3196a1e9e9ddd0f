#include "exercises.h"

#include <sstream>

// answer: with_a_stream
// A stream writes the text, without fill, and other names.
namespace with_a_stream {
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::ostringstream text;
  text << "%" << result << " = \"stablehlo.all_reduce\"(%" << value
       << ") <{replica_groups = dense<[[";
  for (int r = 0; r + 1 < replicas; ++r) text << r << ',';
  text << replicas - 1 << "]]> : tensor<1x" << replicas << "xi64>}> ({\n  ^bb0(%" << result
       << "_left: tensor<f32>, %" << result << "_right: tensor<f32>):\n    %" << result
       << "_both = stablehlo.add %" << result << "_right, %" << result
       << "_left : tensor<f32>\n    stablehlo.return %" << result << "_both : tensor<f32>\n  }) : ("
       << type << ") -> " << type << "\n";
  return text.str();
}
}  // namespace with_a_stream
