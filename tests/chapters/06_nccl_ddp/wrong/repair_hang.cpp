#include "exercises.h"

// answer: only_rank_0
// expect: rank 0 calls 1 collectives and rank 1 calls 0
// The first fault alone: one rank calls, and waits for the others.
namespace only_rank_0 {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = round * group.size() + group.rank();
    if (batch >= batches) break;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  const td::Tensor sums = td::tensor({right, counted}, td::kDouble);
  if (group.rank() == 0) group.all_reduce(sums)->wait();
  return sums[0].item<double>() / sums[1].item<double>();
}
}  // namespace only_rank_0

// answer: no_wait
// expect: were waited for
// The second fault alone: the sums are read before they are there.
namespace no_wait {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = round * group.size() + group.rank();
    if (batch >= batches) break;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  const td::Tensor sums = td::tensor({right, counted}, td::kDouble);
  group.all_reduce(sums);
  return sums[0].item<double>() / sums[1].item<double>();
}
}  // namespace no_wait

// answer: padded
// expect: 4 batches for 3 ranks
// The third fault alone: some batches count twice. Right for as many batches as ranks.
namespace padded {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = (round * group.size() + group.rank()) % batches;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  const td::Tensor sums = td::tensor({right, counted}, td::kDouble);
  group.all_reduce(sums)->wait();
  return sums[0].item<double>() / sums[1].item<double>();
}
}  // namespace padded

// answer: mean_of_means
// expect: samples in batches of 4, of which the last one is wrong
// The fourth fault alone: a rank with one sample counts as much as a rank with four.
namespace mean_of_means {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = round * group.size() + group.rank();
    if (batch >= batches) break;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  const td::Tensor accuracy = td::full({1}, counted > 0 ? right / counted : 0.0, td::kDouble);
  group.all_reduce(accuracy)->wait();
  return accuracy.item<double>() / group.size();
}
}  // namespace mean_of_means

// answer: ranks_with_samples
// expect: rank 0 calls 1 collectives and rank 1 calls 0
// Only the ranks that have samples call. Hangs with fewer batches than ranks.
namespace ranks_with_samples {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = round * group.size() + group.rank();
    if (batch >= batches) break;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  const td::Tensor sums = td::tensor({right, counted}, td::kDouble);
  if (counted > 0) group.all_reduce(sums)->wait();
  return sums[0].item<double>() / sums[1].item<double>();
}
}  // namespace ranks_with_samples

// answer: in_every_round
// expect: collectives and rank
// A collective after each batch: the rank without a last batch does not call it.
namespace in_every_round {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = round * group.size() + group.rank();
    if (batch >= batches) break;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
    const td::Tensor sums = td::tensor({right, counted}, td::kDouble);
    group.all_reduce(sums)->wait();
    if (round + 1 == rounds) return sums[0].item<double>() / sums[1].item<double>();
  }
  return 0;
}
}  // namespace in_every_round

// answer: drops_the_last
// expect: the accuracy on rank
// Drops the batches that do not fill a round, so that all ranks have equally many.
namespace drops_the_last {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = round * group.size() + group.rank();
    if ((round + 1) * group.size() > batches) break;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  const td::Tensor sums = td::tensor({right, counted}, td::kDouble);
  group.all_reduce(sums)->wait();
  return sums[0].item<double>() / sums[1].item<double>();
}
}  // namespace drops_the_last

// answer: own_accuracy
// expect: no rank calls a collective
// Needs no collective, and returns the accuracy of its own batches.
namespace own_accuracy {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  const std::int64_t rounds = (batches + group.size() - 1) / group.size();
  double right = 0, counted = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t batch = round * group.size() + group.rank();
    if (batch >= batches) break;
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    right += classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    counted += static_cast<double>(rows);
  }
  return counted > 0 ? right / counted : 0.0;
}
}  // namespace own_accuracy

// answer: every_rank_evaluates_all
// expect: batch b is for rank b % 3
// Each rank does all the work. The accuracy is right.
namespace every_rank_evaluates_all {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  double right = 0, counted = 0;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    const double hits = classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    right += hits;
  }
  const td::Tensor sums = td::tensor({right}, td::kDouble);
  group.broadcast(sums)->wait();
  return sums.item<double>() / double(samples);
}
}  // namespace every_rank_evaluates_all

// answer: contiguous_shards
// expect: batch b is for rank b % 3
// The batches of a rank follow each other. The accuracy is right.
namespace contiguous_shards {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  double right = 0, counted = 0;
  const std::int64_t each = (batches + group.size() - 1) / group.size();
  for (std::int64_t batch = group.rank() * each;
       batch < std::min(batches, (group.rank() + 1) * each); ++batch) {
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    const double hits = classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    right += hits;
  }
  const td::Tensor sums = td::tensor({right}, td::kDouble);
  group.all_reduce(sums)->wait();
  return sums.item<double>() / double(samples);
}
}  // namespace contiguous_shards

// answer: half_counts
// expect: 5003 samples in batches of 1000
// Adds halves. Right up to 2,048 samples.
namespace half_counts {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  model->eval();
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  double right = 0, counted = 0;
  for (std::int64_t batch = group.rank(); batch < batches; batch += group.size()) {
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    const double hits = classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    right += hits;
  }
  const td::Tensor sums = td::tensor({right}, td::kHalf);
  group.all_reduce(sums)->wait();
  return sums.item<double>() / double(samples);
}
}  // namespace half_counts

// answer: training_mode
// expect: the model is in training mode
// Without eval(). Right for a model without dropout.
namespace training_mode {
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const std::int64_t samples = data.size(0);
  const std::int64_t batches = (samples + batch_size - 1) / batch_size;
  double right = 0;
  for (std::int64_t batch = group.rank(); batch < batches; batch += group.size()) {
    const std::int64_t begin = batch * batch_size, rows = std::min(batch_size, samples - begin);
    const td::Tensor classes = model->forward(data.narrow(0, begin, rows)).argmax(1);
    const double hits = classes.eq(target.narrow(0, begin, rows)).sum().item<double>();
    right += hits;
  }
  const td::Tensor sums = td::tensor({right}, td::kDouble);
  group.all_reduce(sums)->wait();
  return sums.item<double>() / double(samples);
}
}  // namespace training_mode
