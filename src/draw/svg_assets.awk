# Scripts and styles as the SVG carries them: without lines that are comments, blank lines and
# indentation. The sources keep their comments on lines of their own.
/^[ \t]*\/\*/ { skip = 1 }
skip { if (/\*\//) skip = 0; next }
/^[ \t]*\/\// || /^[ \t]*$/ { next }
{ sub(/^[ \t]+/, ""); print }
