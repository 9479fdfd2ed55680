#include "format/formats.h"

static const struct flm_format *const formats[] = {FLM_FORMATS_PURE(FLM_FORMAT_ADDRESS)};

const struct flm_formats flm_formats_pure = {NULL, formats, sizeof formats / sizeof formats[0]};
