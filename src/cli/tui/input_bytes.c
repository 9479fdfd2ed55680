#include "cli/tui/input_bytes.h"

#include <assert.h>

#include "base/number/number.h"
#include "base/text/utf.h"
#include "viewer/viewer.h"

enum { ESC = 0x1B, MOST_NUMBERS = 6, LONGEST_SEQUENCE = 64, LONGEST_ANSWER = 4096 };

static void set_key(struct flm_tui_event *event, const char *name, unsigned held)
{
    assert(strlen(name) < sizeof event->key);
    event->kind = FLM_TUI_KEY;
    event->held |= held;
    memcpy(event->key, name, strlen(name) + 1);
}

/* Modifier keys, as xterm encodes them: 1 plus a bit for each. */
static unsigned held_of(uint32_t number)
{
    uint32_t bits = number > 0 ? number - 1 : 0;
    return (bits & 1 ? FLM_HELD_SHIFT : 0u) | (bits & 2 ? FLM_HELD_ALT : 0u) |
           (bits & 4 ? FLM_HELD_CONTROL : 0u) | (bits & 8 ? FLM_HELD_COMMAND : 0u);
}

/* ---- Characters ------------------------------------------------------------------------------ */

static void set_character(struct flm_tui_event *event, uint32_t code, unsigned held)
{
    static const struct {
        uint32_t code;
        const char *name;
        unsigned held;
    } named[] = {
        {0x00, " ", FLM_HELD_CONTROL},
        {0x08, "Backspace", FLM_HELD_CONTROL},
        {0x09, "Tab", 0},
        {0x0A, "Enter", 0},
        {0x0D, "Enter", 0},
        {ESC, "Escape", 0},
        {0x1C, "\\", FLM_HELD_CONTROL},
        {0x1D, "]", FLM_HELD_CONTROL},
        {0x1E, "^", FLM_HELD_CONTROL},
        {0x1F, "_", FLM_HELD_CONTROL},
        {0x7F, "Backspace", 0},
    };
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i].code == code) {
            set_key(event, named[i].name, held | named[i].held);
            return;
        }
    char key[5] = {0};
    if (code < 0x20) {
        key[0] = (char)('a' + code - 1);
        set_key(event, key, held | FLM_HELD_CONTROL);
        return;
    }
    flm_utf8_put(code, key);
    set_key(event, key, held | (code >= 'A' && code <= 'Z' ? FLM_HELD_SHIFT : 0u));
}

/* Bytes that are no UTF-8 are Latin-1 only by accident: they mean nothing. */
static size_t decode_character(struct flm_bytes input, bool is_all, unsigned held,
                               struct flm_tui_event *event)
{
    unsigned char first = (unsigned char)input.at[0];
    size_t wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (input.size < wanted && !is_all)
        return 0;
    uint32_t code;
    size_t size = flm_utf8_sequence(input, &code);
    if (size == 0)
        return 1;
    set_character(event, code, held);
    return size;
}

/* ---- Sequences that begin with ESC [ --------------------------------------------------------- */

struct sequence {
    char prefix; /* '<', '?', '>' or '='; 0: none */
    uint32_t number[MOST_NUMBERS];
    size_t count;
    char last; /* what it ends with */
};

/* ESC [ prefix numbers last. Sub-numbers behind a colon are passed over. 0: not complete. */
static size_t read_sequence(struct flm_bytes input, struct sequence *sequence)
{
    *sequence = (struct sequence){0};
    size_t at = 2;
    if (at < input.size && flm_is_one_of(input.at[at], "<?>="))
        sequence->prefix = input.at[at++];
    bool is_sub = false;
    for (; at < input.size && at < LONGEST_SEQUENCE; at++) {
        char byte = input.at[at];
        if (byte >= '0' && byte <= '9') {
            uint32_t *number = &sequence->number[sequence->count];
            if (!is_sub && *number < 100000)
                *number = *number * 10 + (uint32_t)(byte - '0');
        } else if (byte == ':') {
            is_sub = true;
        } else if (byte == ';') {
            is_sub = false;
            sequence->count += sequence->count + 1 < MOST_NUMBERS;
        } else if (byte >= 0x40 && byte <= 0x7E) {
            sequence->last = byte;
            sequence->count++;
            return at + 1;
        } else if (byte < 0x20) {
            return at; /* broken off: what follows is something else */
        }
    }
    return at >= LONGEST_SEQUENCE ? at : 0;
}

static const char *key_of_letter(char letter)
{
    static const char *const names[][2] = {
        {"A", "ArrowUp"}, {"B", "ArrowDown"}, {"C", "ArrowRight"}, {"D", "ArrowLeft"},
        {"H", "Home"},    {"F", "End"},       {"P", "F1"},         {"Q", "F2"},
        {"R", "F3"},      {"S", "F4"},        {"M", "Enter"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i][0][0] == letter)
            return names[i][1];
    return NULL;
}

static const char *key_of_number(uint32_t number)
{
    static const char *const names[] = {
        [1] = "Home",     [2] = "Insert", [3] = "Delete", [4] = "End",  [5] = "PageUp",
        [6] = "PageDown", [7] = "Home",   [8] = "End",    [11] = "F1",  [12] = "F2",
        [13] = "F3",      [14] = "F4",    [15] = "F5",    [17] = "F6",  [18] = "F7",
        [19] = "F8",      [20] = "F9",    [21] = "F10",   [23] = "F11", [24] = "F12"};
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

static void decode_mouse(const struct sequence *sequence, struct flm_tui_event *event)
{
    enum { SHIFT = 4, ALT = 8, CONTROL = 16, MOVED = 32, WHEEL = 64, FURTHER = 128 };
    uint32_t code = sequence->number[0];
    if (sequence->count < 3 || code & FURTHER || sequence->number[1] == 0 ||
        sequence->number[2] == 0)
        return;
    event->column = (int)sequence->number[1] - 1;
    event->row = (int)sequence->number[2] - 1;
    event->held = (code & SHIFT ? FLM_HELD_SHIFT : 0u) | (code & ALT ? FLM_HELD_ALT : 0u) |
                  (code & CONTROL ? FLM_HELD_CONTROL : 0u);
    event->button = (int)(code & 3);
    if (code & WHEEL) {
        if (sequence->last == 'm')
            return;
        event->kind = FLM_TUI_WHEEL;
        event->wheel_y = event->button == 0 ? -1 : event->button == 1 ? 1 : 0;
        event->wheel_x = event->button == 2 ? -1 : event->button == 3 ? 1 : 0;
    } else if (code & MOVED) {
        event->kind = FLM_TUI_POINTER_MOVE;
    } else {
        event->kind = sequence->last == 'm' ? FLM_TUI_POINTER_UP : FLM_TUI_POINTER_DOWN;
    }
}

/* ESC [ 2 0 0 ~ text ESC [ 2 0 1 ~ */
static size_t decode_paste(struct flm_bytes input, size_t start, bool is_all,
                           struct flm_tui_event *event)
{
    static const char end[] = "\033[201~";
    size_t size = sizeof end - 1;
    for (size_t at = start; at + size <= input.size; at++)
        if (memcmp(input.at + at, end, size) == 0) {
            event->kind = FLM_TUI_PASTE;
            event->text = (struct flm_bytes){input.at + start, at - start};
            return at + size;
        }
    if (!is_all)
        return 0;
    event->kind = FLM_TUI_PASTE; /* its end was lost */
    event->text = (struct flm_bytes){input.at + start, input.size - start};
    return input.size;
}

static size_t decode_sequence(struct flm_bytes input, bool is_all, struct flm_tui_event *event)
{
    enum { PASTE = 200, OTHER_KEYS = 27, OLD_MOUSE = 3 };
    struct sequence s;
    size_t size = read_sequence(input, &s);
    if (size == 0)
        return is_all ? input.size : 0;
    if (s.prefix == '<' && (s.last == 'M' || s.last == 'm')) {
        decode_mouse(&s, event);
    } else if (s.prefix == '?' && s.last == 'c') {
        event->kind = FLM_TUI_DEVICE;
    } else if (s.prefix || !s.last) {
        return size;
    } else if (s.last == 'M' && s.count == 1 && s.number[0] == 0) {
        return input.size >= size + OLD_MOUSE ? size + OLD_MOUSE : is_all ? input.size : 0;
    } else if (s.last == 'I' || s.last == 'O') {
        event->kind = s.last == 'I' ? FLM_TUI_FOCUS : FLM_TUI_BLUR;
    } else if (s.last == 'Z') {
        set_key(event, "Tab", FLM_HELD_SHIFT);
    } else if (s.last == '~' && s.number[0] == PASTE) {
        return decode_paste(input, size, is_all, event);
    } else if (s.last == '~' && s.number[0] == OTHER_KEYS && s.count == 3) {
        set_character(event, s.number[2], held_of(s.number[1]));
    } else if (s.last == 'u') {
        set_character(event, s.number[0], held_of(s.number[1]));
    } else if (s.last == '~' && key_of_number(s.number[0])) {
        set_key(event, key_of_number(s.number[0]), held_of(s.number[1]));
    } else if (s.last != '~' && key_of_letter(s.last)) {
        set_key(event, key_of_letter(s.last), held_of(s.count > 1 ? s.number[1] : 0));
    }
    return size;
}

/* ---- Reports of the terminal ----------------------------------------------------------------- */

/* "ffff", "ff" or "f" as a byte. */
static bool read_level(struct flm_bytes text, uint32_t *level)
{
    uint32_t value = 0, most = 0;
    for (size_t i = 0; i < text.size; i++) {
        int digit = flm_hex_value(text.at[i]);
        if (digit < 0 || text.size > 4)
            return false;
        value = value * 16 + (uint32_t)digit;
        most = most * 16 + 15;
    }
    *level = most ? value * 255 / most : 0;
    return most > 0;
}

/* "11;rgb:ffff/ffff/ffff" */
static void decode_color(struct flm_bytes text, struct flm_tui_event *event)
{
    static const char start[] = "11;rgb:";
    if (!flm_bytes_start_with(text, start))
        return;
    size_t at = sizeof start - 1;
    uint32_t rgb = 0;
    for (int i = 0; i < 3; i++) {
        size_t end = at;
        while (end < text.size && text.at[end] != '/')
            end++;
        uint32_t level;
        if (!read_level((struct flm_bytes){text.at + at, end - at}, &level))
            return;
        rgb = rgb << 8 | level;
        at = end < text.size ? end + 1 : end;
    }
    event->kind = FLM_TUI_BACKGROUND;
    event->rgb = rgb;
}

/* ESC ] ... and ESC P ... up to BEL or ESC \. */
static size_t decode_report(struct flm_bytes input, bool is_all, struct flm_tui_event *event)
{
    for (size_t at = 2; at < input.size && at < LONGEST_ANSWER; at++) {
        bool is_end = input.at[at] == ESC && at + 1 < input.size && input.at[at + 1] == '\\';
        if (input.at[at] != '\a' && !is_end)
            continue;
        if (input.at[1] == ']')
            decode_color((struct flm_bytes){input.at + 2, at - 2}, event);
        return at + (is_end ? 2 : 1);
    }
    return is_all || input.size >= LONGEST_ANSWER ? input.size : 0;
}

size_t flm_tui_decode(struct flm_bytes input, bool is_all, struct flm_tui_event *event)
{
    *event = (struct flm_tui_event){.kind = FLM_TUI_NOTHING};
    if (input.size == 0)
        return 0;
    if (input.at[0] != ESC)
        return decode_character(input, is_all, 0, event);
    if (input.size == 1) {
        if (is_all)
            set_key(event, "Escape", 0);
        return is_all;
    }
    char second = input.at[1];
    if (input.size == 2 && is_all) { /* no sequence, for nothing follows: alt and a letter */
        if (second == ESC) {
            set_key(event, "Escape", 0);
            return 1;
        }
    } else if (second == '[') {
        return decode_sequence(input, is_all, event);
    } else if (second == 'O') {
        if (input.size < 3)
            return 0;
        if (key_of_letter(input.at[2]))
            set_key(event, key_of_letter(input.at[2]), 0);
        return 3;
    } else if (second == ']' || second == 'P') {
        return decode_report(input, is_all, event);
    } else if (second == ESC) { /* twice the key; or the key, and then a sequence */
        set_key(event, "Escape", 0);
        return 1;
    }
    size_t size = decode_character((struct flm_bytes){input.at + 1, input.size - 1}, is_all,
                                   FLM_HELD_ALT, event);
    return size ? size + 1 : 0;
}
