/**
 * A thread that looks for the text on which a regular expression takes longest: by trying short texts, of pieces of the expression itself
 * and of common characters, repeated, between some beginnings and ends. The slowest of them are then tried at full length.
 */
import { parentPort, workerData } from 'node:worker_threads';

const { length: FULL_LENGTH, seed: SEED, isThorough } = workerData;
const SHORT_LENGTH = isThorough ? 1_000 : 400;
const COMMON = [' ', '\t', '\n', 'a', '0', '/', '-', '.', '_', '(', '[', '"', '\\', 'x'];
/** So slow is no short text by chance. */
const SUSPICIOUS_MS = 20;
const CLASSES = { t: '\t', n: '\n', r: '\r', s: ' ', d: '0', w: 'a', S: 'a', W: '-', D: 'a' };

let state = SEED;
const chance = (below) => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) % below;
const mix = (pieces, count) => Array.from({ length: count }, () => pieces[chance(pieces.length)]).join('');

/** The characters of an expression, and what stands in a row in it. */
function piecesOf(source) {
  const [characters, rows] = [new Set(), new Set()];
  let row = '';
  const end = () => {
    if (row.length > 1) rows.add(row.slice(0, 24));
    row = '';
  };
  for (let at = 0; at < source.length; at += 1) {
    let character = source[at];
    if (character === '\\') {
      at += 1;
      character = source[at];
      if ('pPk'.includes(character)) {
        at = Math.max(at, source.indexOf('}', at));
        characters.add('é').add('\u0300');
        end();
        continue;
      }
      if (character === 'u' && /^[0-9a-f]{4}$/i.test(source.slice(at + 1, at + 5))) {
        character = String.fromCharCode(parseInt(source.slice(at + 1, at + 5), 16));
        at += 4;
      } else character = CLASSES[character] ?? character;
    } else if ('()[]{}|*+?^$'.includes(character)) {
      if ('()|*+?'.includes(character)) end();
      continue;
    }
    characters.add(character);
    row += character;
  }
  end();
  return { characters: [...characters], rows: [...rows] };
}

function attacksOn(source) {
  const { characters, rows } = piecesOf(source);
  const pieces = [...characters, ...rows, ...rows];
  const few = characters.slice(0, isThorough ? 10 : 6);
  const pumps = new Set([...characters, ...COMMON, ...rows, ...few.flatMap((one) => few.map((other) => one + other))]);
  const starts = new Set(['', ...rows.slice(0, isThorough ? 3 : 1)]);
  if (isThorough) starts.add('x');
  if (pieces.length > 0) {
    for (let count = 0; count < (isThorough ? 60 : 15); count += 1) pumps.add(mix(pieces, 2 + chance(4)));
    for (let count = 0; count < (isThorough ? 4 : 1); count += 1) starts.add(mix(pieces, 1 + chance(4)));
  }
  const ends = isThorough ? new Set(['', '\u0001', '\n\u0001', ...few.slice(0, 2)]) : ['\u0001', ...few.slice(0, 1)];
  return [...pumps].flatMap((pump) => [...starts].flatMap((start) => [...ends].map((end) => ({ start, pump, end }))));
}

const textOf = ({ start, pump, end }, length) => start + pump.repeat(Math.ceil(length / pump.length)) + end;

function cost(pattern, text) {
  pattern.lastIndex = 0;
  const before = performance.now();
  if (pattern.global) text.replace(pattern, '');
  else pattern.test(text);
  return performance.now() - before;
}

parentPort.on('message', ({ source, flags, length = FULL_LENGTH }) => {
  const pattern = new RegExp(source, flags);
  const slowest = [];
  for (const attack of attacksOn(source)) {
    const text = textOf(attack, Math.min(SHORT_LENGTH, length));
    // A fast one is fast; what a busy machine made slow is not slow again.
    const took = cost(pattern, text);
    if (slowest.length === 3 && took <= slowest[2].took) continue;
    slowest.push({ attack, took: Math.min(took, cost(pattern, text)) });
    slowest.sort((one, other) => other.took - one.took);
    slowest.length = Math.min(slowest.length, 3);
    if (slowest[0].took > SUSPICIOUS_MS) break;
  }
  for (const { attack } of slowest) {
    parentPort.postMessage({ attack });
    cost(pattern, textOf(attack, length));
  }
  parentPort.postMessage({ done: true });
});
