# Runs a command and another one on a candidate, and fails when both succeed and print different
# things. Arguments: the other command as a line for a shell, the candidate, the words of the command.
other=$1 candidate=$2
shift 2
"$@" >"$TMPDIR/one"
one=$?
sh -c "$other" sh "$candidate" >"$TMPDIR/other"
two=$?
if [ "$one" != 0 ] || [ "$two" != 0 ]; then
    echo "no difference: the commands ended with $one and $two"
    exit 0
fi
if cmp -s "$TMPDIR/one" "$TMPDIR/other"; then
    echo "no difference: both commands print the same"
    exit 0
fi
first() {
    diff "$TMPDIR/one" "$TMPDIR/other" | sed -n "s/^$1 //p" | head -n 1
}
printf 'outputs differ: %s | %s\n' "$(first '<')" "$(first '>')"
exit 1
