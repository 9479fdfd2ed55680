/* writers.h - what make_json writes: a profile of about `bytes` bytes, to standard output. */
#ifndef FLAMEL_BENCH_WRITERS_H
#define FLAMEL_BENCH_WRITERS_H

void print_samply(double bytes);
void print_firefox(double bytes);

void print_sampled(double bytes);
void print_evented(double bytes);

void print_cpuprofile(double bytes);
void print_chunks(double bytes);
void print_heaptimeline(double bytes);

void print_trace(double bytes);
void print_begin_end(double bytes);
void print_kineto(double bytes);

#endif
