/* A read-only kernel to hold the read ceiling against: every thread reads its own part and keeps the OR of all words.

   cc -O3 -march=native -fopenmp read_kernel.c -o read_kernel && ./read_kernel BYTES THREADS SECONDS
   prints the seconds of the fastest pass. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t vector __attribute__((vector_size(64)));

static uint64_t read_part(const vector *data, size_t count)
{
    vector kept[4] = {{0}};
    for (size_t i = 0; i + 4 <= count; i += 4)
        for (int lane = 0; lane < 4; lane++)
            kept[lane] |= data[i + lane];
    vector all = kept[0] | kept[1] | kept[2] | kept[3];
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= all[i];
    return word;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    size_t count = strtoull(argv[1], NULL, 10) / sizeof(vector);
    int threads = atoi(argv[2]);
    double budget = atof(argv[3]), best = 1e30, begun = omp_get_wtime();
    vector *data = aligned_alloc(1 << 21, (count * sizeof(vector) + (1 << 21) - 1) / (1 << 21) * (1 << 21));
    if (!data || threads < 1)
        return 1;
    omp_set_num_threads(threads);
    uint64_t found = 0;
#pragma omp parallel
    {
        size_t each = count / threads, first = each * omp_get_thread_num();
        for (size_t i = first; i < first + each; i++)
            data[i] = (vector){1, 2, 3, 4, 5, 6, 7, 8};
    }
    for (int pass = 0; pass < 3 || omp_get_wtime() - begun < budget; pass++) {
        double start = omp_get_wtime();
#pragma omp parallel reduction(| : found)
        found |= read_part(data + count / threads * omp_get_thread_num(), count / threads);
        double taken = omp_get_wtime() - start;
        if (pass && taken < best)
            best = taken;
    }
    fprintf(stderr, "%llu\n", (unsigned long long)found);
    printf("%.9f\n", best);
    return 0;
}
