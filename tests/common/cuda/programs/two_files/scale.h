// A kernel of one file that another file launches.
#pragma once

__global__ void scale(float* data, int n, float factor);
float on_host(float x);
