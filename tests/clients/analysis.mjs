// Sabaki's GTP library reads analysis streams: `node analysis.mjs ENGINE`.
//
// As in the front end, a stream is requested, read line by line, and ended by the next command. `read` checks in each line
// the fields that the front end uses. Exits with code 1 at the first failed check.

import gtp from '@sabaki/gtp'

const {Controller} = gtp
const [engine] = process.argv.slice(2)
const SIZE = 9
const FILES = 'ABCDEFGHJ'

let checks = 0

function must(holds, what) {
  checks++
  if (!holds) throw new Error(what)
}

/** The moves of a line, each with its values and its variation. The front end ignores a segment without a variation at its
 * end, a move or a winrate; here it is an error. */
function read(line, isKata) {
  const segments = line.split(/\s*info\s+/).slice(1)
  must(segments.length > 0, `no move in ${line}`)
  return segments.map((segment, order) => {
    const at = segment.search(/ pv /)
    must(at > 0, `no pv in ${segment}`)
    const words = segment.slice(0, at).split(' ')
    must(words.length % 2 === 0, `keys without values in ${segment}`)
    const values = Object.fromEntries(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1]]] : [])))
    const variation = segment.slice(at + 4).split(' ')
    for (const vertex of variation) {
      const [file, rank] = [FILES.indexOf(vertex[0]), Number(vertex.slice(1))]
      must(vertex === 'pass' || (file >= 0 && rank >= 1 && rank <= SIZE), `${vertex} in ${segment}`)
    }
    must(values.move === variation[0], `the variation of another move: ${segment}`)
    must(values.order === String(order), `out of order: ${segment}`)
    must(/^\d+$/.test(values.visits), `visits of ${segment}`)
    must(isKata ? /^[01]\.\d+$/.test(values.winrate) : /^\d+$/.test(values.winrate), `winrate of ${segment}`)
    // in per cent, as the front end shows it
    const winrate = isKata ? values.winrate * 100 : values.winrate / 100
    must(winrate >= 0 && winrate <= 100, `winrate of ${segment}`)
    must(values.scoreLead == null || (isKata && Math.abs(values.scoreLead) <= 100), `lead of ${segment}`)
    return {move: values.move, visits: Number(values.visits), winrate, variation}
  })
}

const controller = new Controller(engine, ['--set', 'Search.Seconds=0.5', '--set', `Game.BoardSize=${SIZE}`], {})
controller.on('stderr', ({content}) => must(false, `on stderr: ${content}`))

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Starts an analysis, waits for `count` reports, ends it by `end` or by a command, and gives the reports.
 * The library itself cannot send a line without a command. */
async function listen(name, args, count, end = null) {
  const reports = []
  let ended = false
  const done = controller.sendCommand({name, args}, ({line, end}) => {
    must(!ended, `after the end: ${line}`)
    if (line.startsWith('info ')) reports.push(read(line, name.startsWith('kata')))
    else must(end || line.startsWith('='), `neither head nor end: ${line}`)
    ended = end
  })
  while (reports.length < count) await pause(20)
  if (end != null) {
    controller.process.stdin.write(end)
    must(!(await done).error && !controller.busy, `${name} has not ended by ${JSON.stringify(end)}`)
  }
  const version = await controller.sendCommand({name: 'protocol_version'})
  must(!version.error && version.content === '2', `protocol_version: ${version.content}`)
  must(!(await done).error && ended, `${name} has not ended`)
  return reports
}

/** Lets the engine choose a move, with checks of the reports before it. */
async function genmove(name, args) {
  const reports = []
  let played = null
  const {error} = await controller.sendCommand({name, args}, ({line}) => {
    if (line.startsWith('info ')) {
      must(played == null, `after the move: ${line}`)
      reports.push(read(line, name.startsWith('kata')))
    } else if (line.startsWith('play ')) {
      played = line.slice('play '.length).trim()
    }
  })
  must(!error && played != null && reports.length > 0, `${name}: ${played}, ${reports.length} reports`)
  must(reports.at(-1).some(({move}) => move === played) || played === 'pass', `${played} was not in the last report`)
  return played
}

async function main() {
  const {content} = await controller.sendCommand({name: 'list_commands'})
  const listed = content.split('\n')
  const names = ['kata-analyze', 'kata-genmove_analyze', 'lz-analyze', 'lz-genmove_analyze']
  for (const name of names) must(listed.includes(name), `${name} is listed`)
  // with these names the front end would read whole numbers only
  for (const name of ['analyze', 'genmove_analyze']) must(!listed.includes(name), `${name} is not listed`)

  let reports = 0
  let color = 'B'
  for (let ply = 0; ply < 6; ply++) {
    for (const name of ['kata-analyze', 'lz-analyze']) {
      // an empty line, white space and a comment are not answered
      const end = [null, '\n', ' \t\r\n', '# a comment\n'][(2 * ply + (name === 'lz-analyze' ? 1 : 0)) % 4]
      const received = await listen(name, [color, '5'], 5, end)
      const visits = received.map(moves => moves.reduce((sum, {visits}) => sum + visits, 0))
      must(visits.every((count, i) => i === 0 || count >= visits[i - 1]), `visits of ${name}: ${visits}`)
      // the best move first, which need not have the most visits
      must(received.every(moves => new Set(moves.map(({move}) => move)).size === moves.length), `moves of ${name}`)
      reports += received.length
    }
    const name = ply % 2 === 0 ? 'kata-genmove_analyze' : 'lz-genmove_analyze'
    const played = await genmove(name, [color, '10'])
    must(played !== 'resign', 'resigned')
    const {content: last} = await controller.sendCommand({name: 'last_move'})
    must(last === `${color === 'B' ? 'black' : 'white'} ${played}`, `${last} is not ${color} ${played}`)
    color = color === 'B' ? 'W' : 'B'
  }
  const stopped = new Promise(resolve => controller.once('stopped', resolve))
  await controller.stop()
  must((await stopped).signal === 0, 'exit code')
  console.log(`${reports} reports: ${checks} checks, every check passed`)
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
