// The cut: what stays, what is removed, and what is an error.
#include "cutter.h"

#include "catch.h"

using course::cut;

TEST_CASE("a blank becomes a hint and a call that says so, indented as it was") {
  CHECK(cut("int f() {\n  // blank: Return one.\n  return 1;\n  // end\n}\n", "f") ==
        "int f() {\n  // Your code here: Return one.\n  td::not_done_yet(\"f\");\n}\n");
}

TEST_CASE("lines that are marked as the solution's own are removed") {
  const std::string text =
      "#include <a>\n\n// solution only\n#include <b>\n// end\n\n//! a remark\n"
      "int g;  //! why\n// blank: x\n// end\n";
  CHECK(cut(text, "f") ==
        "#include <a>\n\nint g;\n// Your code here: x\ntd::not_done_yet(\"f\");\n");
}

TEST_CASE("a fault to be repaired takes the place of the solution's lines") {
  CHECK(cut("// blank: x\n// end\n// solution only\n  //= s[0] = 1;\n  s[1] = 1;\n// end\n", "f") ==
        "// Your code here: x\ntd::not_done_yet(\"f\");\n  s[0] = 1;\n");
}

TEST_CASE("all other text is kept exactly") {
  const std::string rest = "// a comment\n\tint  x ; // http://a\n\n";
  const std::string stub = cut(rest + "// blank: x\ny\n// end\n", "f");
  CHECK(stub.substr(0, rest.size()) == rest);
}

TEST_CASE("marks that do not fit are an error with the line") {
  CHECK_THROWS_WITH(cut("\n// blank: x\n", "f"),
                    Catch::Contains("f, line 2") && Catch::Contains("no \"// end\""));
  CHECK_THROWS_WITH(cut("// blank: x\n// blank: y\n// end\n", "f"), Catch::Contains("line 2"));
  CHECK_THROWS_WITH(cut("// end\n", "f"), Catch::Contains("without a mark"));
  CHECK_THROWS_WITH(cut("// blank:\n// end\n", "f"), Catch::Contains("give a hint"));
  CHECK_THROWS_WITH(cut("int x;\n", "f"), Catch::Contains("there is no exercise"));
}
