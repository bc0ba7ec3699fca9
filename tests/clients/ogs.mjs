// gtp2ogs plays games on a server of this script: `node ogs.mjs ENGINE GTP2OGS`.
//
// The server speaks the protocol of Online-Go.com as far as the bridge uses it: JSON arrays over a WebSocket on this machine.
// The opponent's moves, the clocks and the rules of the games are this script's; the bridge starts the engine and translates.
// All commands and answers are read from the bridge's own trace. Exits with code 1 at the first failed check.

import {spawn} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import Board from '@sabaki/go-board'
import {WebSocketServer} from 'ws'

const [engine, bridge] = process.argv.slice(2)
const BOT = 7
const OPPONENT = 8

let checks = 0

function must(holds, what) {
  checks++
  if (!holds) throw new Error(what)
}

/** Clocks as the server tells them: seconds, and the time of the last move. */
const CLOCKS = {
  byoyomi: {
    control: {system: 'byoyomi', main_time: 60, period_time: 1, periods: 3},
    time: {thinking_time: 0, periods: 2, period_time: 1, period_time_left: 1},
    commands: ['kgs-time_settings byoyomi 60 1 3', 'time_left black ', 'time_left white ']
  },
  fischer: {
    control: {system: 'fischer', initial_time: 20, time_increment: 1, max_time: 40},
    time: {thinking_time: 15.25, skip_bonus: false},
    commands: ['kata-time_settings fischer-capped 20 1 40 -1', 'time_left black ', 'time_left white ']
  },
  canadian: {
    control: {system: 'canadian', main_time: 20, period_time: 20, stones_per_period: 10},
    time: {thinking_time: 0, moves_left: 20, block_time: 10},
    commands: ['kgs-time_settings canadian 20 20 10', 'time_left black ', 'time_left white ']
  },
  simple: {
    control: {system: 'simple', per_move: 1},
    time: Date.now() + 1000,
    commands: ['time_settings 0 1 1', 'time_left black ', 'time_left white ']
  },
  absolute: {
    control: {system: 'absolute', total_time: 60},
    time: {thinking_time: 12.5},
    commands: ['time_settings 60 0 0', 'time_left black ', 'time_left white ']
  }
}

/** The games. `end` ends a game after so many moves of the bot; otherwise two passes or the bot's resignation end it. */
const GAMES = [
  {clock: 'byoyomi', size: [9, 9], bot: 'black', komi: 6.5, end: 3},
  {clock: 'fischer', size: [9, 9], bot: 'white', komi: 0.5, handicap: 3, end: 3},
  {clock: 'canadian', size: [13, 13], bot: 'black', komi: 0.5, handicap: 4, end: 6},
  {clock: 'simple', size: [13, 9], bot: 'white', komi: -5.5, end: 3},
  // from a position in which all stones are the opponent's; the bot resigns
  {clock: 'absolute', size: [9, 9], bot: 'black', komi: 60.5, stones: {black: '', white: 'bbhbbhhhcdgdcfgfeaeeei'}, resigns: true},
  // the opponent passes; the game ends when the bot passes, too
  {clock: 'byoyomi', size: [5, 5], bot: 'white', komi: 0.5, moves: 'cbdbccdccdddcada', passes: true}
]

const letters = 'abcdefghijklmnopqrstuvwxyz'
const decode = text => (text.match(/../g) ?? []).map(([x, y]) => [letters.indexOf(x), letters.indexOf(y)])

class Game {
  constructor(id, game) {
    Object.assign(this, {id, ...game})
    this.board = Board.fromDimensions(...game.size)
    for (const [color, sign] of [['black', 1], ['white', -1]]) {
      for (const point of decode(game.stones?.[color] ?? '')) this.board.set(point, sign)
    }
    this.begin = Date.now()
    this.turns = []
    this.botMoves = 0
    this.chats = []
    for (const point of decode(game.moves ?? '')) this.play(point)
  }

  /** Black sets all handicap stones; then the players alternate. */
  toMove() {
    const free = this.handicap ?? 0
    if (this.turns.length < free) return 'black'
    return (this.turns.length - free + (free > 0 ? 1 : 0)) % 2 === 0 ? 'black' : 'white'
  }

  isBots() {
    return this.toMove() === this.bot
  }

  play(point) {
    const sign = this.toMove() === 'black' ? 1 : -1
    if (point[0] >= 0) {
      const {overwrite, suicide, pass} = this.board.analyzeMove(sign, point)
      must(!overwrite && !suicide && !pass, `an illegal move of game ${this.id} at ${point}`)
      this.board = this.board.makeMove(sign, point)
    }
    this.turns.push([...point, 1000])
  }

  /** The opponent's move: a legal point that is neither suicide nor the opponent's own eye, or a pass. */
  answer() {
    const sign = this.toMove() === 'black' ? 1 : -1
    if (this.passes) return [-1, -1]
    const [width, height] = this.size
    for (let i = 0; i < width * height; i++) {
      const n = (i * 31 + this.turns.length * 17) % (width * height)
      const point = [n % width, Math.floor(n / width)]
      const {overwrite, suicide, capturing} = this.board.analyzeMove(sign, point)
      const isEye = this.board.getNeighbors(point).every(next => this.board.get(next) === sign)
      if (!overwrite && !suicide && !capturing && !isEye) return point
    }
    return [-1, -1]
  }

  clockNow() {
    const {time} = CLOCKS[this.clock]
    const ids = {black_player_id: this.bot === 'black' ? BOT : OPPONENT, white_player_id: this.bot === 'white' ? BOT : OPPONENT}
    const current_player = this.isBots() ? BOT : OPPONENT
    return {game_id: this.id, current_player, ...ids, last_move: Date.now(), black_time: time, white_time: time}
  }

  data(phase = 'play', outcome = {}) {
    const player = id => ({id, username: id === BOT ? 'bot' : 'opponent', rank: 20})
    return {
      game_id: this.id,
      width: this.size[0],
      height: this.size[1],
      komi: this.komi,
      handicap: this.handicap ?? 0,
      free_handicap_placement: true,
      initial_player: 'black',
      initial_state: this.stones ?? {black: '', white: ''},
      rules: 'chinese',
      moves: this.turns,
      phase,
      players: {black: player(this.clockNow().black_player_id), white: player(this.clockNow().white_player_id)},
      time_control: {speed: 'blitz', ...CLOCKS[this.clock].control},
      clock: this.clockNow(),
      ...outcome
    }
  }
}

const trace = []
const server = new WebSocketServer({host: '127.0.0.1', port: 0})
let games = 0
let game = null
let finished = null

server.on('connection', socket => {
  const send = (...message) => socket.send(JSON.stringify(message))
  const finish = async outcome => {
    const {id} = game
    // the bridge takes an engine that is needed for less than a second for a broken one
    await pause(Math.max(0, 1200 - (Date.now() - game.begin)))
    send(`game/${id}/gamedata`, game.data('finished', outcome))
    send('active_game', {id, phase: 'finished'})
    finished(outcome.outcome)
  }
  const tellMove = point => {
    game.play(point)
    send(`game/${game.id}/clock`, game.clockNow())
    send(`game/${game.id}/move`, {game_id: game.id, move_number: game.turns.length, move: game.turns.at(-1)})
  }
  const passes = () => game.turns.slice(-2).filter(([x]) => x < 0).length
  const goOn = () => {
    while (passes() < 2 && !game.isBots()) tellMove(game.answer())
  }
  server.startGame = next => {
    game = next
    send('active_game', {id: game.id, phase: 'play'})
  }
  socket.on('message', data => {
    const [command, body, request] = JSON.parse(data)
    if (command === 'net/ping') send('net/pong', {client: body.client, server: Date.now()})
    else if (command === 'authenticate') send(request, {id: BOT, username: 'bot'})
    else if (command === 'bot/config') server.emit('ready')
    else if (command === 'game/connect') {
      send(`game/${game.id}/gamedata`, game.data())
      goOn()
    } else if (command === 'game/chat') game.chats.push(body.body)
    else if (command === 'game/resign') {
      finish({winner: OPPONENT, outcome: 'Resignation'})
    } else if (command === 'game/move') {
      must(game.isBots(), `the bot is not to move: ${body.move}`)
      const move = body.move === '..' ? [-1, -1] : decode(body.move)[0]
      tellMove(move)
      game.botMoves++
      // the opponent resigns instead of moving, or moves
      if (game.botMoves === game.end) return finish({winner: BOT, outcome: 'Resignation'})
      goOn()
      if (passes() === 2) finish({winner: BOT, outcome: '3.5 points'})
    }
  })
})

/** The commands of a game and their answers, from the bridge's trace. */
function checkTrace({id, clock, size, komi, handicap, stones, bot}, lines) {
  const sent = lines.flatMap(line => (line.includes('>>>') ? [line.split('>>>')[1].trim()] : []))
  const answers = lines.flatMap(line => (line.includes('<<<') ? [line.split('<<<')[1].trim()] : []))
  const where = `game ${id}: ${sent.join(' | ')}`
  const hasSent = start => must(sent.some(command => command.startsWith(start)), `no ${start} in ${where}`)
  hasSent(size[0] === size[1] ? `boardsize ${size[0]}` : `boardsize ${size[0]} ${size[1]}`)
  hasSent('clear_board')
  hasSent(`komi ${komi}`)
  CLOCKS[clock].commands.forEach(hasSent)
  hasSent(`genmove ${bot}`)
  if (handicap) hasSent(bot === 'black' ? `place_free_handicap ${handicap}` : 'set_free_handicap ')
  if (stones) hasSent('play white ')
  must(answers.length > 0 && answers.every(answer => !answer.startsWith('?')), `${answers} in ${where}`)
  const refused = /does not support|Unexpected output|failed|dead bot|Error|crash/
  lines.forEach(line => must(!refused.test(line), `${line} in ${where}`))
}

/** Starts the bridge with one engine for all games, or with an engine for each game, and plays these games. */
async function series(manager, plans) {
  const config = join(process.cwd(), 'gtp2ogs.json5')
  const bot = {command: [engine, '--set', 'Search.Seconds=0.2'], manager, instances: 1, release_delay: 20}
  const texts = {greeting: {en: 'Hello'}, farewell: {en: 'Bye'}}
  writeFileSync(config, JSON.stringify({apikey: 'none', bot, min_move_time: 0, verbosity: 2, ...texts}))
  const program = /\.[cm]?[jt]s$/.test(bridge) ? [process.execPath, bridge] : [bridge]
  const address = `http://127.0.0.1:${server.address().port}`
  const child = spawn(program[0], [...program.slice(1), '--config', config, '--server', address])
  let rest = ''
  const read = data => {
    const lines = (rest + data).split('\n')
    rest = lines.pop()
    // without the colours
    trace.push(...lines.map(line => line.replace(/\x1b\[\d+m/g, '')))
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const failed = new Promise((_, reject) => child.once('exit', code => reject(new Error(`gtp2ogs has ended: ${code}`))))
  await Promise.race([new Promise(resolve => server.once('ready', resolve)), failed])

  let moves = 0
  for (const plan of plans) {
    const begin = trace.length
    const next = new Game(++games, plan)
    const outcome = new Promise(resolve => (finished = resolve))
    server.startGame(next)
    const reason = await Promise.race([outcome, failed])
    must(next.botMoves === plan.end || (reason === 'Resignation') === Boolean(plan.resigns), `game ${next.id}: ${reason}`)
    must(!plan.resigns || next.botMoves < 10, 'a lost game is resigned')
    moves += next.botMoves
    while (!trace.slice(begin).some(line => line.includes('Game over'))) await Promise.race([pause(20), failed])
    checkTrace(next, trace.slice(begin))
    must(next.chats.every(chat => typeof chat === 'object' || /^Waiting for/.test(chat)), JSON.stringify(next.chats))
  }
  must(trace.some(line => line.includes('>>> list_commands')), 'list_commands is sent')
  child.removeAllListeners('exit')
  const ended = new Promise(resolve => child.once('exit', resolve))
  child.kill()
  await ended
  return moves
}

async function main() {
  await new Promise(resolve => server.once('listening', resolve))
  const moves = (await series('pool', GAMES)) + (await series('persistent', GAMES.slice(0, 2)))
  server.close()
  server.clients.forEach(client => client.terminate())
  console.log(`${games} games, ${moves} moves of the engine: ${checks} checks, every check passed`)
}

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

function fail(error) {
  console.error(`${error.stack}\n${trace.slice(-60).join('\n')}`)
  process.exit(1)
}

// a bridge that stops playing is a failure
setTimeout(() => fail(new Error('no end after five minutes')), 300_000).unref()
process.on('uncaughtException', fail)
main().catch(fail)
