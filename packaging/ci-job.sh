#!/bin/sh
# Runs boildown in a CI job, on GitHub, GitLab or elsewhere: installs it if it is not there, runs it,
# and writes `boildown-report.md` and, for a reduction, `boildown-report.html`.
#
# usage: ci-job.sh reduce ... | changes ... | triage ...
#
# BOILDOWN_VERSION    the release to install, such as 0.1.0 (default: the newest one)
# BOILDOWN_RELEASES   where releases are, the address of a repository on GitHub
# GITHUB_STEP_SUMMARY a file to which the report is appended too
# BOILDOWN_COMMENT_ON the number of a pull request for the report, with `gh` and GH_TOKEN
set -eu

if ! command -v boildown > /dev/null; then
    releases=${BOILDOWN_RELEASES:?is the address of the repository of boildown}/releases
    version=${BOILDOWN_VERSION:-}
    if [ -z "$version" ]; then
        # The newest release redirects to its tag.
        newest=$(curl -fsSLI -o /dev/null -w '%{url_effective}' "$releases/latest")
        version=${newest##*/v}
    fi
    name=boildown-$version-$(uname -m)-unknown-linux-musl
    # Always the same folder: a run resumes only with the same PATH.
    folder=${RUNNER_TOOL_CACHE:-$HOME/.cache}/boildown-release
    rm -rf "$folder"
    mkdir -p "$folder"
    (
        cd "$folder"
        curl -fsSLO "$releases/download/v$version/$name.tar.gz"
        curl -fsSLO "$releases/download/v$version/boildown-$version-$(uname -m).sha256"
        grep " $name.tar.gz\$" "boildown-$version-$(uname -m).sha256" | sha256sum --check --quiet
        tar -xzf "$name.tar.gz"
    )
    mv "$(find "$folder" -type f -name boildown -perm -u+x | head -n 1)" "$folder"
    PATH=$folder:$PATH
    export PATH
fi

report=boildown-report.md
rm -f "$report" boildown-report.html
started=$(mktemp)
log=$(mktemp)
status=0
boildown "$@" > "$log" 2>&1 || status=$?
cat "$log"

# The store of this run: a cache may have brought others.
store=$(find . -path '*/.boildown/*' -name '*.db' -newer "$started" | head -n 1)
case $1:$status in
    # Reduced, minimal already, or stopped by a limit, if not before there was a result.
    reduce:[026])
        if [ -n "$store" ]; then
            boildown report "$store" --format markdown -o "$report" || rm -f "$report"
            boildown report "$store" -o boildown-report.html || rm -f boildown-report.html
        fi
        ;;
esac
if ! [ -f "$report" ]; then
    { echo '```text'; tail -n 60 "$log"; echo '```'; } > "$report"
fi
rm -f "$started" "$log"

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat "$report" >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "${BOILDOWN_COMMENT_ON:-}" ]; then
    gh pr comment "$BOILDOWN_COMMENT_ON" --body-file "$report"
fi
exit "$status"
