// The exercises of chapter 10: what stands between a model and XLA, which wants a whole program.
// Included by main.cpp, the exercises and their tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "td/td.h"
#include "xla/client.h"

using td::xla::Buffer;
using td::xla::Executable;

/// Exercise 10.compile_options. The options that PJRT's compiler takes, in protobuf's wire format:
///   CompileOptionsProto { executable_build_options = 3 {num_replicas = 4, num_partitions = 5} }
/// A field is a key and then its value. The key is (field number << 3) | wire type, where wire type
/// 0 is a number and 2 is "so many bytes follow", with the number of bytes in front. Keys, numbers
/// and lengths are written as varints: seven bits a byte, the lowest ones first; a byte has its
/// highest bit set when another one follows.
///
/// @param replicas,partitions at least 1.
/// @throws td::Error below 1: XLA ends the whole process when it is asked for 0 replicas.
///
/// Example: 1 and 1 give 1a 04 20 01 28 01; 200 and 1 give 1a 05 20 c8 01 28 01.
std::string encode_options(int replicas, int partitions);

/// Exercise 10.gradients. The backward pass of the linear model with a mean squared error, as lines
/// of StableHLO. What the program has before them, for B = `rows`:
///   %x: tensor<Bx10xf32>   the inputs        %error: tensor<Bx1xf32>   output - target
///   %zero: tensor<f32>     0.0
/// What they must define:
///   %grad_w: tensor<1x10xf32>   2/N * (sum over rows of error * x)
///   %grad_b: tensor<1xf32>      2/N * (sum over rows of error)
/// Other names are yours. The operations you need are constant, multiply, dot_general and reduce;
/// programs.h shows each of them.
///
/// @param rows B, the rows of this replica.
/// @param all_rows N, the rows of all replicas together: the loss is a mean over all of them.
///
/// Example: one row of ones, error 3, N = 1: %grad_w is ten times 6, %grad_b is 6.
std::string gradients(int rows, int all_rows);

/// Exercise 10.all_reduce. One line of StableHLO (or several) that defines `%result` as the sum of
/// `%value` over all replicas. The program around it has names of its own, which must not be given
/// twice, also not in the operation's region: begin yours with the result's, as in %result_a.
///
/// @param value,result names without the %.
/// @param type of both, such as "tensor<1x10xf32>". The sum is taken element by element.
/// @param replicas they are numbered 0 to replicas - 1 and form one group.
///
/// Example: all_reduce("grad", "sum", "tensor<1xf32>", 2), with 1 in one replica and 10 in the
/// other: %sum is 11 in both.
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas);

/// Puts one replica's batch of a step on its device: the arguments behind the weights.
using Upload = std::function<std::vector<Buffer>(std::size_t step, std::size_t replica)>;
/// Is called with each step's result for the loss, of replica 0, in the order of the steps.
using OnLoss = std::function<void(std::size_t step, const Buffer& loss)>;

/// Exercise 10.donate. The training loop. Each step takes the weights and a batch and returns the
/// new weights, in the same order, and behind them the loss. The program was given the old weights
/// for good (donation): their memory holds the new ones, and they cannot be used again.
///
/// While a step is running, the batch of the next one is uploaded: upload(n + 1, ...) comes after
/// step n was started and before anything waits for it. on_loss(n, ...) comes when step n is done.
///
/// @param weights [replica][weight], on the replicas' devices.
/// @param steps 0 gives the weights back as they are.
/// @return the weights after the last step, [replica][weight].
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss);
