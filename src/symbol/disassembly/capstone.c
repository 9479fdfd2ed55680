/* capstone.c - one instruction as text, by libcapstone. */
#include <stdlib.h>

#include "symbol/disassembly/internal.h"

#ifdef FLAMEL_CAPSTONE

#include <capstone/capstone.h>

#include "os/library.h"

/* In the order of `function_names`. */
struct library {
    unsigned (*version)(int *major, int *minor);
    cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
    cs_err (*close)(csh *handle);
    cs_err (*option)(csh handle, cs_opt_type type, size_t value);
    cs_insn *(*new_instruction)(csh handle);
    void (*free)(cs_insn *instructions, size_t count);
    bool (*next)(csh handle, const uint8_t **code, size_t *size, uint64_t *address,
                 cs_insn *instruction);
};

static const char *const function_names[] = {"cs_version", "cs_open", "cs_close",       "cs_option",
                                             "cs_malloc",  "cs_free", "cs_disasm_iter", NULL};

/* cs_insn has another layout in each major version, so only the one of the header will do. */
#define TEXT_OF(number) #number
#define SONAME_OF(major) "libcapstone.so." TEXT_OF(major)
static const char *const library_files[] = {SONAME_OF(CS_API_MAJOR), NULL};

#if CS_API_MAJOR >= 6
enum { ARM64 = CS_ARCH_AARCH64 };
#else
enum { ARM64 = CS_ARCH_ARM64 };
#endif

struct flm_decoder {
    struct library library;
    csh handle;
    cs_insn *instruction;
    bool is_att;
};

static bool open_library(struct library *library, struct flm_error *why)
{
    struct flm_error missing = {0};
    int major = 0, minor = 0; /* both, or neither is set */
    if (!flm_library_open(library_files, function_names, library, &missing))
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "machine code is shown with libcapstone, which is missing: %s",
                             missing.text);
    library->version(&major, &minor);
    return major == CS_API_MAJOR ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "machine code is shown with libcapstone %d; here is version %d",
                         CS_API_MAJOR, major);
}

static bool open_handle(struct flm_decoder *decoder, enum flm_machine machine,
                        enum flm_assembly_syntax syntax, struct flm_error *why)
{
    const struct library *library = &decoder->library;
    bool is_arm = machine == FLM_MACHINE_ARM64;
    cs_err error = library->open(is_arm ? (cs_arch)ARM64 : CS_ARCH_X86,
                                 is_arm ? CS_MODE_LITTLE_ENDIAN : CS_MODE_64, &decoder->handle);
    if (error != CS_ERR_OK) {
        decoder->handle = 0;
        return error == CS_ERR_MEM ? flm_error_memory(why)
                                   : flm_error_set(why, FLM_ERROR_SYSTEM,
                                                   "this libcapstone does not know the machine");
    }
    decoder->is_att = !is_arm && syntax == FLM_ASSEMBLY_ATT;
    if (decoder->is_att)
        library->option(decoder->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    decoder->instruction = library->new_instruction(decoder->handle);
    return decoder->instruction || flm_error_memory(why);
}

struct flm_decoder *flm_decoder_new(enum flm_machine machine, enum flm_assembly_syntax syntax,
                                    struct flm_error *why)
{
    struct flm_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) {
        flm_error_memory(why);
        return NULL;
    }
    if (open_library(&decoder->library, why) && open_handle(decoder, machine, syntax, why))
        return decoder;
    flm_decoder_free(decoder);
    return NULL;
}

void flm_decoder_free(struct flm_decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->instruction)
        decoder->library.free(decoder->instruction, 1);
    if (decoder->handle)
        decoder->library.close(&decoder->handle);
    free(decoder);
}

bool flm_decoder_next(struct flm_decoder *decoder, struct flm_bytes bytes, uint64_t address,
                      struct flm_instruction *instruction)
{
    const cs_insn *decoded = decoder->instruction;
    const uint8_t *at = (const uint8_t *)bytes.at;
    size_t left = bytes.size;
    uint64_t next = address;
    if (!decoder->library.next(decoder->handle, &at, &left, &next, decoder->instruction) ||
        decoded->size == 0 || decoded->size > bytes.size)
        return false;
    instruction->address = address;
    instruction->bytes = (struct flm_bytes){bytes.at, decoded->size};
    instruction->mnemonic = flm_bytes_of(decoded->mnemonic);
    instruction->operands = flm_bytes_of(decoded->op_str);
    if (decoder->is_att)
        instruction->mnemonic.size =
            flm_att_mnemonic_size(instruction->mnemonic, instruction->operands);
    return true;
}

#else

struct flm_decoder *flm_decoder_new(enum flm_machine machine, enum flm_assembly_syntax syntax,
                                    struct flm_error *why)
{
    (void)machine, (void)syntax;
    flm_error_set(why, FLM_ERROR_SYSTEM,
                  "this flamel was built without libcapstone, which shows machine code");
    return NULL;
}

void flm_decoder_free(struct flm_decoder *decoder)
{
    (void)decoder;
}

bool flm_decoder_next(struct flm_decoder *decoder, struct flm_bytes bytes, uint64_t address,
                      struct flm_instruction *instruction)
{
    (void)decoder, (void)bytes, (void)address, (void)instruction;
    return false;
}

#endif
