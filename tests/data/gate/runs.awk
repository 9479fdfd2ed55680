# Runs for tests/cli/gate.md: eight as the program was (base), eight with a lexer that needs a tenth
# more and a new function (new), and eight more as it was (same). Values vary by 5 % around a mean.

function put(stack, mean) {
    seed = seed * 16807 % 2147483647
    printf "main;%s %d\n", stack, mean * (0.95 + seed / 21474836470) > file
}

function group(name, grown,    run) {
    for (run = 1; run <= 8; run++) {
        file = name "/" run ".folded"
        put("parse;lex", 4000 * grown)
        put("parse;tree", 900)
        put("wait", 2500)
        put("write;flush", 1200)
        put("write;flush;sync", 300)
        put("start", 150)
        if (grown > 1)
            put("parse;check", 60)
        close(file)
    }
}

BEGIN {
    seed = 4711
    group("base", 1)
    group("new", 1.1)
    group("same", 1)
}
