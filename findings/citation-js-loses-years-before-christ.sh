#!/usr/bin/env bash
# Guess: a date before Christ that is written as biblatex has it, date = {-0043}, is a year before Christ everywhere.
# What happens: citation-js reads year 0 and cites Cicero as "n.d.", and also a book that appeared from 1850 on (1850/..).
#   With year = {-43} it is "43 B.C.E."; what citation-js itself writes for that year, date = {-43}, it cannot read either.
# Versions: citation-js 0.7.22 with its BibTeX and CSL plugins, Node 18 or later.
# Source: the manual of biblatex, section on dates (ISO 8601-2, extended format): -0043 is a year, /.. an open end.
# Why it matters: a library of classics has little else. The year is lost at import, and with it every filter by time; sorted
#   by year, Cicero is the youngest or the oldest of all.
# Needs beside Python: node and npm (and no Python).
set -eu
for program in node npm; do
  command -v "$program" >/dev/null || { echo "missing: $program"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts citation-js@0.7.22
node - <<'SCRIPT'
const Cite = require('citation-js')
console.log('citation-js', require('citation-js/package.json').version)
const cited = fields => {
  const entry = new Cite(`@book{a, author={Cicero}, title={De officiis}, ${fields}}`)
  return [JSON.stringify(entry.data[0].issued['date-parts']), entry.format('bibliography', { template: 'apa' }).trim()]
}
const fields = ['year = {-43}', 'date = {-0043}', 'date = {-0043-12-07}', 'date = {1850/..}', 'date = {0080}']
const seen = fields.map(field => [field, ...cited(field)])
const written = new Cite([{ id: 'a', type: 'book', title: 'T', issued: { 'date-parts': [[-43]] } }]).format('biblatex')
seen.push([written.match(/date = .*\}/)[0], ...cited(written.match(/date = .*\}/)[0])])
for (const row of seen) console.log(row.join('   '))
const expected = [
  ['year = {-43}', '[[-43]]', 'Cicero. (43 B.C.E.). De officiis.'],
  ['date = {-0043}', '[[0]]', 'Cicero. (n.d.). De officiis.'],
  ['date = {-0043-12-07}', '[[0]]', 'Cicero. (n.d.). De officiis.'],
  ['date = {1850/..}', '[[1850],null]', 'Cicero. (n.d.). De officiis.'],
  ['date = {0080}', '[[80]]', 'Cicero. (80 C.E.). De officiis.'],
  ['date = {-43}', '[[0]]', 'Cicero. (n.d.). De officiis.'],
]
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1)
SCRIPT
