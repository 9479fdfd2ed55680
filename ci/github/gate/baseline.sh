#!/bin/bash
# Downloads the runs that a push to BASE_REF has kept as ARTIFACT into the folder flamel-base: those of commit BASE_SHA if
# there are any, else the newest. If there are none, there is no folder. Uses gh, with GH_TOKEN.
#
# Artifacts of forks, which may have a branch of the same name, are not used.
set -euo pipefail

rm -rf flamel-base
export BASE_REF BASE_SHA
found=$(gh api "repos/$GITHUB_REPOSITORY/actions/artifacts?name=$ARTIFACT&per_page=100" --jq '
    [.artifacts[] | select(.expired | not) | .workflow_run + {created: .created_at} |
     select(.head_branch == env.BASE_REF and .head_repository_id == .repository_id)] | sort_by(.created) | reverse |
    (map(select(.head_sha == env.BASE_SHA)) + .)[0] // empty | "\(.id) \(.head_sha)"')
[ -n "$found" ] || {
    echo "no artifact $ARTIFACT of $BASE_REF"
    exit 0
}
gh run download "${found% *}" --repo "$GITHUB_REPOSITORY" --name "$ARTIFACT" --dir flamel-base
echo "runs of $BASE_REF, commit ${found#* }"
