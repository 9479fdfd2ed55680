# Profiles of thirty nights for tests/cli/series.md: from the 13th on the lexer needs a fifth more,
# from the 22nd on there is a new function; and of thirty without any change. Values vary by 5 %
# around a mean.

function put(stack, mean) {
    seed = seed * 16807 % 2147483647
    printf "main;%s %d\n", stack, mean * (0.95 + seed / 21474836470) > file
}

function nights(name, changes,    night) {
    for (night = 1; night <= 30; night++) {
        file = sprintf("%s/%02d.folded", name, night)
        put("parse;lex", changes && night >= 13 ? 4800 : 4000)
        put("parse;tree", 900)
        put("wait", 2500)
        put("write;flush", 1200)
        put("write;flush;sync", 300)
        put("start", 150)
        if (changes && night >= 22)
            put("parse;check", 60)
        close(file)
    }
}

BEGIN {
    seed = 4711
    nights("nights", 1)
    nights("calm", 0)
}
