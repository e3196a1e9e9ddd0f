// Tests of diagnose_hang: records of ranks whose fault is known, made by hand and by ranks that
// hang.
#include <sstream>

#include "exercises.h"
#include "ranks.h"
#include "recorded_group.h"

namespace {

using Call = CallRecords::Call;
using td::distributed::CollectiveType;

Call reduce(std::int64_t numel) { return {.numel = numel, .type = CollectiveType::kAllReduce}; }

/// Gives the calls the numbers first, first + 1, ...
CallRecords from(std::uint64_t first, std::vector<Call> calls) {
  for (Call& call : calls) call.sequence = first++;
  return {calls};
}

std::string text(const Diagnosis& d) {
  std::ostringstream out;
  const std::vector<std::string> reasons = {"kNone", "kNotCalled", "kDifferent"};
  out << reasons.at(d.reason) << ", call " << d.call << ", ranks {";
  for (const int rank : d.ranks) out << ' ' << rank;
  out << " }";
  return out.str();
}

void expect(const std::vector<CallRecords>& records, const Diagnosis& expected,
            const std::string& why) {
  const std::string got = text(diagnose_hang(records)), wanted = text(expected);
  check::expect(got == wanted, why + ": expected " + wanted + ", got " + got);
}

}  // namespace

TEST_CASE("ranks that have made the same calls", "[diagnose_hang]") {
  expect({from(1, {reduce(5), reduce(6)}), from(1, {reduce(5), reduce(6)})}, {},
         "both ranks make the calls 1 and 2");
  expect({from(3, {reduce(5)}), from(2, {reduce(4), reduce(5)})}, {},
         "rank 0 no longer has the record of call 2");
  expect({{}, {}, {}}, {}, "no rank has made a call");
  expect({from(9, {reduce(1)})}, {}, "one rank");
}

TEST_CASE("a rank that has not made a call", "[diagnose_hang]") {
  expect(
      {from(7, {reduce(10), reduce(3)}), from(7, {reduce(10), reduce(3)}), from(7, {reduce(10)})},
      {Diagnosis::kNotCalled, 8, {2}}, "the example");
  expect({from(7, {reduce(10)}), from(7, {reduce(10), reduce(3)}), from(7, {reduce(10)})},
         {Diagnosis::kNotCalled, 8, {0, 2}}, "only rank 1 is in call 8");
  expect({from(1, {reduce(1)}), {}, from(1, {reduce(1)}), {}}, {Diagnosis::kNotCalled, 1, {1, 3}},
         "ranks 1 and 3 have made no call");
}

TEST_CASE("a rank that has made another call", "[diagnose_hang]") {
  expect({from(7, {reduce(10), reduce(3)}), from(7, {reduce(10), reduce(3)}), from(7, {reduce(1)})},
         {Diagnosis::kDifferent, 7, {2}}, "the example");
  expect({from(4, {reduce(2)}), from(4, {reduce(1)}), from(4, {reduce(1)}), from(4, {reduce(1)})},
         {Diagnosis::kDifferent, 4, {0}}, "rank 0 is the only one with 2 elements");
  expect({from(4, {reduce(2)}), from(4, {reduce(1)}), from(4, {reduce(2)}), from(4, {reduce(1)})},
         {Diagnosis::kDifferent, 4, {1, 3}}, "two ranks against two: rank 0 counts as right");
  expect({from(4, {reduce(3)}), from(4, {reduce(1)}), from(4, {reduce(2)}), from(4, {reduce(1)})},
         {Diagnosis::kDifferent, 4, {0, 2}}, "most ranks make the call of rank 1");
  expect({from(4, {reduce(3)}), from(4, {reduce(2)}), from(4, {reduce(3)}), from(4, {reduce(1)}),
          from(4, {reduce(2)}), from(4, {reduce(3)})},
         {Diagnosis::kDifferent, 4, {1, 3, 4}},
         "three different calls: the ranks are in ascending order");
}

TEST_CASE("calls differ in any of their fields", "[diagnose_hang]") {
  const Call base = reduce(8);
  Call type = base, dtype = base, op = base, root = base;
  type.type = CollectiveType::kBroadcast;
  dtype.dtype = td::kDouble;
  op.reduce = td::distributed::ReduceOp::AVG;
  root.peer = 1;
  for (const Call& other : {type, dtype, op, root})
    expect({from(2, {base}), from(2, {base}), from(2, {other})}, {Diagnosis::kDifferent, 2, {2}},
           "rank 2 makes the call " + td::distributed::describe(other));
}

TEST_CASE("lists begin at different numbers", "[diagnose_hang]") {
  expect({from(3, {reduce(1), reduce(2)}), from(2, {reduce(9), reduce(1), reduce(2)}),
          from(2, {reduce(9), reduce(1), reduce(7)})},
         {Diagnosis::kDifferent, 4, {2}}, "the records are matched by number");
  expect({from(5, {reduce(2)}), from(4, {reduce(1)}), from(4, {reduce(1), reduce(2)})},
         {Diagnosis::kNotCalled, 5, {1}}, "rank 0 has made call 4, and its record is gone");
  expect({from(5, {reduce(2)}), from(3, {reduce(7), reduce(1), reduce(2)}),
          from(3, {reduce(7), reduce(9), reduce(2)}), from(3, {reduce(7), reduce(9), reduce(2)})},
         {Diagnosis::kDifferent, 4, {1}},
         "rank 0 no longer has the record of call 4, in which the others differ");
  const std::uint64_t many = std::uint64_t{1} << 40;
  expect({from(many, {reduce(1), reduce(2)}), from(many, {reduce(1)})},
         {Diagnosis::kNotCalled, many + 1, {1}}, "the numbers are large");
}

TEST_CASE("the first call that does not fit is reported", "[diagnose_hang]") {
  expect({from(1, {reduce(1), reduce(2), reduce(3)}), from(1, {reduce(1), reduce(3)}),
          from(1, {reduce(1), reduce(2), reduce(3)})},
         {Diagnosis::kDifferent, 2, {1}},
         "rank 1 has skipped call 2, and call 3 is missing as well");
  expect({from(1, {reduce(1), reduce(2)}), {}, from(1, {reduce(1), reduce(5)})},
         {Diagnosis::kNotCalled, 1, {1}}, "rank 1 has made no call, and call 2 differs");
  expect({from(1, {reduce(1)}), {}, from(1, {reduce(5)}), from(1, {reduce(5)})},
         {Diagnosis::kDifferent, 1, {0}}, "call 1 differs, and rank 1 has not made it");
}

TEST_CASE("records of ranks that hang", "[diagnose_hang]") {
  const auto records = record_ranks(3, [](ProcessGroup& group) {
    for (int step = 0; step < 5; ++step) {
      group.all_reduce(td::zeros({55}))->wait();
      if (step == 2 && group.rank() != 1) group.barrier()->wait();  // rank 1 skips it
    }
  });
  expect(records, {Diagnosis::kDifferent, 4, {1}}, "rank 1 has skipped a barrier");
}
