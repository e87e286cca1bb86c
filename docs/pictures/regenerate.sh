#!/bin/sh
# Makes the pictures of docs from a reduction of examples/printing. Needs chromium and python3.
# Usage: regenerate.sh BOILDOWN, the path of the program.
set -eu
boildown=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/../../examples/printing/page.html "$here"/../../examples/printing/browser.py "$work"
cd "$work"
"$boildown" reduce --yes page.html -- python3 browser.py page.html
"$boildown" report -o report.html
shot() {
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb \
        --user-data-dir="$work/profile" --window-size=1120,1500 "$2" \
        --screenshot="$here/$1" "file://$work/report.html"
}
shot report-light.png --blink-settings=preferredColorScheme=1
shot report-dark.png --blink-settings=preferredColorScheme=0
