/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker in C: sums an array over all workers of its job, and checks the sums. Run it as every
 * worker by `ina testbed exec`; see hw/libina/README.md. */
#include <ina.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 100000 };

static int failed(const char* call) {
  fprintf(stderr, "worker: %s: %s\n", call, ina_error());
  return 1;
}

int main(void) {
  static float gradient[COUNT];
  static float sums[COUNT];
  const char* const cluster = getenv("INA_CLUSTER");
  const char* const host = getenv("INA_HOST");
  const char* const device = getenv("INA_DEVICE");
  if (cluster == NULL || host == NULL || device == NULL) {
    fprintf(stderr, "worker: no INA_CLUSTER, INA_HOST or INA_DEVICE; allowed: ina testbed exec\n");
    return 2;
  }
  if (ina_init(cluster, (uint32_t)strtoul(host, NULL, 10), device) != INA_OK) {
    return failed("ina_init");
  }
  for (int i = 0; i < COUNT; ++i) gradient[i] = (float)(ina_rank() + 1);

  ina_request request;
  if (ina_submit_f32(gradient, sums, COUNT, &request) != INA_OK) return failed("ina_submit_f32");
  /* The program may compute here. Both arrays are the library's until ina_wait(). */
  if (ina_wait(request, 60) != INA_OK) return failed("ina_wait");

  const uint32_t workers = ina_workers();
  const float expected = (float)(workers * (workers + 1) / 2);
  for (int i = 0; i < COUNT; ++i) {
    if (sums[i] != expected) {
      fprintf(stderr, "worker: sum %d is %g; expected: %g\n", i, sums[i], expected);
      return 1;
    }
  }
  printf("rank %u of %u: every sum is %g\n", ina_rank(), workers, expected);
  return ina_finalize(60) == INA_OK ? 0 : failed("ina_finalize");
}
