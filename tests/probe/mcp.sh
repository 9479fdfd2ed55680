#!/bin/sh
# A coding assistant asks about a program that runs: mcp.sh BUILD. With node and the protocol's own client
# (npm install @modelcontextprotocol/sdk, its folder in MCP_SDK or among npm's global ones), that one asks
# too.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) || exit 1
program=
trap 'kill $program 2> /dev/null; rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    FLM_SCOPE("serve");
    for (int i = 0;; i++) {
        FLM_SCOPE("request");
        usleep(1000);
        if (i == 3) {
            puts("ready");
            fflush(stdout);
        }
    }
}
END
$cc -Iinclude "$work/app.c" -o "$work/app" -L"$build" -lflamel-probe || exit 1
mkfifo "$work/ready"

# FLAMEL: start it, until it says that it runs.
start()
{
    FLAMEL=$1 "$work/app" > "$work/ready" &
    program=$!
    read -r line < "$work/ready" && [ "$line" = ready ] || exit 1
}

# TOOL ARGUMENTS: the text that it answers.
ask()
{
    printf '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s", "arguments": {%s}}}\n' \
        "$1" "$2" | "$build/flamel" mcp | sed 's/\\u000a/\n/g'
}

expect()
{
    what=$1
    shift
    grep -q "$what" "$work/answer" && return
    echo "no '$what' in the answer to $*:"
    cat "$work/answer"
    bad=1
}

for where in on "file:$work/app.probe"; do
    start "$where"
    ask tree "\"pid\": $program" > "$work/answer"
    expect '"isError": false' tree "$where"
    expect 'serve$' tree "$where"
    expect 'request$' tree "$where"
    ask report "\"pid\": $program" > "$work/answer"
    expect '^time: how long calls took' sections "$where"
    expect '^threads, the newest first' sections "$where"
    ask report "\"pid\": $program, \"metric\": \"calls\"" > "$work/answer"
    expect ' calls in .* stacks' functions "$where"
    ask live "\"pid\": $program, \"seconds\": 0.3" > "$work/answer"
    expect '"isError": false' live "$where"
    expect 'of wall in ' live "$where"
    expect 'calls in ' live "$where"
    ask live "\"pid\": $program, \"seconds\": 0.2, \"section\": \"time\"" > "$work/answer"
    expect 'Time: .*rates of the last' section "$where"
    expect 'calls *[/]s .* scope' section "$where"
    ask live "\"pid\": $program, \"seconds\": 0.2, \"section\": \"values\"" > "$work/answer"
    expect 'nothing was measured yet' values "$where"
    kill $program
    wait $program 2> /dev/null
done
ask tree "\"pid\": $program" > "$work/answer"
expect "there is no process $program" tree after its end
start off
ask tree "\"pid\": $program" > "$work/answer"
expect "process $program has flamel's probe and does not measure" tree of one that does not measure
kill $program
wait $program 2> /dev/null

# ---- The protocol's own client ----------------------------------------------------------------

sdk=${MCP_SDK:-$(npm root -g 2> /dev/null)/@modelcontextprotocol/sdk}
if ! command -v node > /dev/null || [ ! -f "$sdk/package.json" ]; then
    echo "there is no @modelcontextprotocol/sdk: its client was not asked"
    exit $bad
fi
start on
cat > "$work/client.cjs" << 'END'
const { createRequire } = require('module');
const assert = require('assert');
const [sdk, flamel, pid] = process.argv.slice(2);
const load = createRequire(sdk + '/');
const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
(async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: flamel, args: ['mcp'] }));
    assert.equal(client.getServerVersion().name, 'flamel');
    const { tools } = await client.listTools();
    assert.ok(tools.some(tool => tool.name === 'live' && tool.inputSchema.required[0] === 'pid'));
    await client.ping();
    const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
    const live = await call('live', { pid: +pid, seconds: 0.2 });
    assert.match(live.content[0].text, /request/);
    assert.equal(live.isError, false);
    assert.equal((await call('report', { file: '/nowhere' })).isError, true);
    await assert.rejects(call('report', { depth: 1 }), /no argument 'depth'/);
    const stop = new AbortController();
    const long = call('live', { pid: +pid, seconds: 60 }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await assert.rejects(long);
    assert.equal((await call('tree', { pid: +pid })).isError, false); // it is free again
    await client.close();
})().catch(error => { console.error(error); process.exit(1); });
END
timeout 60 node "$work/client.cjs" "$sdk" "$build/flamel" "$program" || bad=1
exit $bad
