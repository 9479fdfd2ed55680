/* math.h - what pure code may use of it, for wasm: what is one instruction there or nearly so, and
 * is exact, so that the browser and the command compute the same doubles. No sin, exp or pow. */
#ifndef FLAMEL_LIBC_MATH_H
#define FLAMEL_LIBC_MATH_H

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_inf()

#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

double floor(double x);
double ceil(double x);
double trunc(double x);
double rint(double x);
double round(double x);
double fabs(double x);
double sqrt(double x);
double copysign(double size, double sign);
double fmin(double a, double b);
double fmax(double a, double b);

#define floor(x) __builtin_floor(x)
#define ceil(x) __builtin_ceil(x)
#define trunc(x) __builtin_trunc(x)
#define rint(x) __builtin_rint(x)
#define fabs(x) __builtin_fabs(x)
#define sqrt(x) __builtin_sqrt(x)
#define copysign(size, sign) __builtin_copysign(size, sign)

#endif
