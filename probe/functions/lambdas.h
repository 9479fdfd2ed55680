/* lambdas.h - names of lambdas, by what compilers call the function in full:
 *
 *     int ns::parse(const text&)::<lambda(int)>       gcc      parse::{lambda}
 *     auto ns::parse(const text &)::(anonymous class)::operator()(int) const
 *                                                     clang    likewise
 *     void ns::Less::operator()(int)                           Less::operator() */
#ifndef FLAMEL_PROBE_LAMBDAS_H
#define FLAMEL_PROBE_LAMBDAS_H

#include <stddef.h>

/* Its size; what does not fit is cut off. */
__attribute__((visibility("hidden"))) size_t flm_lambda_name(const char *pretty, char *to,
                                                             size_t room);

#endif
