// What each kernel of the chapter does to memory, next to the least that its own requests need.
#include "demos.h"

int main(int argc, char** argv) { return run_counts(argc, argv, "ch13-counts", demos); }
