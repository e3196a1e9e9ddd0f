// A file without kernels.
float on_host(float x) { return 2 * x; }
