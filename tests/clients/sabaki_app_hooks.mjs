// Loads modules of Sabaki's sources outside of its window, for sabaki_app.mjs: the libraries of this folder in place of its
// bundle, and nothing in place of the window.

import {pathToFileURL} from 'node:url'
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'

const {resolve: locate} = createRequire(import.meta.url)
let sources = ''

/** The names that Sabaki imports from a CommonJS library. */
const LIBRARIES = {
  '@sabaki/go-board': ['fromDimensions'],
  '@sabaki/gtp': ['Controller', 'ControllerStateTracker', 'Command'],
  '@sabaki/sgf': ['parseCompressedVertices', 'parseVertex', 'stringifyVertex'],
  '@sabaki/immutable-gametree': []
}

const REPLACED = {
  uuid: `export {randomUUID as v4} from 'node:crypto'`,
  'argv-split': `export default text => text.split(' ').filter(word => word !== '')`,
  electron: 'export const ipcRenderer = {on() {}}',
  '../i18n.js': `const say = (text, values) => (typeof text === 'function' ? text(values ?? {}) : text)
    export default {context: () => say}`
}

export function initialize(data) {
  sources = pathToFileURL(data.sources).href
}

export function resolve(specifier, context, next) {
  const text = source => ({url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true})
  if (!context.parentURL?.startsWith(sources)) return next(specifier, context)
  if (specifier in REPLACED) return text(REPLACED[specifier])
  if (specifier in LIBRARIES) {
    const path = JSON.stringify(pathToFileURL(locate(specifier)).href)
    const names = LIBRARIES[specifier].map(name => `export const ${name} = library.${name}`)
    return text([`import library from ${path}`, 'export default library', ...names].join('\n'))
  }
  return next(specifier, context)
}

export async function load(url, context, next) {
  if (!url.startsWith(sources)) return next(url, context)
  return {format: 'module', source: await readFile(new URL(url)), shortCircuit: true}
}
