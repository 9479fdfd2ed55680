#!/bin/bash
# Runs the shell steps of the actions in ci/github and of the component of GitLab in templates/ unchanged, on two programs of
# which one is slower, with the environment variables that the two services set. `gh` and `curl` are stubs that keep comments
# and artifacts in files, because a test cannot use the services. ci_components.sh FLAMEL

cd "$(dirname "$0")/../.." || exit 1
root=$PWD flamel=$(realpath "$1")
python3 -c 'import yaml' 2> /dev/null || { echo 'there is no python3 with yaml'; exit 77; }
for program in git jq; do
    command -v $program > /dev/null || { echo "there is no $program"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail()
{
    echo "$1"
    exit 1
}

# ---- What a service does with these files ---------------------------------------------------------

# step FILE NAME [INPUT=VALUE | steps.ID.outputs.NAME=VALUE]...: the script of a step, behind the variables that it is given.
cat > "$work/step.py" << 'END'
import re, shlex, sys, yaml

path, name, *given = sys.argv[1:]
action = yaml.safe_load(open(path))
inputs = {key: str(value.get('default', '')) for key, value in action['inputs'].items()}
known = set(inputs)
outputs = dict(word.split('=', 1) for word in given if word.startswith('steps.'))
given = [word for word in given if not word.startswith('steps.')]
inputs.update(word.split('=', 1) for word in given)
assert set(inputs) == known, 'inputs that the action does not have'
assert all(word.split('=', 1)[0] in dict(w.split('=', 1) for w in given) or not value.get('required')
           for word, value in [(k + '=', v) for k, v in action['inputs'].items()]), 'a required input is missing'
step = next(s for s in action['runs']['steps'] if s.get('name') == name)
def expand(text):
    text = re.sub(r'\$\{\{ *inputs\.(\w+) *\}\}', lambda m: inputs[m.group(1)], str(text))
    return re.sub(r'\$\{\{ *(steps\.[\w.]+) *\}\}', lambda m: outputs[m.group(1)], text)
for key, value in step.get('env', {}).items():
    value = expand(value)
    if '${{' not in value:
        print('export %s=%s' % (key, shlex.quote(value)))
print(expand(step['run']))
END
# job INPUT=VALUE...: script and after_script of the GitLab job.
cat > "$work/job.py" << 'END'
import sys, yaml

head, text = open('templates/gate.yml').read().split('\n---\n')
spec = yaml.safe_load(head)['spec']['inputs']
inputs = {key: str(value.get('default', '')) for key, value in spec.items()}
inputs.update(word.split('=', 1) for word in sys.argv[2:])
for key, value in inputs.items():
    text = text.replace('$[[ inputs.%s ]]' % key, value)
assert '$[[' not in text, 'an input that is not in the spec'
(name, job), = yaml.safe_load(text).items()
for key, value in job['variables'].items():
    print("export %s='%s'" % (key, value))
print('CI_JOB_NAME=%s' % name)
print('\n'.join(job[sys.argv[1]]))
END
mkdir "$work/bin" "$work/comments"
ln -s "$flamel" "$work/bin/flamel"
# gh api [--paginate] [--method M] PATH [-F body=@FILE] [--jq EXPRESSION] [--silent]
# gh run download RUN --repo REPO --name NAME --dir FOLDER
cat > "$work/bin/gh" << 'END'
#!/bin/bash
[ -n "$GH_TOKEN" ] || exit 1
if [ "$1 $2 $4 $6 $8" = 'run download --repo --name --dir' ]; then
    cp -r "$ARTIFACTS/$3/$7" "$9"
    exit
fi
[ "$1" = api ] || exit 1
method=GET path= body= jq=
shift
while [ $# -gt 0 ]; do
    case $1 in
    --method) method=$2; shift ;;
    --jq) jq=$2; shift ;;
    -F) body=${2#body=@}; shift ;;
    --*) ;;
    *) path=$1 ;;
    esac
    shift
done
case $method:$path in
GET:repos/o/r/pulls/7) echo 0123abc ;;
GET:repos/o/r/actions/artifacts\?name=*) jq -r "$jq" "$ARTIFACTS/list.json" ;;
GET:repos/o/r/issues/7/comments) grep -l '^<!-- flamel gate: performance -->' "$COMMENTS"/* 2> /dev/null | xargs -r -n 1 basename ;;
POST:repos/o/r/issues/7/comments) cp "$body" "$COMMENTS/$((100 + $(ls "$COMMENTS" | wc -l)))" ;;
PATCH:repos/o/r/issues/comments/*) [ -e "$COMMENTS/${path##*/}" ] && cp "$body" "$COMMENTS/${path##*/}" ;;
*) echo "no $method $path" >&2; exit 1 ;;
esac
END
cat > "$work/bin/curl" << 'END'
#!/bin/bash
method=GET url= body= output=
while [ $# -gt 0 ]; do
    case $1 in
    --get) get=1 ;;
    --header) shift ;;
    --output) output=$2; shift ;;
    --request) method=$2; shift ;;
    --data-urlencode) body=${2#body@}; [ $method = PUT ] || [ -n "$get" ] || method=POST; shift ;;
    --*) ;;
    *) url=$1 ;;
    esac
    shift
done
notes=https://gitlab.example/api/v4/projects/3/merge_requests/5/notes
case $method:$url in
GET:$notes\?per_page=100)
    python3 -c 'import json, os, sys
print(json.dumps([{"id": int(n), "body": open(os.path.join(sys.argv[1], n)).read()} for n in sorted(os.listdir(sys.argv[1]))]))' "$COMMENTS" ;;
GET:https://gitlab.example/api/v4/projects/3/jobs/artifacts/main/download)
    [ "$body" = job=performance ] && [ -f "$ARTIFACTS/main.zip" ] && cp "$ARTIFACTS/main.zip" "$output" ;;
POST:$notes) cp "$body" "$COMMENTS/$((100 + $(ls "$COMMENTS" | wc -l)))" ;;
PUT:$notes/*) [ -e "$COMMENTS/${url##*/}" ] && cp "$body" "$COMMENTS/${url##*/}" ;;
*) echo "no $method $url" >&2; exit 1 ;;
esac
END
chmod +x "$work/bin/gh" "$work/bin/curl"
mkdir "$work/artifacts"
export PATH=$work/bin:$PATH COMMENTS=$work/comments ARTIFACTS=$work/artifacts

# ---- Runs -----------------------------------------------------------------------------------------

mkdir -p "$work/app/base" "$work/app/new" "$work/app/same" && cd "$work/app" || exit 1
awk -f "$root/tests/data/gate/runs.awk" || exit 1
export GITHUB_OUTPUT=$work/output GITHUB_STEP_SUMMARY=$work/summary GITHUB_REPOSITORY=o/r RUNNER_TEMP=$work
export GITHUB_REF=refs/pull/7/merge
step()
{
    (cd "$root" && python3 "$work/step.py" "ci/github/$1/action.yml" "${@:2}") > "$work/script" || exit 1
    GITHUB_ACTION_PATH=$root/ci/github/$1 bash --noprofile --norc -eo pipefail "$work/script"
}

# ---- GitHub ---------------------------------------------------------------------------------------

step gate 'install flamel' base=- new=- | grep -q '^flamel ' || fail 'flamel is not found'
step gate gate 'base=base/*' 'new=new/*' recorded=true 'options=--min-effect 0.2%' > "$work/log" 2>&1
[ $? = 1 ] || fail "a regression does not fail: $(cat "$work/log")"
grep -qx 'verdict=FAIL' "$work/output" && grep -q '^sentence=lex grew by' "$work/output" || fail "outputs: $(cat "$work/output")"
grep -q '### flamel gate: FAIL' "$work/summary" || fail 'no summary'
for file in verdict.md verdict.json junit.xml report.html pull_request; do
    [ -s flamel-gate/$file ] || fail "there is no $file"
done
for _ in 1 2; do
    GH_TOKEN=t step gate comment base=- new=- || fail 'no comment'
done
[ "$(ls "$COMMENTS")" = 100 ] || fail "comments: $(ls "$COMMENTS")"
grep -q 'flamel gate: FAIL' "$COMMENTS/100" || fail 'the comment has no verdict'

step gate gate 'base=base/*' 'new=same/*' recorded=true > "$work/log" 2>&1 || fail "no regression fails: $(cat "$work/log")"
tail -n 2 "$work/output" | grep -qx 'verdict=PASS' || fail 'no PASS'
HEAD_SHA=0123abc GH_TOKEN=t step comment comment || fail 'no comment from another workflow'
grep -q 'flamel gate: PASS' "$COMMENTS/100" || fail 'the comment was not updated'
echo '# mine' > flamel-gate/verdict.md
HEAD_SHA=456def GH_TOKEN=t step comment comment > "$work/log" && fail 'another pull request is commented'
grep -q mine "$COMMENTS"/* && fail 'another pull request is commented'
few=$(echo base/* | cut -d ' ' -f 1-3)
step gate gate "base=$few" "new=$few" recorded=true > "$work/log" 2>&1
[ $? = 3 ] || fail "too few runs are judged: $(cat "$work/log")"
step gate gate "base=$few" "new=$few" recorded=true inconclusive=pass > "$work/log" 2>&1 || fail 'inconclusive=pass fails'

# ---- Both record, where that is allowed -------------------------------------------------------------

# Programs that are the same may be noisy.
judged()
{
    [ "$1" = 0 ] || [ "$1" = 3 ]
}
if flamel record -q -o "$work/allowed.flm" -- true 2> /dev/null; then
    printf '#!/bin/sh\ni=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done\n' > app.sh
    chmod +x app.sh
    step gate gate base=./app.sh new=./app.sh runs=7 > "$work/log" 2>&1
    judged $? && grep -q '7 runs' flamel-gate/verdict.md || fail "recorded: $(cat "$work/log")"

    # A push keeps its runs; a pull request takes those of its base branch, and never those of a fork.
    kept()
    {
        step gate "$1" new=./app.sh kept=true runs=7 "${@:2}" > "$work/log" 2>&1
    }
    kept record && [ "$(ls flamel-runs | wc -l)" = 7 ] || fail "kept: $(cat "$work/log")"
    artifact=$(sed -n 's/^artifact=//p' "$work/output" | tail -n 1)
    case $artifact in performance-runs-????????) ;; *) fail "an artifact called '$artifact'" ;; esac
    export BASE_REF=main BASE_SHA=b1 GH_TOKEN=t
    run_of()
    {
        printf '{"expired": %s, "created_at": "2026-01-0%sT00:00:00Z", "workflow_run": {"id": %s, "head_branch": "%s",' "$2" "$1" "$1" "$3"
        printf '"repository_id": 1, "head_repository_id": %s, "head_sha": "%s"}}' "$4" "$5"
    }
    printf '{"artifacts": [%s]}' "$(run_of 8 false main 2 b1)" > "$ARTIFACTS/list.json"
    kept 'runs of the base branch' "steps.record.outputs.artifact=$artifact" || fail "no baseline: $(cat "$work/log")"
    kept gate
    [ $? = 3 ] && grep -q 'no runs of the base branch' flamel-gate/verdict.md && tail -n 2 "$work/output" | grep -qx verdict=INCONCLUSIVE ||
        fail "nothing is kept, and that is judged: $(cat "$work/log")"
    kept gate inconclusive=pass || fail 'the first pull request cannot pass'
    printf '{"artifacts": [%s, %s, %s, %s, %s, %s]}' "$(run_of 1 false main 1 b1)" "$(run_of 3 true main 1 b1)" \
        "$(run_of 4 false main 1 b0)" "$(run_of 5 false other 1 b1)" "$(run_of 6 false main 2 b1)" "$(run_of 7 true main 1 b2)" > "$ARTIFACTS/list.json"
    for wanted in 1:b1 4:gone; do
        rm -rf "$ARTIFACTS"/[0-9]* && mkdir "$ARTIFACTS/${wanted%:*}" && cp -r flamel-runs "$ARTIFACTS/${wanted%:*}/$artifact"
        BASE_SHA=${wanted#*:} kept 'runs of the base branch' "steps.record.outputs.artifact=$artifact" ||
            fail "not the runs of $wanted: $(cat "$work/log")"
    done
    kept gate
    judged $? && grep -q '7 runs' flamel-gate/verdict.md || fail "judged by kept runs: $(cat "$work/log")"
    unset GH_TOKEN

    rm -rf "$COMMENTS"/* base
    git init -q . && git add app.sh && git -c user.name=t -c user.email=t@example.org commit -qm app || exit 1
    export CI_MERGE_REQUEST_DIFF_BASE_SHA CI_API_V4_URL=https://gitlab.example/api/v4 CI_PROJECT_ID=3 CI_MERGE_REQUEST_IID=5
    CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD)
    job()
    {
        (cd "$root" && python3 "$work/job.py" "$1" new=./app.sh runs=7 "${@:2}") > "$work/script" || exit 1
        FLAMEL_TOKEN=t bash -eo pipefail "$work/script"
    }
    job script base=base/app.sh > "$work/log" 2>&1
    judged $? || fail "the job: $(cat "$work/log")"
    for _ in 1 2; do
        job after_script base=base/app.sh || fail 'no note'
    done
    [ "$(ls "$COMMENTS")" = 100 ] && grep -q '### flamel gate: ' "$COMMENTS/100" || fail "notes: $(ls "$COMMENTS")"

    # Without a base the default branch keeps its runs.
    export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_JOB_TOKEN=j
    rm -f verdict.*
    CI_MERGE_REQUEST_IID='' job script > "$work/log" 2>&1 && [ -s flamel-runs/7.flm ] && [ ! -e verdict.md ] || fail "the branch: $(cat "$work/log")"
    job script > "$work/log" 2>&1
    [ $? = 3 ] && grep -q 'no runs of main' "$work/log" || fail "nothing is kept, and that is judged: $(cat "$work/log")"
    python3 -m zipfile -c "$ARTIFACTS/main.zip" flamel-runs
    job script > "$work/log" 2>&1
    judged $? && grep -q '7 runs' verdict.md || fail "judged by kept runs: $(cat "$work/log")"
    job script recorded=true 'base=flamel-base/*.flm' 'new=flamel-base/*.flm' > "$work/log" 2>&1
    judged $? || fail "runs of others: $(cat "$work/log")"
fi
exit 0
