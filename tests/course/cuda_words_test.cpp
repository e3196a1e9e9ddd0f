// The command line of `./course cuda`: files, options of nvcc, and the program's own arguments.
#include "cuda_words.h"

#include "catch.h"
#include "course.h"

using Catch::Contains;
using course::CudaWords;
using course::read_cuda_words;
using Words = std::vector<std::string>;

namespace {

const std::string kFile = COURSE_SOURCE "/tests/common/cuda/programs/vecadd.cu";

CudaWords words_with(const Words& more) {
  Words words = {kFile};
  words.insert(words.end(), more.begin(), more.end());
  return read_cuda_words(words);
}

}  // namespace

TEST_CASE("words after -- are the program's own") {
  const CudaWords words = words_with({"--check", "--", "-n", "100", "--check", "x.cu"});
  CHECK(words.files == Words{kFile});
  CHECK(words.arguments == Words{"-n", "100", "--check", "x.cu"});
  CHECK(words.check);
}

TEST_CASE("options of the preprocessor and of the linker are passed on") {
  const CudaWords words = words_with({"-I", "inc", "-Iother", "-D", "N=1", "-DX", "-lm", "-L/lib"});
  CHECK(words.compile == Words{"-I", "inc", "-Iother", "-D", "N=1", "-DX"});
  CHECK(words.link == Words{"-lm", "-L/lib"});
}

TEST_CASE("options of nvcc that change nothing on a CPU are accepted") {
  const CudaWords words =
      words_with({"-O3", "-arch=sm_80", "-gencode", "arch=compute_80,code=sm_80", "-std=c++17",
                  "-lineinfo", "-lcudart", "-lcublas", "-o", "vecadd", "--expt-relaxed-constexpr"});
  CHECK(words.compile.empty());
  CHECK(words.link.empty());
  CHECK(words.arguments.empty());
}

TEST_CASE("OpenMP of the host's compiler is passed on") {
  const CudaWords words = words_with({"-Xcompiler", "-fopenmp"});
  CHECK(words.compile == Words{"-fopenmp"});
  CHECK(words.link == Words{"-fopenmp"});
}

TEST_CASE("--json and --pictures are of the profile") {
  CHECK(words_with({"--json", "p.json"}).profile);
  CHECK(words_with({"--pictures=dir"}).pictures == "dir");
  CHECK_FALSE(words_with({"--gpu", "T4"}).profile);
}

TEST_CASE("what is wrong is told with what to type") {
  CHECK_THROWS_WITH(read_cuda_words({}), Contains("./course cuda vecadd.cu"));
  CHECK_THROWS_WITH(read_cuda_words({"none.cu"}), Contains("There is no file none.cu in /"));
  CHECK_THROWS_WITH(words_with({"100"}), Contains("come after --: ./course cuda vecadd.cu -- 100"));
  CHECK_THROWS_WITH(words_with({"--chek"}), Contains("no option --chek. Options: --check"));
  CHECK_THROWS_WITH(words_with({"-I"}), Contains("-I needs a value"));
  CHECK_THROWS_AS(words_with({"--texture"}), course::UsageError);
}
