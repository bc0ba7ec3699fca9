// Sabaki's own engine client drives the engine: `node sabaki_app.mjs ENGINE SOURCES`, where SOURCES is a checkout of Sabaki.
//
// Its modules that bring an engine to a position of a record (`enginesyncer.js`) and read analysis (`analysis.js`) run as they
// are. Each position of some records is set up, analysed, and left in the middle of the analysis. Exits with code 1 at the
// first failed check.

import {register} from 'node:module'
import {join, resolve} from 'node:path'
import {pathToFileURL} from 'node:url'
import GameTree from '@sabaki/immutable-gametree'
import sgf from '@sabaki/sgf'

const [engine, checkout] = process.argv.slice(2)
const modules = resolve(checkout, 'src', 'modules')
register('./sabaki_app_hooks.mjs', import.meta.url, {data: {sources: resolve(checkout, 'src')}})
// what the modules read from the window
globalThis.window = {sabaki: {setting: {get: key => ({'gtp.engine_quit_timeout': 3000})[key]}}}
const load = name => import(pathToFileURL(join(modules, name)).href)
const {default: EngineSyncer} = await load('enginesyncer.js')
const {getAnalysisHeatMapCell} = await load('analysis.js')
const {getBoard} = await load('gametree.js')

// handicap stones, rectangles of points, passes, a capture and a ko, stones set up in the middle of a game
const RECORDS = [
  '(;GM[1]FF[4]SZ[9]KM[0.5]HA[4]AB[cc][gc][cg][gg];W[ee];B[ed];W[fe];B[de](;W[ef];B[df])(;W[];B[ff];W[tt];B[eg]))',
  '(;GM[1]FF[4]SZ[9]KM[6.5];B[dd];W[ed];B[cc];W[dc];B[ce];W[de];B[ee];W[cd];B[bd](;W[gg];B[dd];W[gc];B[cg];W[cd])(;W[dd]))',
  '(;GM[1]FF[4]SZ[13]KM[-5.5];B[dj];W[jd];B[jj];AB[aa:bb]AW[ca:cb];W[dd];B[cc];W[ac];B[bc])'
]

let checks = 0

function same(found, expected, what) {
  checks++
  if (found !== expected) throw new Error(`${what}: ${found}, expected ${expected}`)
}

const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds))

const syncer = new EngineSyncer({path: engine, args: '--set Search.Seconds=0.3', commands: 'known_command play;komi 5.5'})
syncer.controller.on('stderr', ({content}) => same(content, '', 'stderr'))
const refused = []
syncer.controller.on('response-received', ({command, response}) => response.error && refused.push(command.name))

async function stones(color) {
  const {error, content} = await syncer.queueCommand({name: 'list_stones', args: [color]})
  same(error, false, content)
  return content.split(/\s+/).sort().join(' ')
}

/** Analyses the position until the client has read variations. */
async function analyse(name, sign, board) {
  // a report that came in before the end of the last analysis, if the position is the same
  syncer.analysis = null
  syncer.queueCommand({name, args: [sign > 0 ? 'B' : 'W', '5']}).catch(error => same(error.message, '', name))
  while (syncer.analysis == null) await pause(10)
  const {variations, winrate, sign: analysed} = syncer.analysis
  same(analysed, sign, 'the analysed colour')
  same(winrate >= 0 && winrate <= 100, true, `winrate ${winrate}`)
  // moves whose visits are from earlier positions have no lead yet
  const leads = variations.map(({scoreLead}) => scoreLead)
  same(leads.every(lead => lead == null || (name.startsWith('kata') && Number.isFinite(lead))), true, `${name}: ${leads}`)
  const most = Math.max(...variations.map(({visits, winrate}) => visits * winrate))
  for (const variation of variations) {
    same(board.get(variation.vertex), 0, `a move on a stone at ${variation.vertex}`)
    same(String(variation.moves[0]), String(variation.vertex), 'a variation begins with its move')
    const show = {analysisType: 'winrate', analysisValueType: 'absolute'}
    const {strength} = getAnalysisHeatMapCell(variation, syncer.analysis, most, show, String)
    same(strength >= 1 && strength <= 9, true, `strength ${strength}`)
  }
}

async function main() {
  syncer.start()
  while (syncer.commands.length === 0) await pause(10)
  let positions = 0
  for (const record of RECORDS) {
    let id = 0
    const [root] = sgf.parse(record, {getId: () => id++})
    const tree = new GameTree({getId: () => id++, root})
    const nodes = [...tree.listNodes()]
    for (const node of [...nodes, ...nodes.toReversed(), nodes[nodes.length >> 1]]) {
      await syncer.sync(tree, node.id)
      const board = getBoard(tree, node.id)
      const points = board.signMap.flatMap((row, y) => row.map((_, x) => [x, y]))
      for (const [color, sign] of [['B', 1], ['W', -1]]) {
        const expected = points.filter(point => board.get(point) === sign).map(point => board.stringifyVertex(point))
        same(await stones(color), expected.sort().join(' '), `stones of ${color} in node ${node.id}`)
      }
      same(syncer.state.komi, Number(root.data.KM[0]), 'komi')
      const names = ['kata-analyze', 'lz-analyze']
      await analyse(names[positions % 2], positions % 4 < 2 ? 1 : -1, board)
      positions++
    }
    // the engine moves, and the client forgets the analysis
    let played = ''
    await syncer.queueCommand({name: 'kata-genmove_analyze', args: ['B', '5']}, ({line}) => {
      if (line.startsWith('play ')) played = line.slice(5).trim()
    })
    same(/^([A-T]\d+|pass|resign)$/.test(played), true, `the move ${played}`)
    same(syncer.analysis, null, 'the analysis after a move')
  }
  same(refused.join(' '), '', 'refused commands')
  same(syncer.controller.process != null && !syncer.suspended, true, 'the engine runs')
  await syncer.stop()
  same(syncer.suspended, true, 'the engine has stopped')
  console.log(`${positions} positions: ${checks} checks, every check passed`)
}

// an engine that stops answering is a failure
setTimeout(() => {
  console.error('no end after five minutes')
  process.exit(1)
}, 300_000).unref()

main().catch(error => {
  console.error(error.stack)
  process.exit(1)
})
