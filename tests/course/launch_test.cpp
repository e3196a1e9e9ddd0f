// ./course launch as its user sees it: its errors, a chapter by its number, and how
// failures are reported. tests/common/distributed/launch tests what the launcher does to
// ranks.
#include "tool.h"

using course::Learner;
using course::Outcome;

TEST_CASE("launch rejects invalid arguments, and says what to type") {
  const Learner learner;
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "How many ranks? ./course launch -n 2 6\n"},
      {{"6", "-n", "2", "--epochs", "1"},
       "The ranks come before the program: ./course launch -n 2 6 --epochs 1\n"},
      {{"-n", "2"},
       "Which program? ./course launch -n 2 6 starts chapter 6's, ./course launch -n 2"},
      {{"-n", "0", "true"}, "-n is \"0\"; expected an integer from 1 to 1024: ./course launch"},
      {{"-n", "2x", "true"}, "-n is \"2x\"; expected an integer"},
      {{"-n", "99999", "true"}, "-n is \"99999\"; expected an integer from 1 to 1024"},
      {{"-n"}, "-n"},
      {{"-n", "2", "--max-restarts", "-1", "true"}, "--max-restarts is \"-1\"; expected"},
      {{"-n", "2", "--bogus", "true"}, "There is no option --bogus; ./course launch --help shows"},
      {{"-n", "2", "no-such-program"}, "There is no program \"no-such-program\" in "},
      {{"-n", "2", "./no/such"},
       "or on PATH. A chapter goes by its number: ./course launch -n 2 6"},
      {{"-n", "2", "7"}, "There is no chapter 7; there are 91."},
      {{"-n", "2", "1234567"}, "\"1234567\" is not the number of a chapter"},
      {{"-n", "2", "--node-rank", "1", "true"}, "--node-rank is for several hosts: give --nnodes"},
      {{"-n", "2", "--nnodes", "2", "true"}, "--nnodes 2 needs --node-rank: 0 on the first host"},
      {{"-n", "2", "--nnodes", "2", "--node-rank", "2", "true"}, "--node-rank is \"2\"; expected"},
      {{"-n", "2", "--nnodes", "2", "--node-rank", "0", "true"},
       "needs --rdzv, the place where all"},
      {{"-n", "2", "--nnodes", "2", "--node-rank", "0", "--rdzv", "redis://h:1", "true"},
       "--nnodes 2 needs --rdzv-id: any word"},
      {{"-n", "2", "--nnodes", "2", "--node-rank", "0", "--rdzv", "redis://h:1", "--rdzv-id", "a",
        "--max-restarts", "1", "true"},
       "--max-restarts is for one host"}};
  for (auto [words, text] : cases) {
    words.insert(words.begin(), "launch");
    const Outcome outcome = learner.types(words);
    INFO(text);
    CHECK(outcome.exit_code == 2);
    CHECK_SAYS(outcome, text);
  }
  CHECK_SAYS(learner.types({"launch", "--help"}), "ranks on this host");
}

TEST_CASE("launch starts a chapter by its number; what follows is the program's") {
  const Learner learner;
  const Outcome both = learner.types({"launch", "-n", "2", "91", "--help", "-n", "5"});
  CHECK(both.exit_code == 5);
  for (const std::string rank : {"0", "1"}) CHECK_SAYS(both, "[" + rank + "] 2 4 6 6\n");
  CHECK_SAYS(both, "] --help\n");
  CHECK_SAYS(both, "] -n\n");
  CHECK_SAYS(both, "ended with exit code 5 after");
  const Outcome plain = learner.types({"launch", "-n", "1", "--no-prefix", "91"});
  CHECK(plain.exit_code == 0);
  CHECK(plain.output == "2 4 6 6\n");
  const std::string folder = learner.root() / "chapters/91_warm_up";
  CHECK(learner.types({"launch", "-n", "1", "--no-prefix", folder}).output == plain.output);
  CHECK_SAYS(learner.types({"launch", "-n", "1", "91"}, {{"WARM_UP_NAMES", "1"}}),
             "./course launch -n 1 91\n");
  learner.writes("running_sum", "does not compile\n");
  CHECK_SAYS(learner.types({"launch", "-n", "2", "91", "--mine"}),
             "91.running_sum does not compile (./course check 91.running_sum shows why)");
}

TEST_CASE("launch warns where a chapter's program has no ranks, and would do the work twice") {
  const Learner learner;
  const std::string warning =
      "launch: chapter 91's program has no ranks, so each process does all of the work. One that "
      "divides it: ./course launch -n 2 6\n";
  CHECK_SAYS(learner.types({"launch", "-n", "2", "91"}), warning);
  CHECK_FALSE(course::says(learner.types({"launch", "-n", "1", "91"}), warning));
  const auto toml = learner.root() / "chapters/course.toml";
  std::string text = course::read_file(toml);
  text.insert(text.find("minutes"), "ranks = true\n");
  course::write_file(toml, text);
  CHECK_FALSE(course::says(learner.types({"launch", "-n", "2", "91"}), warning));
}

TEST_CASE("launch names the rank that failed and ends with its code") {
  const Learner learner;
  const Outcome killed = learner.types(
      {"launch", "-n", "2", "sh", "-c", "[ $RANK = 1 ] && kill -KILL $$; exec sleep 60"});
  CHECK(killed.exit_code == 137);
  CHECK_SAYS(killed, "launch: rank 1 of 2 was killed by signal 9 (SIGKILL) after ");
  const Outcome again = learner.types({"launch", "-n", "2", "--max-restarts", "1", "sh", "-c",
                                       "[ $TORCHELASTIC_RESTART_COUNT = 1 ] || exit 3"});
  CHECK(again.exit_code == 0);
  CHECK_SAYS(again, "launch: all ranks are started again (restart 1 of 1)\n");
}
