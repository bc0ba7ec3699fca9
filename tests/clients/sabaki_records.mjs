// A front end steps through game records while the engine analyses: `node sabaki_records.mjs ENGINE`.
//
// Sabaki's libraries for records (`@sabaki/sgf`), boards (`@sabaki/go-board`) and GTP (`@sabaki/gtp`) do what they do in the
// front end: each position of a record is set up by the state tracker, analysed, and left in the middle of the analysis. The
// engine's stones are compared with the board of the library, and its own record with the moves. Exits with code 1 at the
// first failed check.

import Board from '@sabaki/go-board'
import gtp from '@sabaki/gtp'
import sgf from '@sabaki/sgf'

const {Controller, ControllerStateTracker} = gtp
const [engine] = process.argv.slice(2)

// lists of points as rectangles, handicap stones, stones set up in the middle, passes in both notations, captures, a ko,
// variations, a board of 13x13, another komi
const RECORDS = [
  '(;GM[1]FF[4]SZ[9]KM[0.5]HA[4]AB[cc][gc][cg][gg];W[ee];B[ed];W[fe];B[de](;W[ef];B[df])(;W[];B[ff];W[tt];B[eg]))',
  '(;GM[1]FF[4]SZ[9]KM[6.5];B[dd];W[ed];B[cc];W[dc];B[ce];W[de];B[ee];W[cd];B[bd](;W[gg];B[dd];W[gc];B[cg];W[cd];B[ff])(;W[dd];B[df]))',
  '(;GM[1]FF[4]SZ[13]KM[-5.5];B[dj];W[jd];B[jj];AB[aa:bb]AW[ca:cb];W[dd];B[cc];W[ac];B[bc])',
  '(;GM[1]FF[4]SZ[5];B[bb];W[bc];B[cb];W[cc];B[db];W[dc];B[ab];W[ac];B[eb];W[ec];B[];W[])'
]

let checks = 0

function same(found, expected, what) {
  checks++
  if (found !== expected) throw new Error(`${what}: ${found}, expected ${expected}`)
}

/** The nodes from a root to a leaf, for every leaf. */
function lines(node, above = []) {
  const line = [...above, node]
  return node.children.length === 0 ? [line] : node.children.flatMap(child => lines(child, line))
}

const points = values => (values ?? []).flatMap(value => sgf.parseCompressedVertices(value))

/** The board after these nodes, and the commands that set it up: handicap stones at once, everything else as moves. */
function replay(nodes, size) {
  let board = Board.fromDimensions(size)
  const history = []
  for (const {data} of nodes) {
    const handicap = points(data.AB)
    if (handicap.length >= 2 && board.isEmpty()) {
      history.push({name: 'set_free_handicap', args: handicap.map(point => board.stringifyVertex(point))})
      for (const point of handicap) board = board.makeMove(1, point)
      continue
    }
    for (const [property, sign] of [['B', 1], ['W', -1], ['AB', 1], ['AW', -1]]) {
      for (const point of points(data[property])) {
        const vertex = board.has(point) ? board.stringifyVertex(point) : 'pass'
        history.push({name: 'play', args: [sign > 0 ? 'B' : 'W', vertex]})
        board = board.makeMove(sign, point)
      }
    }
  }
  return {board, history}
}

/** The stones of a colour, as a sorted list of vertices. */
function stones(board, sign) {
  const all = board.signMap.flatMap((row, y) => row.map((_, x) => [x, y]))
  return all.filter(point => board.get(point) === sign).map(point => board.stringifyVertex(point)).sort().join(' ')
}

/** The variations of a report, as the front end shows them: a pass ends a variation, and a pass as a move is left out. */
function variations(line, board, isKata) {
  const segments = line.split(/\s*info\s+/).slice(1)
  return segments.map(segment => {
    const [keys, moves] = segment.split(' pv ')
    const words = keys.split(' ')
    const values = new Map(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1]]] : [])))
    const upToPass = moves.split(' ').join(' ').split('pass')[0].trim()
    return {
      move: values.get('move'),
      visits: Number(values.get('visits')),
      winrate: Number(values.get('winrate')) * (isKata ? 100 : 0.01),
      points: upToPass === '' ? [] : upToPass.split(' ').map(vertex => board.parseVertex(vertex))
    }
  }).filter(({move}) => move !== 'pass')
}

const controller = new Controller(engine, [], {})
const tracker = new ControllerStateTracker(controller)
const sent = []
const answered = []
controller.on('stderr', ({content}) => same(content, '', 'stderr'))
controller.on('command-sent', ({command, getResponse}) => {
  sent.push(command.name)
  getResponse().then(({error}) => error && !/^no_such/.test(command.name) && same(command.name, '', 'a refused command'))
})
controller.on('response-received', ({command}) => answered.push(command.name))

/** Ends what runs, as the front end does before every request. */
const abort = () => (controller.busy ? controller.sendCommand({name: 'protocol_version'}) : null)

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Starts an analysis and waits for a report; the analysis goes on. */
async function analyse(name, color, board) {
  let count = 0
  controller.sendCommand({name, args: [color, '3']}, ({line}) => {
    if (!line.startsWith('info ')) return
    count++
    const found = variations(line, board, name.startsWith('kata'))
    for (const {move, visits, winrate, points} of found) {
      same(winrate >= 0 && winrate <= 100 && visits > 0, true, `values of ${move}: ${winrate} ${visits}`)
      same(board.stringifyVertex(points[0]), move, 'the variation begins with the move')
      // the variation is legal on the library's board, which knows neither ko nor passes
      points.reduce(([board, sign], point) => {
        const {overwrite, suicide} = board.analyzeMove(sign, point)
        same(overwrite || suicide, false, `a variation of ${move} at ${point} of\n${line}`)
        return [board.makeMove(sign, point), -sign]
      }, [board, color === 'B' ? 1 : -1])
    }
  })
  while (count === 0) await pause(5)
}

async function ask(name, ...args) {
  const {error, content} = await tracker.queueCommand({name, args})
  same(error, false, `${name}: ${content}`)
  return content
}

async function step(nodes, size, komi) {
  const {board, history} = replay(nodes, size)
  abort()
  await tracker.sync({komi, boardsize: [size, size], history})
  for (const [color, sign] of [['B', 1], ['W', -1]]) {
    const found = (await ask('list_stones', color)).split(/\s+/).sort().join(' ')
    same(found, stones(board, sign), `stones of ${color}`)
  }
  const last = history.at(-1)?.args[0] ?? 'W'
  await analyse(nodes.length % 2 === 0 ? 'kata-analyze' : 'lz-analyze', last === 'B' ? 'W' : 'B', board)
  return history
}

async function main() {
  await tracker.knowsCommand('set_free_handicap')
  let positions = 0
  for (const record of RECORDS) {
    const [root] = sgf.parse(record)
    const [size, komi] = [Number(root.data.SZ), Number(root.data.KM ?? 0)]
    for (const line of lines(root)) {
      for (let end = 1; end <= line.length; end++) {
        await step(line.slice(0, end), size, komi)
        positions++
      }
      // back by one, and by half
      await step(line.slice(0, -1), size, komi)
      await step(line.slice(0, line.length >> 1), size, komi)
      const history = await step(line, size, komi)
      abort()
      // the engine's own record gives the same board
      const [own] = sgf.parse(await ask('printsgf'))
      const ownLine = lines(own).at(-1)
      const {board} = replay(ownLine, size)
      same(stones(board, 1), stones(replay(line, size).board, 1), 'stones of Black in printsgf')
      same(stones(board, -1), stones(replay(line, size).board, -1), 'stones of White in printsgf')
      same(Number(own.data.KM), komi, 'komi in printsgf')
      const moves = history.filter(({name}) => name === 'play').length
      same(ownLine.slice(1).length, moves, 'moves in printsgf')
    }
  }
  const {error, content} = await controller.sendCommand({name: 'no_such_command'})
  same(`${error} ${content}`, 'true unknown command', 'an unknown command')
  same(controller.busy, false, 'the library waits for an answer')
  same(answered.join(' '), sent.join(' '), 'answers, in the order of the commands')
  const stopped = new Promise(resolve => controller.once('stopped', resolve))
  await controller.stop()
  same((await stopped).signal, 0, 'exit code')
  console.log(`${positions} positions, ${sent.length} commands: ${checks} checks, every check passed`)
}

// an engine that stops answering is a failure
setTimeout(() => {
  console.error(`no end after five minutes; the last command was ${sent.at(-1)}`)
  process.exit(1)
}, 300_000).unref()

main().catch(error => {
  console.error(error.stack)
  process.exit(1)
})
