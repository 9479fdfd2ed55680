/* att_suffix.c - the letters of sizes that objdump and perf leave out of the names of instructions.
 *
 *     movq %rax, %rbx       mov       a register says how large the operands are
 *     movq $0, 8(%rsp)      movq      nothing else does
 *     shll %cl, (%rdi)      shll      the register is a count
 *     callq 0x103f          call      there is only one size
 *
 * libcapstone writes all of them. */
#include "symbol/disassembly/internal.h"

/* Words of at most 7 letters, and a zero: as many bytes as a number has, so that one comparison
 * does. It is asked for every instruction. */
enum { WIDTH = 8 };
static const char always[][WIDTH] = {"call", "jmp", "leave", "pop", "push", "ret"};
static const char shifts[][WIDTH] = {"rcl", "rcr", "rol", "ror", "sal", "sar", "shl", "shr"};
static const char others[][WIDTH] = {
    "adc",  "adcx",  "add",  "adox", "and",  "andn",  "bextr",  "blsi",   "blsmsk",  "blsr", "bsf",
    "bsr",  "bswap", "bt",   "btc",  "btr",  "bts",   "bzhi",   "cmp",    "cmpxchg", "dec",  "div",
    "idiv", "imul",  "inc",  "lea",  "lods", "lzcnt", "mov",    "movabs", "movbe",   "mul",  "mulx",
    "neg",  "nop",   "not",  "or",   "pdep", "pext",  "popcnt", "rorx",   "sarx",    "sbb",  "scas",
    "shld", "shlx",  "shrd", "shrx", "stos", "sub",   "test",   "tzcnt",  "xadd",    "xchg", "xor"};

static bool is_one(const char (*words)[WIDTH], size_t count, const char word[WIDTH])
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(words[i], word, WIDTH) == 0)
            return true;
    return false;
}

/* %rax, but not memory as in %fs:0x28. (Registers of vectors, %xmm0 or %mm0, are asked for later:
 * movq %xmm0, %rax keeps its q.) */
static bool is_register(struct flm_bytes operand)
{
    return flm_bytes_start_with(operand, "%") && !memchr(operand.at, ':', operand.size);
}

/* Whether an operand is such a register: any, or the last one. */
static bool has_register(struct flm_bytes operands, bool only_last)
{
    bool found = false;
    while (operands.size > 0) {
        size_t size = 0;
        for (int depth = 0; size < operands.size && (depth > 0 || operands.at[size] != ','); size++)
            depth += (operands.at[size] == '(') - (operands.at[size] == ')');
        bool is_this = is_register((struct flm_bytes){operands.at, size});
        found = is_this || (found && !only_last);
        while (size < operands.size && (operands.at[size] == ',' || operands.at[size] == ' '))
            size++;
        operands = flm_bytes_from(operands, size);
    }
    return found;
}

size_t flm_att_mnemonic_size(struct flm_bytes mnemonic, struct flm_bytes operands)
{
    struct flm_bytes base = mnemonic;
    for (size_t i = mnemonic.size; i-- > 0;) /* behind "lock " */
        if (mnemonic.at[i] == ' ') {
            base = flm_bytes_from(mnemonic, i + 1);
            break;
        }
    if (base.size < 3 || !flm_is_one_of(base.at[base.size - 1], "bwlq"))
        return mnemonic.size;
    base.size--;
    char word[WIDTH] = {0};
    if (base.size >= WIDTH)
        return mnemonic.size;
    memcpy(word, base.at, base.size);
    bool is_left_out = is_one(always, sizeof always / WIDTH, word);
    if (is_one(shifts, sizeof shifts / WIDTH, word))
        is_left_out = has_register(operands, true);
    else if (memcmp(word, "cmov", 4) == 0 || is_one(others, sizeof others / WIDTH, word))
        is_left_out = has_register(operands, false) && !flm_bytes_contain(operands, "mm");
    return mnemonic.size - is_left_out;
}
