// Sabaki's GTP library plays whole games with the engine: `node sabaki.mjs ENGINE [SEED]`.
//
// The library's state tracker brings the engine to a position by the shortest sequence of commands: undo and further moves,
// or clear_board and all moves. After each step the engine's stones are compared with the board of this script, which has
// its own implementation of the rules. Exits with code 1 at the first difference.

import gtp from '@sabaki/gtp'

const {Controller, ControllerStateTracker} = gtp
const [engine, seedText = '1'] = process.argv.slice(2)
const FILES = 'ABCDEFGHJKLMNOPQRSTUVWXYZ'

let checks = 0
let seed = Number(seedText) >>> 0

/** A random number below n, by xorshift: equal seeds give equal games. */
function random(n) {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return (seed >>> 0) % n
}

function fail(message) {
  throw new Error(message)
}

function same(found, expected, what) {
  checks++
  if (found !== expected) fail(`${what}: ${found}, expected ${expected}`)
}

/** Stones by vertex, as a map of size * size entries '', 'B' or 'W'. */
class Board {
  constructor(size) {
    this.size = size
    this.stones = new Map()
    for (let y = 1; y <= size; y++) for (let x = 0; x < size; x++) this.stones.set(FILES[x] + y, '')
    this.former = new Set([this.text()])
  }

  text() {
    return [...this.stones.values()].map(stone => stone || '.').join('')
  }

  neighbors(vertex) {
    const x = FILES.indexOf(vertex[0])
    const y = Number(vertex.slice(1))
    const at = (x, y) => (FILES[x] ?? '?') + y
    return [at(x + 1, y), at(x - 1, y), at(x, y + 1), at(x, y - 1)].filter(name => this.stones.has(name))
  }

  /** The ren at a vertex and the number of its liberties. */
  ren(vertex) {
    const color = this.stones.get(vertex)
    const ren = new Set([vertex])
    const liberties = new Set()
    for (const point of ren) {
      for (const next of this.neighbors(point)) {
        if (this.stones.get(next) === '') liberties.add(next)
        else if (this.stones.get(next) === color) ren.add(next)
      }
    }
    return {ren, liberties: liberties.size}
  }

  /** The stones after a move, or null if the point is occupied or the move is suicide. */
  after(color, vertex) {
    if (this.stones.get(vertex) !== '') return null
    const board = Object.assign(Object.create(Board.prototype), this, {stones: new Map(this.stones)})
    board.stones.set(vertex, color)
    for (const next of board.neighbors(vertex)) {
      const other = board.stones.get(next)
      if (other === '' || other === color) continue
      const {ren, liberties} = board.ren(next)
      if (liberties === 0) for (const point of ren) board.stones.set(point, '')
    }
    return board.ren(vertex).liberties === 0 ? null : board.stones
  }

  play(color, vertex) {
    if (vertex === 'PASS') return
    const stones = this.after(color, vertex) ?? fail(`${color} ${vertex} is no legal move`)
    this.stones = stones
    this.former.add(this.text())
  }

  /** Moves that are legal under every ko rule. */
  moves(color) {
    return [...this.stones.keys()].filter(vertex => {
      const stones = this.after(color, vertex)
      return stones != null && !this.former.has([...stones.values()].map(stone => stone || '.').join(''))
    })
  }

  list(color) {
    return [...this.stones].filter(([, stone]) => stone === color).map(([vertex]) => vertex).sort().join(' ')
  }

  static of(size, history) {
    const board = new Board(size)
    for (const {name, args} of history) {
      if (name === 'play') board.play(...args)
      else for (const vertex of args) board.stones.set(vertex, 'B')
      board.former.add(board.text())
    }
    return board
  }
}

const controller = new Controller(engine, [], {})
const tracker = new ControllerStateTracker(controller)
controller.on('stderr', ({content}) => {
  if (/^(=|\?|info|play)| -> /.test(content)) fail(`on stderr: ${content}`)
})

async function ask(name, ...args) {
  const {error, content} = await tracker.queueCommand({name, args})
  if (error) fail(`${name} ${args.join(' ')}: ${content}`)
  return content
}

/** Brings the engine to a position and compares the stones. */
async function goTo(state) {
  await tracker.sync(state)
  await compare(state)
}

async function compare({boardsize: [size], history}) {
  const board = Board.of(size, history)
  for (const color of ['B', 'W']) {
    const stones = (await ask('list_stones', color)).split(/\s+/).filter(name => name !== '')
    same(stones.sort().join(' '), board.list(color), `stones of ${color} after ${history.length} moves`)
  }
  return board
}

/** A whole game with the engine as White; sometimes moves are undone, or another position is set up in between. */
async function game(size, komi, handicap) {
  const state = {komi, boardsize: [size, size], timeSettings: {mainTime: 0, byoyomiTime: 1, byoyomiStones: 25}}
  state.history = handicap.length > 0 ? [{name: 'set_free_handicap', args: handicap}] : []
  await goTo(state)
  const hasGenmove = await tracker.knowsCommand('genmove')
  let color = handicap.length > 0 ? 'W' : 'B'
  let passes = 0
  for (let ply = 0; ply < size * size * 2 && passes < 2; ply++) {
    const board = Board.of(size, state.history)
    let vertex
    if (color === 'W' && hasGenmove) {
      vertex = (await ask('genmove', 'W')).toUpperCase()
      if (vertex === 'RESIGN') break
    } else {
      const moves = board.moves(color)
      vertex = moves.length === 0 || random(40) === 0 ? 'PASS' : moves[random(moves.length)]
    }
    passes = vertex === 'PASS' ? passes + 1 : 0
    state.history = [...state.history, {name: 'play', args: [color, vertex]}]
    await goTo(state)
    color = color === 'B' ? 'W' : 'B'
    const moves = state.history.length - (handicap.length > 0 ? 1 : 0)
    if (random(12) === 0 && moves > 0) {
      const back = 1 + random(Math.min(moves, 8))
      state.history = state.history.slice(0, -back)
      if (back % 2 === 1) color = color === 'B' ? 'W' : 'B'
      passes = 0
      await goTo(state)
    }
    if (random(60) === 0) {
      // another game, and back
      await goTo({...state, komi: komi + 1, boardsize: [13, 13], history: []})
      await goTo(state)
    }
  }
  return state.history.length
}

async function main() {
  // sent at once, without waiting for the answers
  const first = ['name', 'version', 'protocol_version', 'list_commands']
  const [name, version, protocol, commands] = await Promise.all(first.map(name => controller.sendCommand({name})))
  same(name.content, 'Kifuwarabe UEC14', 'name')
  same(/^\d+\.\d+\.\d+$/.test(version.content) && Number(version.content.split('.')[1]) >= 15, true, version.content)
  same(protocol.content, '2', 'protocol_version')
  same(commands.content.split('\n').includes('undo'), true, 'undo is listed')
  const unknown = await controller.sendCommand({name: 'no_such_command'})
  same(`${unknown.error} ${unknown.content}`, 'true unknown command', 'an unknown command')

  const lengths = [await game(9, 6.5, []), await game(9, 0.5, ['C3', 'G7', 'C7'])]
  if (await tracker.knowsCommand('fixed_handicap')) {
    await ask('boardsize', '19')
    await ask('clear_board')
    same(await ask('fixed_handicap', '3'), 'D4 Q16 D16', 'fixed_handicap 3')
    const history = [{name: 'set_free_handicap', args: ['D4', 'Q16', 'D16']}]
    await compare({boardsize: [19, 19], history})
    await goTo({boardsize: [19, 19], komi: 0.5, history: [...history, {name: 'play', args: ['W', 'Q4']}]})
  }

  const stopped = new Promise(resolve => controller.once('stopped', resolve))
  await controller.stop()
  same((await stopped).signal, 0, 'exit code')
  console.log(`games of ${lengths.join(' and ')} moves: ${checks} comparisons, every check passed`)
}

// an engine that stops answering is a failure
setTimeout(() => fail('no end after five minutes'), 300_000).unref()

main().catch(error => {
  console.error(error.stack)
  process.exit(1)
})
