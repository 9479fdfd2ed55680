/* pack.c - packs standard input (src/base/mix/mix.h): the build's own program, for what pages
 * carry. */
#include "base/mix/mix.h"

#include <stdio.h>

int main(void)
{
    struct flm_text in = {0}, out = {0};
    char bytes[1 << 16];
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, stdin)) > 0;)
        flm_text_add(&in, (struct flm_bytes){bytes, size});
    if (!in.failed && !ferror(stdin))
        flm_mix_pack((struct flm_bytes){in.at, in.size}, &out);
    bool good = !in.failed && !ferror(stdin) && !out.failed &&
                fwrite(out.at, 1, out.size, stdout) == out.size && fflush(stdout) == 0;
    flm_text_clear(&in);
    flm_text_clear(&out);
    return good ? 0 : 1;
}
