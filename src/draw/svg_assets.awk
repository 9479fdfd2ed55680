# Scripts and styles as the SVG carries them: without comments that stand on lines of their own,
# blank lines and indentation; without blanks around what separates, in styles.
FILENAME ~ /\.css$/ { style = 1 }
/^[ \t]*\/\*/ { skip = 1 }
skip { if (/\*\//) skip = 0; next }
/^[ \t]*\/\// || /^[ \t]*$/ { next }
{ sub(/^[ \t]+/, "") }
style {
    gsub(/ *{ */, "{"); gsub(/ *} */, "}"); gsub(/: /, ":"); gsub(/; /, ";"); gsub(/, /, ",")
    printf "%s", $0 (/[;{},]$/ ? "" : "\n")
    next
}
{ print }
END { if (style) print "" }
