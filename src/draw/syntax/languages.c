/* languages.c - the languages, and what they differ in. */
#include "draw/syntax/internal.h"

static const char flow[] = "break continue else for if return while";
static const char cases[] = "break case continue default do else false for if return switch true "
                            "while";
static const char objects[] =
    "abstract as catch class const enum finally implements import in interface is new null package "
    "private protected public static super this throw try var void yield";

static const char c_words[] =
    "asm const enum extern goto inline register restrict sizeof static "
    "struct typedef typeof union volatile _Atomic _Generic _Static_assert";
static const char c_types[] =
    "auto bool char double float int long short signed unsigned void FILE dim3 _Bool";

#define C_TRAITS (FLM_SLASHES | FLM_DIRECTIVES | FLM_SUFFIX_T)
#define JAVA_TRAITS (FLM_SLASHES | FLM_TRIPLE | FLM_AT_WORDS | FLM_CAPITALS)

static const struct flm_language languages[] = {
    {"C", "c", NULL, C_TRAITS, "/**/", {cases, c_words, "NULL"}, c_types},
    {"C++",
     "h cc cpp cxx c++ C hh hpp hxx h++ H inl ipp tcc cu cuh hip mm",
     NULL,
     C_TRAITS | FLM_PAREN_RAW,
     "/**/",
     {cases, c_words,
      "alignas alignof catch class co_await co_return co_yield concept const_cast consteval "
      "constexpr constinit decltype delete dynamic_cast explicit export final friend mutable "
      "namespace new noexcept nullptr operator override private protected public "
      "reinterpret_cast requires static_assert static_cast template this thread_local throw try "
      "typeid typename using virtual NULL __constant__ __device__ __global__ __host__ __shared__"},
     c_types},
    {"Rust",
     "rs",
     NULL,
     FLM_SLASHES | FLM_NESTED | FLM_SPANNING | FLM_HASH_RAW | FLM_ATTRIBUTES | FLM_CAPITALS,
     "/**/",
     {flow, NULL,
      "as async await const crate dyn enum extern false fn impl in let loop match mod move mut pub "
      "ref self static struct super trait true type union unsafe use where yield"},
     "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize"},
    {"Go",
     "go",
     NULL,
     FLM_SLASHES | FLM_BACKTICKS,
     "/**/",
     {flow, NULL,
      "case chan const default defer fallthrough false func go goto import interface map nil "
      "package range select struct switch true type var"},
     "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune "
     "string uint uint8 uint16 uint32 uint64 uintptr"},
    {"Java",
     "java groovy",
     NULL,
     JAVA_TRAITS,
     "/**/",
     {cases, objects,
      "assert extends final goto instanceof native permits record sealed strictfp synchronized "
      "throws transient volatile"},
     "boolean byte char double float int long short"},
    {"Kotlin",
     "kt kts scala sc",
     NULL,
     JAVA_TRAITS | FLM_NESTED,
     "/**/",
     {flow, objects,
      "by companion constructor data def do extends false final fun init inline internal "
      "lateinit lazy match object open operator out override reified sealed suspend throws trait "
      "true typealias val vararg when where with"},
     ""},
    {"C#",
     "cs",
     NULL,
     FLM_SLASHES | FLM_TRIPLE | FLM_VERBATIM | FLM_DIRECTIVES | FLM_CAPITALS,
     "/**/",
     {cases, objects,
      "async await base checked delegate event explicit extern fixed foreach get goto implicit "
      "init internal lock namespace operator out override params readonly record ref sealed set "
      "sizeof stackalloc struct typeof unchecked unsafe using virtual volatile when where"},
     "bool byte char decimal double dynamic float int long nint object sbyte short string uint "
     "ulong ushort"},
    {"JavaScript",
     "js mjs cjs jsx ts mts cts tsx",
     "node",
     FLM_SLASHES | FLM_QUOTES | FLM_BACKTICKS | FLM_PATTERNS | FLM_AT_WORDS,
     "/**/",
     {cases, objects,
      "async await debugger declare delete export extends from function get instanceof keyof let "
      "namespace of readonly satisfies set type typeof undefined with"},
     "any bigint boolean never number object string symbol unknown"},
    {"Python",
     "py pyi pyx pxd",
     "python",
     FLM_HASH | FLM_QUOTES | FLM_TRIPLE | FLM_AT_WORDS,
     "",
     {flow, NULL,
      "and as assert async await case cdef class cpdef def del elif except finally from global "
      "import in is lambda match nonlocal not or pass raise try with yield False None True self"},
     "bool bytes dict float int list object set str tuple"},
    {"Ruby",
     "rb rake gemspec",
     "ruby",
     FLM_HASH | FLM_QUOTES | FLM_SPANNING | FLM_HERE | FLM_PATTERNS | FLM_CAPITALS,
     "",
     {"break else for if return while", NULL,
      "alias and begin case class def defined? do elsif end ensure false in module next nil not or "
      "redo rescue retry self super then true undef unless until when yield"},
     ""},
    {"PHP",
     "php phtml",
     "php",
     FLM_SLASHES | FLM_HASH | FLM_QUOTES | FLM_SPANNING | FLM_HERE | FLM_ATTRIBUTES,
     "/**/",
     {cases, objects,
      "and array callable clone echo elseif empty extends final fn foreach function global goto "
      "include instanceof insteadof isset list match namespace or print readonly require "
      "require_once self trait unset use"},
     "bool float int iterable mixed never object string"},
    {"Swift",
     "swift",
     NULL,
     FLM_SLASHES | FLM_NESTED | FLM_TRIPLE | FLM_HASH_RAW | FLM_AT_WORDS | FLM_CAPITALS,
     "/**/",
     {cases, NULL,
      "actor any as associatedtype async await catch class defer deinit enum extension fallthrough "
      "fileprivate final func guard import in indirect init inout internal is lazy let mutating "
      "nil "
      "open operator override private protocol public repeat rethrows self some static struct "
      "subscript super throw throws try typealias unowned var weak where"},
     ""},
    {"Zig",
     "zig",
     NULL,
     FLM_SLASHES | FLM_LINE_TEXT | FLM_AT_WORDS,
     "",
     {flow, NULL,
      "align allowzero and anytype asm async await catch comptime const defer enum errdefer error "
      "export extern false fn inline noalias null opaque or orelse packed pub resume struct "
      "suspend "
      "switch test threadlocal true try undefined union unreachable usingnamespace var volatile"},
     "anyerror bool f16 f32 f64 f128 i8 i16 i32 i64 i128 isize noreturn type u1 u8 u16 u32 u64 "
     "u128 "
     "usize void"},
    {"Haskell",
     "hs lhs",
     NULL,
     FLM_DASHES | FLM_NESTED | FLM_CAPITALS | FLM_PRIMES,
     "{--}",
     {"case class data default deriving do else family forall foreign if import in infix infixl "
      "infixr instance let module newtype of qualified then type where",
      NULL, NULL},
     ""},
    {"OCaml",
     "ml mli",
     NULL,
     FLM_NESTED | FLM_SPANNING | FLM_CAPITALS | FLM_PRIMES,
     "(**)",
     {"and as assert begin class constraint do done downto else end exception external false for "
      "fun function functor if in include inherit initializer lazy let match method module mutable "
      "new object of open or private rec sig struct then to true try type val virtual when while "
      "with",
      NULL, NULL},
     "array bool bytes char float int list option ref string unit"},
    {"Shell",
     "sh bash zsh ksh",
     "sh",
     FLM_HASH | FLM_HASH_APART | FLM_QUOTES | FLM_BARE_QUOTES | FLM_SPANNING | FLM_HERE,
     "",
     {flow, NULL,
      "case do done elif esac eval exec exit export fi function in local readonly set shift then "
      "trap unset until"},
     ""},
    {"Assembly",
     "s S asm",
     NULL,
     FLM_SLASHES | FLM_HASH | FLM_HASH_BEFORE | FLM_DIRECTIVES | FLM_DOT_WORDS,
     "/**/",
     {NULL, NULL, NULL},
     ""},
};

enum { LANGUAGES = sizeof languages / sizeof languages[0] };

bool flm_is_listed(const char *list, struct flm_bytes word)
{
    for (const char *at = list; at && *at;) {
        size_t size = 0;
        while (at[size] && at[size] != ' ')
            size++;
        if (size == word.size && memcmp(at, word.at, size) == 0)
            return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

const struct flm_language *flm_language_of(struct flm_bytes path, struct flm_bytes first_line)
{
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '.' && path.at[start - 1] != '/')
        start--;
    struct flm_bytes ending = {path.at + start, path.size - start};
    bool has_ending = start > 0 && path.at[start - 1] == '.' && ending.size > 0;
    bool is_script = flm_bytes_start_with(first_line, "#!");
    for (size_t i = 0; i < LANGUAGES; i++)
        if (has_ending && flm_is_listed(languages[i].endings, ending))
            return &languages[i];
    for (size_t i = 0; i < LANGUAGES && is_script; i++)
        if (languages[i].interpreter && flm_bytes_contain(first_line, languages[i].interpreter))
            return &languages[i];
    return NULL;
}

const char *flm_language_name(const struct flm_language *language)
{
    return language->name;
}
