#ifndef FLAMEL_WASI_LIBC_SYS_IOCTL_H
#define FLAMEL_WASI_LIBC_SYS_IOCTL_H

struct winsize {
    unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ 0x5413

/* TIOCGWINSZ of a terminal, as COLUMNS and LINES have it. */
int ioctl(int file, int request, ...);

#endif
