/* draw_pixels.c - a flame graph in an RGBA buffer, for a window or a texture of one's own. Here the
 * buffer becomes a PPM file, which nearly every viewer of pictures opens.
 *
 *     cc draw_pixels.c $(pkg-config --cflags --libs flamel) -o draw_pixels
 *     ./draw_pixels app.folded picture.ppm */
#include <flamel/flamel.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct flm_error why;
    if (argc != 3) {
        fprintf(stderr, "usage: draw_pixels PROFILE PICTURE.ppm\n");
        return 2;
    }
    struct flm_profile *profile = flm_load(argv[1], NULL, &why);
    if (!profile) {
        fprintf(stderr, "draw_pixels: %s\n", why.text);
        return 2;
    }

    struct flm_svg_options options; /* all zero is the default; C++ has no {0} without warnings */
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    struct flm_rgba picture;
    memset(&picture, 0, sizeof picture);
    picture.size = sizeof picture;
    picture.width = 1200;

    /* First without a buffer, which only finds the height; then into one of that height. */
    bool good = flm_rgba_draw(profile, &options, &picture, &why);
    if (good) {
        picture.height = picture.full_height;
        picture.pixels = (unsigned char *)malloc((size_t)picture.width * picture.height * 4);
        good = picture.pixels ? flm_rgba_draw(profile, &options, &picture, &why)
                              : flm_error_memory(&why);
    }
    flm_profile_free(profile);
    if (!good) {
        fprintf(stderr, "draw_pixels: %s\n", why.text);
        return 2;
    }

    FILE *out = fopen(argv[2], "wb");
    if (!out) {
        perror(argv[2]);
        return 2;
    }
    fprintf(out, "P6\n%u %u\n255\n", (unsigned)picture.width, (unsigned)picture.height);
    for (size_t i = 0; i < (size_t)picture.width * picture.height; i++)
        fwrite(picture.pixels + 4 * i, 1, 3, out);
    free(picture.pixels);
    return fclose(out) == 0 ? 0 : 2;
}
