/* cpp_tables.c - what letters in C++ names stand for. */
#include "symbol/demangle/cpp.h"

/* In the order of their codes. */
static const struct flm_cpp_operator operators[] = {
    {"aN", 2, "&="},
    {"aS", 2, "="},
    {"aa", 2, "&&"},
    {"ad", 1, "&"},
    {"an", 2, "&"},
    {"at", 1, "alignof "},
    {"aw", 1, "co_await "},
    {"az", 1, "alignof "},
    {"cc", 2, "const_cast"},
    {"cl", 2, "()"},
    {"cm", 2, ","},
    {"co", 1, "~"},
    {"dV", 2, "/="},
    {"dX", 3, "[...]="},
    {"da", 1, "delete[] "},
    {"dc", 2, "dynamic_cast"},
    {"de", 1, "*"},
    {"di", 2, "="},
    {"dl", 1, "delete "},
    {"ds", 2, ".*"},
    {"dt", 2, "."},
    {"dv", 2, "/"},
    {"dx", 2, "]="},
    {"eO", 2, "^="},
    {"eo", 2, "^"},
    {"eq", 2, "=="},
    {"fL", 3, "..."},
    {"fR", 3, "..."},
    {"fl", 2, "..."},
    {"fr", 2, "..."},
    {"ge", 2, ">="},
    {"gs", 1, "::"},
    {"gt", 2, ">"},
    {"ix", 2, "[]"},
    {"lS", 2, "<<="},
    {"le", 2, "<="},
    {"li", 1, "operator\"\" "},
    {"ls", 2, "<<"},
    {"lt", 2, "<"},
    {"mI", 2, "-="},
    {"mL", 2, "*="},
    {"mi", 2, "-"},
    {"ml", 2, "*"},
    {"mm", 1, "--"},
    {"na", 3, "new[]"},
    {"ne", 2, "!="},
    {"ng", 1, "-"},
    {"nt", 1, "!"},
    {"nw", 3, "new"},
    {"nx", 1, "noexcept"},
    {"oR", 2, "|="},
    {"oo", 2, "||"},
    {"or", 2, "|"},
    {"pL", 2, "+="},
    {"pl", 2, "+"},
    {"pm", 2, "->*"},
    {"pp", 1, "++"},
    {"ps", 1, "+"},
    {"pt", 2, "->"},
    {"qu", 3, "?"},
    {"rM", 2, "%="},
    {"rS", 2, ">>="},
    {"rc", 2, "reinterpret_cast"},
    {"rm", 2, "%"},
    {"rs", 2, ">>"},
    {"sP", 1, "sizeof..."},
    {"sZ", 1, "sizeof..."},
    {"sc", 2, "static_cast"},
    {"ss", 2, "<=>"},
    {"st", 1, "sizeof "},
    {"sz", 1, "sizeof "},
    {"tr", 0, "throw"},
    {"tw", 1, "throw "},
};

const struct flm_cpp_operator *flm_cpp_find_operator(char first, char second)
{
    size_t low = 0, high = sizeof operators / sizeof *operators;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct flm_cpp_operator *operator= & operators[middle];
        int order =
            first != operator->code[0] ? first - operator->code[0] : second - operator->code[1];
        if (order == 0)
            return operator;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- Types ----------------------------------------------------------------------------------- */

static const struct flm_cpp_builtin builtins[] = {
    ['a' - 'a'] = {"signed char", FLM_CPP_CASTED, ""},
    ['b' - 'a'] = {"bool", FLM_CPP_BOOLEAN, ""},
    ['c' - 'a'] = {"char", FLM_CPP_CASTED, ""},
    ['d' - 'a'] = {"double", FLM_CPP_FLOATING, ""},
    ['e' - 'a'] = {"long double", FLM_CPP_FLOATING, ""},
    ['f' - 'a'] = {"float", FLM_CPP_FLOATING, ""},
    ['g' - 'a'] = {"__float128", FLM_CPP_FLOATING, ""},
    ['h' - 'a'] = {"unsigned char", FLM_CPP_CASTED, ""},
    ['i' - 'a'] = {"int", FLM_CPP_INTEGER, ""},
    ['j' - 'a'] = {"unsigned int", FLM_CPP_INTEGER, "u"},
    ['l' - 'a'] = {"long", FLM_CPP_INTEGER, "l"},
    ['m' - 'a'] = {"unsigned long", FLM_CPP_INTEGER, "ul"},
    ['n' - 'a'] = {"__int128", FLM_CPP_CASTED, ""},
    ['o' - 'a'] = {"unsigned __int128", FLM_CPP_CASTED, ""},
    ['s' - 'a'] = {"short", FLM_CPP_CASTED, ""},
    ['t' - 'a'] = {"unsigned short", FLM_CPP_CASTED, ""},
    ['v' - 'a'] = {"void", FLM_CPP_NOTHING, ""},
    ['w' - 'a'] = {"wchar_t", FLM_CPP_CASTED, ""},
    ['x' - 'a'] = {"long long", FLM_CPP_INTEGER, "ll"},
    ['y' - 'a'] = {"unsigned long long", FLM_CPP_INTEGER, "ull"},
    ['z' - 'a'] = {"...", FLM_CPP_CASTED, ""},
};

const struct flm_cpp_builtin *flm_cpp_find_builtin(char letter)
{
    if (letter < 'a' || letter > 'z' || !builtins[letter - 'a'].text)
        return NULL;
    return &builtins[letter - 'a'];
}

const struct flm_cpp_builtin *flm_cpp_find_builtin_d(char letter)
{
    static const struct flm_cpp_builtin found[] = {
        ['d' - 'a'] = {"decimal64", FLM_CPP_CASTED, ""},
        ['e' - 'a'] = {"decimal128", FLM_CPP_CASTED, ""},
        ['f' - 'a'] = {"decimal32", FLM_CPP_CASTED, ""},
        ['h' - 'a'] = {"half", FLM_CPP_FLOATING, ""},
        ['i' - 'a'] = {"char32_t", FLM_CPP_CASTED, ""},
        ['n' - 'a'] = {"decltype(nullptr)", FLM_CPP_CASTED, ""},
        ['s' - 'a'] = {"char16_t", FLM_CPP_CASTED, ""},
        ['u' - 'a'] = {"char8_t", FLM_CPP_CASTED, ""},
    };
    return letter >= 'a' && letter <= 'u' && found[letter - 'a'].text ? &found[letter - 'a'] : NULL;
}

/* ---- Names ----------------------------------------------------------------------------------- */

const struct flm_cpp_standard *flm_cpp_find_standard(char letter)
{
    static const struct flm_cpp_standard standards[] = {
        {'t', "std", "std", NULL},
        {'a', "std::allocator", "std::allocator", "allocator"},
        {'b', "std::basic_string", "std::basic_string", "basic_string"},
        {'s', "std::string",
         "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string"},
        {'i', "std::istream", "std::basic_istream<char, std::char_traits<char> >", "basic_istream"},
        {'o', "std::ostream", "std::basic_ostream<char, std::char_traits<char> >", "basic_ostream"},
        {'d', "std::iostream", "std::basic_iostream<char, std::char_traits<char> >",
         "basic_iostream"},
    };
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
        if (standards[i].letter == letter)
            return &standards[i];
    return NULL;
}

static const struct {
    char letters[3];
    const char *text;
} specials[] = {
    {"TV", "vtable for "},
    {"TT", "VTT for "},
    {"TI", "typeinfo for "},
    {"TS", "typeinfo name for "},
    {"TF", "typeinfo fn for "},
    {"TJ", "java Class for "},
    {"Th", "non-virtual thunk to "},
    {"Tv", "virtual thunk to "},
    {"Tc", "covariant return thunk to "},
    {"TH", "TLS init function for "},
    {"TW", "TLS wrapper function for "},
    {"TA", "template parameter object for "},
    {"GV", "guard variable for "},
    {"GA", "hidden alias for "},
    {"GT", "transaction clone for "},
    {"Gn", "non-transaction clone for "},
};

int flm_cpp_find_special(char first, char second)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].letters[0] == first && specials[i].letters[1] == second)
            return (int)i;
    return -1;
}

const char *flm_cpp_special_text(int number)
{
    return specials[number].text;
}
