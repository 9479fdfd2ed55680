#!/bin/sh
# The jobs of docs/ci.md: they are YAML, their scripts are shell, and the options that they give to
# flamel are options. ci.sh FLAMEL

cd "$(dirname "$0")/../.." || exit 1
flamel=$1
python3 -c 'import yaml' 2> /dev/null || {
    echo 'there is no python3 with yaml'
    exit 77
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

python3 - docs/ci.md "$work" << 'END' || exit 1
import re, sys, yaml

def scripts(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ('run', 'script', 'after_script'):
                yield from inner if isinstance(inner, list) else [inner]
            else:
                yield from scripts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from scripts(inner)

with open(sys.argv[1]) as page:
    blocks = re.findall(r'^```yaml\n(.*?)^```', page.read(), re.S | re.M)
assert len(blocks) == 7, 'there are %d jobs' % len(blocks)
count = 0
for block in blocks:
    for script in scripts(yaml.safe_load(block)):
        count += 1
        with open('%s/%d.sh' % (sys.argv[2], count), 'w') as out:
            out.write(re.sub(r'\$\{\{.*?\}\}', 'value', script) + '\n')
assert count > 10, 'there are %d scripts' % count
END

bad=0
for script in "$work"/*.sh; do
    sh -n "$script" || bad=1
    # Each command on one line, and its long options.
    sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' "$script" | grep -o 'flamel \(gate\|record\) .*' |
        while read -r _ command words; do
            "$flamel" "$command" --help > "$work/help"
            for word in $words; do
                case $word in
                --) break ;;
                --* | -?) grep -q -e "^ .*$word\b" "$work/help" ||
                    echo "flamel $command has no option $word" ;;
                esac
            done
        done > "$work/wrong"
    [ ! -s "$work/wrong" ] || { cat "$work/wrong"; bad=1; }
done
exit $bad
