// time() is the number FIXED_CLOCK of the environment. For LD_PRELOAD.
#include <stdlib.h>
#include <time.h>

time_t time(time_t* out) {
  const char* text = getenv("FIXED_CLOCK");
  const time_t now = text != NULL ? atol(text) : 0;
  if (out != NULL) *out = now;
  return now;
}
