# Scripts and styles as the SVG carries them: without comments that stand on lines of their own,
# blank lines and indentation, and without blanks around what separates. Modules of a script are put
# behind each other, so what they import is there, and nothing is exported.
#
# A line of a script in which a blank may mean something else (a pattern, a comment, a template of
# more than one line, or with another in it) stays as it is.
function is_word(letter) { return letter ~ /[A-Za-z0-9_$]/ || letter > "~" }
function may_mean_more(line)
{
    gsub(/ \/ /, "", line) # divided by
    return line ~ /\// || line ~ /`.*`.*`/ || line ~ /^[^`]*`[^`]*$/
}
function without_blanks(line,    out, at, letter, quote, last, next_one)
{
    out = quote = last = ""
    for (at = 1; at <= length(line); at++) {
        letter = substr(line, at, 1)
        if (quote != "") {
            if (letter == "\\") {
                out = out letter
                letter = substr(line, ++at, 1)
            } else if (letter == quote) {
                quote = ""
            }
        } else if (letter ~ /[\047"`]/) {
            quote = letter
        } else if (letter == " ") {
            next_one = substr(line, at + 1, 1)
            if (!(is_word(last) && is_word(next_one)) && !(last == next_one && last ~ /[-+]/))
                continue
        }
        out = out letter
        last = letter
    }
    return out
}
FILENAME ~ /\.css$/ { style = 1 }
/^[ \t]*\/\*/ { skip = 1 }
skip { if (/\*\//) skip = 0; next }
/^[ \t]*\/\// || /^[ \t]*$/ { next }
!style && /^import / { import = 1 }
import { if (/;/) import = 0; next }
!style { sub(/^export (default )?/, "") }
{ sub(/^[ \t]+/, "") }
style {
    gsub(/ *{ */, "{"); gsub(/ *} */, "}"); gsub(/: /, ":"); gsub(/; /, ";"); gsub(/, /, ",")
    printf "%s", $0 (/[;{},]$/ ? "" : "\n")
    next
}
# The end of the line before.
{ printf "%s", (template || !/^[]).?:&|}]/ || comment ? ends : "") }
template || may_mean_more($0) {
    printf "%s", $0
    ends = "\n"
    comment = /\/\//
    template = (template + gsub(/`/, "`")) % 2
    next
}
{
    $0 = without_blanks($0)
    printf "%s", $0
    comment = 0
    ends = /([;{,([?:=&|]|=>)$/ ? "" : "\n"
}
END { print "" }
