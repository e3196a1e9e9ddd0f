// The translation of launches, which must find the ends of expressions and keep lines.
#include "translate_cuda.h"

#include <algorithm>

#include "catch.h"

namespace {

using Catch::Contains;

std::string translated(const std::string& program) { return course::translate_cuda(program); }

const std::string kKernel = "__attribute__((flatten, noinline, td_global)) void k(int* p);\n";

}  // namespace

TEST_CASE("a launch becomes a call with the kernel, the configuration and the arguments") {
  const std::string text = translated("void f() { k<<<g, 256>>>(p, n); }");
  CHECK_THAT(text, Contains("launcher(\"k\", "));
  CHECK_THAT(text, Contains("k(td_a...); })(g, 256)(p, n);"));
}

TEST_CASE("the kernel of a launch is a name, a template, or an expression") {
  for (const std::string kernel :
       {"k", "::k", "ns::k", "a::b::k<float, 4>", "k<sizeof(int) / (2 > 1 ? 2 : 1)>",
        "k<std::vector<std::vector<int>>>", "(*pointer)", "table[i + 1]", "choose(x)(y)",
        "object.kernel", "object->kernel", "T::template k<int>"}) {
    CAPTURE(kernel);
    for (const std::string before : {"{ ", "; ", "if (c) ", "else ", "while (f(x)) ", "label: "})
      CHECK_THAT(translated(before + kernel + "<<<1, 32>>>(p);"),
                 Contains(before + "::td::cudart::launcher(\"" + kernel + "\", "));
  }
}

TEST_CASE("a configuration ends with the last >>> before the arguments") {
  for (const std::string config :
       {"1, 2", "dim3(1, 2), dim3{3}", "n >> 8, 256", "(a > b), f(x >> 3)", "1, 2, sizeof(a<b<c>>)",
        "a[i > 3], 32, 0, s"}) {
    CAPTURE(config);
    CHECK_THAT(translated("k<<<" + config + ">>>(p);"), Contains("(" + config + ")(p);"));
  }
  CHECK_THAT(translated("k<<<1, N<2>>>>(p);"), Contains("(1, N<2>)(p);"));
}

TEST_CASE("text in strings, characters and comments of the preprocessor is no launch") {
  for (const std::string text :
       {"f(\"k<<<1, 2>>>(p)\");", "f(\"\\\"k<<<1, 2>>>(p)\");", "f(R\"x(k<<<1)\" 2>>>(p))x\");",
        "c = '\"'; d = '<';", "n = 1'000'000; x = 0x1p-3;", "#pragma k<<<1, 2>>>(p)\n",
        "a << b; c >> d; vector<vector<vector<int>>> v;"}) {
    CAPTURE(text);
    CHECK(translated(text) == text);
  }
}

TEST_CASE("lines stay where they are") {
  const std::string text = "f();\nk\n<<<1,\n 2\n>>>\n(a,\n b);\ng();\n";
  const std::string result = translated(text);
  CHECK(std::count(result.begin(), result.end(), '\n') ==
        std::count(text.begin(), text.end(), '\n'));
  CHECK(result.substr(result.size() - 5) == "g();\n");
}

TEST_CASE("system headers stay as they are") {
  const std::string header = "# 1 \"/usr/include/x.h\" 1 3\nk<<<1, 2>>>(p);\n";
  const std::string own = "# 2 \"a.cu\" 2\nk<<<1, 2>>>(p);\n";
  const std::string result = translated(header + own);
  CHECK(result.substr(0, header.size()) == header);
  CHECK(result.substr(header.size()) != own);
}

TEST_CASE("a kernel as void* is remembered with its parameters") {
  for (const std::string cast : {"(void*)k", "(void *)k", "(const void*)k", "(void*)&k",
                                 "reinterpret_cast<void*>(k)", "reinterpret_cast<const void*>(&k)"})
    CHECK(translated(kKernel + "f(" + cast + ", 3);") ==
          kKernel + "f(::td::cudart::remembered(\"k\", k), 3);");
  CHECK(translated(kKernel + "f((void*)k<int, 2>);") ==
        kKernel + "f(::td::cudart::remembered(\"k<int, 2>\", k<int, 2>));");
  CHECK(translated(kKernel + "f((void*)data);") == kKernel + "f((void*)data);");
}

TEST_CASE("NULL as an argument is a null pointer") {
  CHECK_THAT(translated("k<<<1, 2>>>(__null, f(__null), x);"),
             Contains("(1, 2)(nullptr, f(__null), x);"));
}

TEST_CASE("a launch that is not complete is an error with its line") {
  const std::string begin = "# 7 \"a.cu\"\nvoid f() {\n  ";
  for (const std::string launch : {"k<<<1, 2>>;", "k<<<1, 2>>>;", "<<<1, 2>>>(p);"})
    CHECK_THROWS_WITH(translated(begin + launch + "\n}\n"), Contains("a.cu:8: <<< has no"));
}

TEST_CASE("a constant that is const has no section of its own") {
  const std::string section = "__attribute__((section(\"td_constant\")))";
  const auto keeps = [&](const std::string& program) {
    return translated(program).find("td_constant") != std::string::npos;
  };
  for (const std::string& constant :
       {section + " const int a[2] = {1, 2};", "static const " + section + " float b = 1;",
        "int f(); constexpr " + section + " int c = 3;", section + " int* const d = nullptr;"})
    CHECK_FALSE(keeps(constant));
  for (const std::string& variable :
       {section + " int a[2];", "const int n = 3; " + section + " int b[n];",
        section + " const float* c;", section + " S d = {const_cast<int*>(p)};"})
    CHECK(keeps(variable));
}

TEST_CASE("functions of the device have no hooks where only host code is observed") {
  const auto on_host = [](const std::string& program) {
    return course::translate_cuda(program, course::Hooks::kOnHost);
  };
  const std::string device = "__attribute__((td_device))",
                    unseen = "__attribute__((no_sanitize(\"thread\")))";
  CHECK(on_host(device + " int f();") == unseen + " int f();");
  CHECK_THAT(on_host(kKernel), Contains("noinline, no_sanitize(\"thread\")"));
  // The attribute of a lambda comes after its parameters.
  CHECK(on_host("[=] " + device + " (int i) { g(i); }") == "[=]  (int i) " + unseen + " { g(i); }");
  CHECK(translated("[=] " + device + " (int i) {}") == "[=]  (int i) {}");
  CHECK(on_host("[[nodiscard]] " + device + " int f();") ==
        "[[nodiscard]] " + unseen + " int f();");
  // A kernel may wait for a volatile variable.
  const std::string waits = device + " void f(volatile int* p) { while (!*p); }";
  CHECK_THAT(on_host(waits), !Contains("no_sanitize"));
  CHECK_THAT(on_host(device + " void f() { asm volatile(\"nop\"); }"), Contains("no_sanitize"));
}

TEST_CASE("alignas comes before all other specifiers") {
  CHECK(translated("{ static alignas(16) float a[4]; }") == "{ alignas(16) static  float a[4]; }");
  CHECK(translated("; constinit __attribute__((used)) alignas(f(8)) int a;") ==
        "; alignas(f(8)) constinit __attribute__((used))  int a;");
  for (const std::string right : {"alignas(16) int a;", "{ alignas(16) static int a; }",
                                  "struct alignas(8) S {};", "void f(alignas(8) int a);"})
    CHECK(translated(right) == right);
}

TEST_CASE("one instruction of PTX becomes a call") {
  const auto [statement, call] = GENERATE(table<std::string, std::string>({
      {R"(asm("mov.u32 %0, %%laneid;" : "=r"(lane));)", "(lane) = PTX mov(PTX laneid());"},
      {R"(asm volatile("mov.u64 %0, %globaltimer;" : "=l"(a[f(1)]));)",
       "(a[f(1)]) = PTX mov(PTX globaltimer());"},
      {R"(asm("bfe.u32 %0, %1, 4, %2;" : "=r"(x) : "r"(y + 1), "r"(n));)",
       "(x) = PTX bfe_u32((y + 1), 4, (n));"},
      {R"(asm("vabsdiff4.u32.u32.u32.add" " %0, %1, %2, %3;" : "=r"(r) : "r"(A), "r"(B), "r"(C));)",
       "(r) = PTX vabsdiff4_u32_u32_u32_add((A), (B), (C));"},
      {R"(asm volatile("ld.acquire.sys.global.u8 %0, [%1];" : "=r"(r) : "l"(p) : "memory");)",
       "(r) = PTX ld_ordered<PTX u8>((p));"},
      {R"(asm volatile("trap;");)", "__trap();"},
      {R"(asm("ld.global.f32 %0, [%1];" : "=f"(r) : "l"(p));)", "(r) = PTX ld<PTX f32>((p));"},
      // nvcc accepts the missing comma.
      {R"(asm volatile("st.release.sys.global.u8 [%1], %0;" :: "r"(v) "l"(p) : "memory");)",
       "PTX st_ordered<PTX u8>((p), (v));"},
      {R"(asm volatile("membar.gl;" ::: "memory");)", "PTX membar_gl();"},
  }));
  std::string expected = call;
  for (std::size_t at; (at = expected.find("PTX ")) != expected.npos;)
    expected.replace(at, 4, "::td::cudart::ptx::");
  CHECK(translated(statement) == expected);
  CHECK(translated("asm(\"bfe.u32 %0,\"\n\" %1, 4, 8;\"\n: \"=r\"(x)\n: \"r\"(y)); int z;") ==
        "(x) = ::td::cudart::ptx::bfe_u32((y), 4, 8)\n\n\n; int z;");
}

TEST_CASE("statements of other assemblers, and several instructions, stay as they are") {
  for (const std::string other :
       {R"(asm volatile("rdtsc" : "=a"(low));)", R"(asm("" ::: "memory");)", R"(asm(".byte 1");)",
        R"(asm("bfe.u32 %0, %1, 4, 8;" : "=r"(x));)",
        R"(asm("{ .reg .u32 t; mov.u32 t, %1; mov.u32 %0, t; }" : "=r"(a) : "r"(b));)"})
    CHECK(translated(other) == other);
}
