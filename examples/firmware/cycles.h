/* See cycles.c. */
#ifndef CYCLES_H
#define CYCLES_H

typedef void (*print_function)(const char *text);

/* One inference of what the input holds. */
void print_cycles(print_function print);

#endif
