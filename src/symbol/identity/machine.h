/* machine.h - architectures whose registers flamel knows. */
#ifndef FLAMEL_SYMBOL_IDENTITY_MACHINE_H
#define FLAMEL_SYMBOL_IDENTITY_MACHINE_H

enum flm_machine { FLM_MACHINE_OTHER, FLM_MACHINE_X86_64, FLM_MACHINE_ARM64 };

/* The architecture that this is compiled for. */
static inline enum flm_machine flm_machine_here(void)
{
#if defined(__x86_64__)
    return FLM_MACHINE_X86_64;
#elif defined(__aarch64__)
    return FLM_MACHINE_ARM64;
#else
    return FLM_MACHINE_OTHER;
#endif
}

#endif
