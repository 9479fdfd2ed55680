/* arm64.c - writes a sample of its own stack, as the kernel would, and who called whom.
 *
 *     clang --target=aarch64-linux-gnu -O2 -g0 -ffreestanding -fno-stack-protector \
 *         -fasynchronous-unwind-tables -fomit-frame-pointer -mbranch-protection=pac-ret \
 *         -static -nostdlib -fuse-ld=lld \
 *         -Wl,--build-id=none,--image-base=0x400000,-z,max-page-size=4096,-s \
 *         arm64.c -o arm64.elf && ./arm64.elf > arm64.sample
 *
 * Return addresses are signed (the processor has pointer authentication, or qemu plays it). The
 * leaf has no frame, `moved` counts its frame from x29, and `begin` is called by nothing. */
#include <stdint.h>

enum { CALLERS = 4, STACK_WORDS = 512, WRITE = 64, EXIT = 93 };

/* What it writes, and tests/record/symbols/unwinder_test.c reads. */
struct {
    uint64_t registers[33]; /* x0 to x30, sp, pc */
    uint64_t callers[CALLERS];
    uint64_t stack_size;
    uint64_t stack[STACK_WORDS];
} taken;
uint64_t top;

void leaf(void);
__asm__(".text\n"
        ".global leaf, _start\n"
        ".type leaf, %function\n"
        "leaf:\n"
        ".cfi_startproc\n"
        "adrp x9, taken\n"
        "add x9, x9, :lo12:taken\n"
        "stp x0, x1, [x9]\n"
        "stp x18, x19, [x9, 144]\n"
        "stp x20, x21, [x9, 160]\n"
        "stp x22, x23, [x9, 176]\n"
        "stp x24, x25, [x9, 192]\n"
        "stp x26, x27, [x9, 208]\n"
        "stp x28, x29, [x9, 224]\n"
        "mov x10, sp\n"
        "stp x30, x10, [x9, 240]\n"
        "adr x10, .\n"
        "str x10, [x9, 256]\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size leaf, . - leaf\n"
        ".type _start, %function\n"
        "_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined x30\n"
        "mov x29, 0\n"
        "mov x30, 0\n"
        "adrp x9, top\n"
        "mov x10, sp\n"
        "str x10, [x9, :lo12:top]\n"
        "bl begin\n"
        "brk 0\n"
        ".cfi_endproc\n"
        ".size _start, . - _start\n");

static long call(long number, long a, long b, long c)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
                     x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}

static void tell(void)
{
    const uint64_t *stack = (const uint64_t *)taken.registers[31];
    taken.stack_size = top - taken.registers[31];
    for (uint64_t i = 0; i < STACK_WORDS; i++)
        taken.stack[i] = i < taken.stack_size / 8 ? stack[i] : 0;
    call(WRITE, 1, (long)&taken, sizeof taken);
    call(EXIT, 0, 0, 0);
}

#define CALLER(i) taken.callers[i] = (uint64_t)__builtin_return_address(0)

__attribute__((noinline)) long inner(long depth)
{
    CALLER(0);
    leaf();
    tell();
    return depth + 1;
}

__attribute__((noinline)) long moved(long size)
{
    CALLER(1);
    volatile char *room = __builtin_alloca(size);
    room[0] = 1;
    long sum = inner(size + 1);
    return room[0] + sum;
}

__attribute__((noinline)) long outer(long size)
{
    CALLER(2);
    volatile uint64_t room[40];
    for (int i = 0; i < 40; i++)
        room[i] = (uint64_t)i;
    return moved(size * 3) + (long)room[size % 40];
}

void begin(void)
{
    CALLER(3);
    call(EXIT, outer(50), 0, 0);
}
