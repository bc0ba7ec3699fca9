#!/usr/bin/env bash
# qGo, on a virtual display, plays ten moves against the engine: qgo.sh ENGINE [PICTURE.png]
#
# Needs Debian's qgo, xvfb, xdotool and imagemagick. The engine is configured in qGo's settings; the new-game dialog is
# accepted with its defaults, 19x19 with the engine as White, and Black's stones are placed by clicks on the board. Each
# click must be answered, which is read from the engine's log. Exits with code 1 after a timeout. The click positions are
# those of qGo 2.1. Not a part of `cargo test`, because it takes half a minute and a display.
set -euo pipefail
engine=$(realpath "${1:?usage: qgo.sh ENGINE [PICTURE.png]}")
picture=$(realpath -m "${2:-qgo.png}")
PATH=$PATH:/usr/games
for program in qgo Xvfb xdotool import; do
  command -v "$program" >/dev/null || { echo "SKIPPED: $program is not installed"; exit 0; }
done

folder=$(mktemp -d)
children=()
leave() {
  kill "${children[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap leave EXIT
mkdir -p "$folder/.config/qGo"
# qGo understands only answers with an id, and sends ids only to a program of this name
ln -s "$engine" "$folder/gnugo"
cat >"$folder/.config/qGo/qGo.conf" <<SETTINGS
[General]
DEFAULT_ENGINE=0
COMPUTER_PLAYS_WHITE=true
COMPUTER_PLAYS_BLACK=false

[ENGINES]
1\path=$folder/gnugo
1\args=--set Search.Seconds=0.5
size=1
SETTINGS

cd "$folder"
log=kifuwarabe-uec14.log
export HOME=$folder LANG=C.UTF-8
# Xvfb chooses a free display and writes its number when it is ready
Xvfb -displayfd 3 -screen 0 1280x900x24 3>display 2>/dev/null &
children+=($!)

# Waits until a command succeeds.
until_it() {
  local what=$1
  shift
  for _ in $(seq 100); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  import -window root "$picture" 2>/dev/null || true
  echo "timeout: $what" >&2
  tail -n 30 qgo.log >&2
  [ ! -e "$log" ] || cat "$log" >&2
  exit 1
}
answers() { [ "$(grep -cE $'\t=[0-9]+ (pass|[A-T][0-9]+)$' "$log")" -eq "$1" ]; }
click() { xdotool mousemove "$1" "$2" click 1; }

until_it "a display" test -s display
DISPLAY=:$(cat display)
export DISPLAY
qgo >qgo.log 2>&1 &
children+=($!)
until_it "qGo's window" xdotool search --name '^qGo 2'
sleep 1
click 45 20                          # New game
until_it "the dialog" xdotool search --name '^Dialog$'
sleep 0.5
click 482 465                        # OK
until_it "the board" xdotool search --name '^White vs. Black - qGo$'
until_it "the engine" grep -q ' komi ' "$log"
sleep 1

played=0
# along the fourth lines and through the middle, where the engine has not played
for point in 3,3 15,15 3,15 15,3 9,9 9,3 3,9 15,9 9,15 5,5 13,13 5,13 13,5 7,11 11,7; do
  column=${point%,*} row=${point#*,}
  letters=ABCDEFGHJKLMNOPQRST
  vertex=${letters:column:1}$((row + 1))
  if grep -qE " $vertex$" "$log"; then continue; fi
  # qGo counts rows from the top in commands, not as in the labels of its board
  click $((41 + 28 * column)) $((185 + 28 * row))
  played=$((played + 1))
  until_it "black $vertex" grep -q " play black $vertex$" "$log"
  until_it "the answer to black $vertex" answers "$played"
  sleep 0.5
  if [ "$played" -eq 10 ]; then break; fi
done
import -window root "$picture"
if grep -qE $'\t\\?' "$log"; then
  echo "a command was refused:" >&2
  cat "$log" >&2
  exit 1
fi
sed -nE 's/.*(play black [A-T][0-9]+)$/\1,/p; s/.*=[0-9]+ ([A-T][0-9]+|pass)$/\1/p' "$log" | paste -d ' ' - -
echo "$played moves played and answered; $picture"
