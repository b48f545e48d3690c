#!/usr/bin/env bash
# Guess: a book of the publisher Sheed and Ward, of London and New York, is cited with both names and both towns, or with
#   the field as it stands.
# What happens: citation-js makes lists of them, ["Sheed", "Ward"], which CSL does not know, and prints the first member:
#   published by Sheed, in London. The protected {Simon and Schuster} stays whole.
# Versions: citation-js 0.7.22 with its BibTeX and CSL plugins, Node 18 or later.
# Source: the manual of biblatex: publisher and location are literal lists, all members are printed; the BibTeX manual
#   knows "and" in author and editor alone; CSL 1.0.2: publisher is a string.
# Why it matters: every catalogue has Faber and Faber, Sheed and Ward, Hodder and Stoughton. A filter for the publisher and
#   every citation of their books are wrong, and readable.
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
const cite = entry => {
  const { data } = new Cite(entry)
  return [JSON.stringify(data[0].publisher), new Cite(entry).format('bibliography', { template: 'apa' }).trim()]
}
const book = publisher =>
  `@book{a, author={Chesterton, G. K.}, title={Essays}, year={1930}, publisher={${publisher}}, address={London and New York}}`
const seen = ['Sheed and Ward', '{Simon and Schuster}', 'Faber \\& Faber'].map(name => [name, ...cite(book(name))])
for (const row of seen) console.log(row.join('   '))
const chesterton = 'Chesterton, G. K. (1930). Essays.'
const expected = [
  ['Sheed and Ward', '["Sheed","Ward"]', `${chesterton} Sheed.`],
  ['{Simon and Schuster}', '"Simon and Schuster"', `${chesterton} Simon and Schuster.`],
  ['Faber \\& Faber', '"Faber & Faber"', `${chesterton} Faber & Faber.`],
]
process.exit(JSON.stringify(seen) === JSON.stringify(expected) ? 0 : 1)
SCRIPT
