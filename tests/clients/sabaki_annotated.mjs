// Sabaki's reader opens a record that `report --sgf` annotated: `node sabaki_annotated.mjs ENGINE`.
//
// The moves, the variations and the comments of the original are compared, and the properties from which Sabaki draws its
// win-rate graph (SBKV), icons (BM, DO) and hotspots (HO). Exits with code 1 at the first failed check.

import {spawnSync} from 'node:child_process'
import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import sgf from '@sabaki/sgf'

const [engine] = process.argv.slice(2)
const RECORD =
  '(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]PB[黒]C[start];B[]C[two\n\nlines \\] and \\\\];W[ee];B[aa](;W[cc];B[ia])(;W[gg]C[other]N[x]))'

let checks = 0

function check(condition, what) {
  checks++
  if (!condition) throw new Error(what)
}

const folder = mkdtempSync(join(tmpdir(), 'annotated-'))
const [record, output] = ['game.sgf', 'out.sgf'].map(name => join(folder, name))
writeFileSync(record, RECORD)
const run = spawnSync(engine, ['--set', 'Net.Use=false', 'report', record, '--sgf', output, '--visits', '200'], {
  encoding: 'utf8'
})
check(run.status === 0, run.stderr)
const [original] = sgf.parse(RECORD)
const [root] = sgf.parse(readFileSync(output, 'utf8'))

/** Every node of the original stands at its place, with its properties; its comment is the beginning of the new one. */
function compare(found, expected) {
  for (const [name, values] of Object.entries(expected.data)) {
    const same = name === 'C'
      ? found.data.C[0].startsWith(values[0])
      : JSON.stringify(found.data[name]) === JSON.stringify(values)
    check(same, `${name}: ${found.data[name]}, expected ${values}`)
  }
  check(found.children.length >= expected.children.length, 'a variation is missing')
  expected.children.forEach((child, index) => compare(found.children[index], child))
}

compare(root, original)
let hotspots = 0
let icons = 0
for (let node = root; node; node = node.children[0]) {
  const rate = Number(node.data.SBKV[0])
  check(rate >= 0 && rate <= 100, `SBKV: ${node.data.SBKV}`)
  check(Number.isFinite(Number(node.data.V[0])), `V: ${node.data.V}`)
  check(node.data.C[0].includes('Kifuwarabe UEC14: Black\'s win rate '), node.data.C[0])
  if (node.data.HO) hotspots++
  if (node.data.BM || node.data.DO) {
    icons++
    check(node.data.C[0].includes(' was better'), node.data.C[0])
  }
}
check(hotspots > 0 && icons >= hotspots, `${hotspots} hotspots, ${icons} icons`)
const [pass, better] = root.children
check(pass.data.B[0] === '' && pass.data.BM[0] === '2', 'the pass is a blunder')
check(better.data.B[0].length === 2 && better.data.C[0].includes('better than move 1'), 'a better line')
console.log(`${checks} checks\nevery check passed`)
