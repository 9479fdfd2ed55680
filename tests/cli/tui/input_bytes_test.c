#include "cli/tui/input_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "viewer/viewer.h"

static struct flm_tui_event decode(const char *bytes)
{
    struct flm_tui_event event;
    struct flm_bytes input = flm_bytes_of(bytes);
    assert_int_equal(flm_tui_decode(input, true, &event), input.size);
    return event;
}

static void keys_have_the_names_that_browsers_give_them(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *key;
        unsigned held;
    } keys[] = {
        {"a", "a", 0},
        {"A", "A", FLM_HELD_SHIFT},
        {"+", "+", 0},
        {" ", " ", 0},
        {"\xC3\xBC", "\xC3\xBC", 0},
        {"\xF0\x9F\x94\xA5", "\xF0\x9F\x94\xA5", 0},
        {"\r", "Enter", 0},
        {"\n", "Enter", 0},
        {"\t", "Tab", 0},
        {"\x7F", "Backspace", 0},
        {"\x08", "Backspace", FLM_HELD_CONTROL},
        {"\x01", "a", FLM_HELD_CONTROL},
        {"\x1A", "z", FLM_HELD_CONTROL},
        {"\x1C", "\\", FLM_HELD_CONTROL},
        {"\x1F", "_", FLM_HELD_CONTROL},
        {"\033", "Escape", 0},
        {"\033a", "a", FLM_HELD_ALT},
        {"\033A", "A", FLM_HELD_ALT | FLM_HELD_SHIFT},
        {"\033\x7F", "Backspace", FLM_HELD_ALT},
        {"\033\r", "Enter", FLM_HELD_ALT},
        {"\033[", "[", FLM_HELD_ALT}, /* when nothing follows */
        {"\033O", "O", FLM_HELD_ALT | FLM_HELD_SHIFT},
        {"\033[A", "ArrowUp", 0},
        {"\033[B", "ArrowDown", 0},
        {"\033OC", "ArrowRight", 0},
        {"\033OD", "ArrowLeft", 0},
        {"\033[H", "Home", 0},
        {"\033OF", "End", 0},
        {"\033[1~", "Home", 0},
        {"\033[4~", "End", 0},
        {"\033[3~", "Delete", 0},
        {"\033[5~", "PageUp", 0},
        {"\033[6~", "PageDown", 0},
        {"\033OR", "F3", 0},
        {"\033[13~", "F3", 0},
        {"\033[1;2R", "F3", FLM_HELD_SHIFT},
        {"\033[24~", "F12", 0},
        {"\033[1;2D", "ArrowLeft", FLM_HELD_SHIFT},
        {"\033[1;3D", "ArrowLeft", FLM_HELD_ALT},
        {"\033[1;6C", "ArrowRight", FLM_HELD_SHIFT | FLM_HELD_CONTROL},
        {"\033[3;5~", "Delete", FLM_HELD_CONTROL},
        {"\033[Z", "Tab", FLM_HELD_SHIFT},
        {"\033[27;5;97~", "a", FLM_HELD_CONTROL},
        {"\033[97;5u", "a", FLM_HELD_CONTROL},
        {"\033[27u", "Escape", 0},
        {"\033[13;2u", "Enter", FLM_HELD_SHIFT},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct flm_tui_event event = decode(keys[i].bytes);
        assert_int_equal(event.kind, FLM_TUI_KEY);
        assert_string_equal(event.key, keys[i].key);
        assert_int_equal(event.held, keys[i].held);
    }
}

static void the_mouse_is_told_in_cells(void **state)
{
    (void)state;
    struct flm_tui_event event = decode("\033[<0;3;4M");
    assert_int_equal(event.kind, FLM_TUI_POINTER_DOWN);
    assert_int_equal(event.column, 2);
    assert_int_equal(event.row, 3);
    assert_int_equal(event.button, 0);
    event = decode("\033[<2;3;4m");
    assert_int_equal(event.kind, FLM_TUI_POINTER_UP);
    assert_int_equal(event.button, 2);
    event = decode("\033[<35;300;1M");
    assert_int_equal(event.kind, FLM_TUI_POINTER_MOVE);
    assert_int_equal(event.button, 3);
    assert_int_equal(event.column, 299);
    event = decode("\033[<32;1;1M");
    assert_int_equal(event.kind, FLM_TUI_POINTER_MOVE);
    assert_int_equal(event.button, 0);
    event = decode("\033[<64;1;1M");
    assert_int_equal(event.kind, FLM_TUI_WHEEL);
    assert_int_equal(event.wheel_y, -1);
    event = decode("\033[<69;1;1M");
    assert_int_equal(event.wheel_y, 1);
    assert_int_equal(event.held, FLM_HELD_SHIFT);
    event = decode("\033[<67;1;1M");
    assert_int_equal(event.wheel_x, 1);
    assert_int_equal(event.wheel_y, 0);
}

static void what_is_pasted_is_one_text(void **state)
{
    (void)state;
    struct flm_tui_event event = decode("\033[200~parse\033[A_json\033[201~");
    assert_int_equal(event.kind, FLM_TUI_PASTE);
    assert_true(flm_bytes_are(event.text, "parse\033[A_json"));
    event = decode("\033[200~\033[201~");
    assert_int_equal(event.kind, FLM_TUI_PASTE);
    assert_int_equal(event.text.size, 0);
}

static void answers_are_no_keys(void **state)
{
    (void)state;
    struct flm_tui_event event = decode("\033]11;rgb:fbfb/8080/0000\033\\");
    assert_int_equal(event.kind, FLM_TUI_BACKGROUND);
    assert_int_equal(event.rgb, 0xFB8000);
    event = decode("\033]11;rgb:f/8/0\a");
    assert_int_equal(event.kind, FLM_TUI_BACKGROUND);
    assert_int_equal(event.rgb, 0xFF8800);
    assert_int_equal(decode("\033]11;rgb:xx/8/0\a").kind, FLM_TUI_NOTHING);
    assert_int_equal(decode("\033]11;rgb:ff\a").kind, FLM_TUI_NOTHING);
    assert_int_equal(decode("\033]52;c;YWJj\033\\").kind, FLM_TUI_NOTHING);
    assert_int_equal(decode("\033P1$r0m\033\\").kind, FLM_TUI_NOTHING);
    assert_int_equal(decode("\033[?62;22c").kind, FLM_TUI_DEVICE);
    assert_int_equal(decode("\033[I").kind, FLM_TUI_FOCUS);
    assert_int_equal(decode("\033[O").kind, FLM_TUI_BLUR);
}

static void unknown_sequences_are_passed_over_as_a_whole(void **state)
{
    (void)state;
    static const char *const sequences[] = {
        "\033[99~",  "\033[1;2y",      "\033[?1;2$y",  "\033[>0;276;0c", "\033Ox",
        "\033[M !!", "\033[<128;1;1M", "\033[<0;0;0M", "\033[<0;1M",     "\033[<64;1;1m"};
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        assert_int_equal(decode(sequences[i]).kind, FLM_TUI_NOTHING);
}

/* The same event, however the bytes are cut; until it is complete there is none. */
static void a_sequence_may_come_in_pieces(void **state)
{
    (void)state;
    static const char *const sequences[] = {"\033[A",
                                            "\033OC",
                                            "\033[1;5D",
                                            "\033[<35;120;40M",
                                            "\033[200~text\033[201~",
                                            "\xC3\xBC",
                                            "\033[27;5;97~",
                                            "\033[?62c",
                                            "\033]11;rgb:ff/ff/ff\033\\",
                                            "\033\xC3\xBC",
                                            "\033[M !!"};
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        for (size_t size = 1; size < strlen(sequences[i]); size++) {
            struct flm_tui_event event;
            struct flm_bytes piece = {sequences[i], size};
            assert_int_equal(flm_tui_decode(piece, false, &event), 0);
        }
}

static void an_escape_before_a_sequence_is_a_key(void **state)
{
    (void)state;
    struct flm_tui_event event;
    assert_int_equal(flm_tui_decode(flm_bytes_of("\033\033[A"), false, &event), 1);
    assert_string_equal(event.key, "Escape");
    assert_int_equal(flm_tui_decode(flm_bytes_of("\033\033"), true, &event), 1);
    assert_string_equal(event.key, "Escape");
}

static void any_bytes_come_to_an_end(void **state)
{
    (void)state;
    static const char often[] = "\033[]O<;:0159~MmuA\a\\P?\xC3\xF0";
    uint64_t seed = 3;
    for (int round = 0; round < 20000; round++) {
        char bytes[40];
        size_t size = 1 + random_below(&seed, sizeof bytes), at = 0;
        for (size_t i = 0; i < size; i++)
            bytes[i] = random_below(&seed, 4) ? often[random_below(&seed, sizeof often - 1)]
                                              : (char)random_below(&seed, 256);
        while (at < size) {
            struct flm_tui_event event;
            size_t taken = flm_tui_decode((struct flm_bytes){bytes + at, size - at}, true, &event);
            assert_in_range(taken, 1, size - at);
            if (event.kind == FLM_TUI_KEY)
                assert_in_range(strlen(event.key), 1, FLM_TUI_KEY_SIZE - 1);
            at += taken;
        }
    }
}

/* A terminal that sends without end does not fill the memory of who waits for the end. */
static void a_sequence_without_end_is_given_up(void **state)
{
    (void)state;
    char bytes[8192];
    struct flm_tui_event event;
    memset(bytes, '1', sizeof bytes);
    memcpy(bytes, "\033[", 2);
    assert_true(flm_tui_decode((struct flm_bytes){bytes, sizeof bytes}, false, &event) > 0);
    memcpy(bytes, "\033]", 2);
    assert_true(flm_tui_decode((struct flm_bytes){bytes, sizeof bytes}, false, &event) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_the_names_that_browsers_give_them),
        cmocka_unit_test(the_mouse_is_told_in_cells),
        cmocka_unit_test(what_is_pasted_is_one_text),
        cmocka_unit_test(answers_are_no_keys),
        cmocka_unit_test(unknown_sequences_are_passed_over_as_a_whole),
        cmocka_unit_test(a_sequence_may_come_in_pieces),
        cmocka_unit_test(an_escape_before_a_sequence_is_a_key),
        cmocka_unit_test(any_bytes_come_to_an_end),
        cmocka_unit_test(a_sequence_without_end_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
