#!/bin/bash
# The verdict in FOLDER as the comment on its pull request: the one that is there is updated, by the mark in its first
# line, so that each pull request has one for each ARTIFACT. Uses gh, with GH_TOKEN.
#
# The number comes from what a fork's code may have written. Where HEAD_SHA says which commit the gate ran for, only a
# pull request of that commit is commented.
set -euo pipefail

number=$(cat "$FOLDER/pull_request")
case $number in
'' | *[!0-9]*)
    echo 'this is no pull request: no comment'
    exit 0
    ;;
esac
if [ -n "${HEAD_SHA-}" ] && [ "$(gh api "repos/$GITHUB_REPOSITORY/pulls/$number" --jq .head.sha)" != "$HEAD_SHA" ]; then
    echo "pull request $number is not of commit $HEAD_SHA: no comment"
    exit 1
fi
mark="<!-- flamel gate: ${ARTIFACT//[^A-Za-z0-9._ -]/} -->"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{
    echo "$mark"
    head -c 65000 "$FOLDER/verdict.md"
} > "$body"
comments=repos/$GITHUB_REPOSITORY/issues/$number/comments
known=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
if [ -n "$known" ]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F "body=@$body" --silent
else
    gh api --method POST "$comments" -F "body=@$body" --silent
fi
