import { readFileSync } from 'node:fs';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';

/** What a process did to the files of a vault, or that it has answered. Paths are vault-relative. */
export type TracedCall =
  | { readonly kind: 'create' | 'makeFolder' | 'remove' | 'removeFolder' | 'sync' | 'syncFolder'; readonly path: string }
  /** `at`: where bytes were replaced; absent where they were appended. */
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Buffer; readonly at?: number }
  | { readonly kind: 'cut'; readonly path: string; readonly size: number }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly path: string }
  /** The answer to a call of a tool went out. */
  | { readonly kind: 'answer'; readonly id: number };

/** How strace is told to write down what `readTrace` reads. */
export const STRACE: readonly string[] = [
  'strace',
  '-f',
  '-y',
  '-qq',
  '-xx',
  '-s',
  '4000000',
  '-e',
  'trace=openat,open,creat,write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,ftruncate',
];

/** What strace has written down of a server on the vault in this folder: what happened, in the order in which it was done. */
export function readTrace(file: string, root: string): readonly TracedCall[] {
  const begun = new Map<string, string>();
  /** Folders by number of descriptor: names below `/proc/<pid>/fd/<n>` are meant so. */
  const open = new Map<string, string>();
  const calls: TracedCall[] = [];
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const [, pid = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(text);
    if (unfinished !== null) {
      begun.set(pid, unfinished[1] ?? '');
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    const whole = resumed === null ? text : `${begun.get(pid) ?? ''}${resumed[1] ?? ''}`;
    const [, name = '', args = '', result = '', where] = /^(\w+)\((.*)\) += (-?\d+)(?:<((?:\\x[0-9a-f]{2}|[^>])*)>)?/.exec(whole) ?? [];
    if (name === '' || result.startsWith('-')) continue;
    if (name === 'openat' && where !== undefined) open.set(result, unescape(where).toString());
    calls.push(
      ...callsOf({ name, args, where: where === undefined ? null : unescape(where).toString() }, { root, open, size: Number(result) }),
    );
  }
  return calls;
}

function unescape(text: string): Buffer {
  return Buffer.from(
    text.replace(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

function callsOf(
  { name, args, where }: { readonly name: string; readonly args: string; readonly where: string | null },
  { root, open, size }: { readonly root: string; readonly open: ReadonlyMap<string, string>; readonly size: number },
): readonly TracedCall[] {
  /** A path in the vault, or null for one that is elsewhere. */
  const inVault = (path: string): string | null => {
    const [, number = '', rest = ''] = /^\/proc\/(?:\d+|self)\/fd\/(\d+)(\/.*)?$/.exec(path) ?? [];
    const real = number === '' ? path : `${open.get(number) ?? '/unknown'}${rest}`;
    return real === root ? '' : real.startsWith(`${root}/`) ? real.slice(root.length + 1) : null;
  };
  const texts = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) => unescape(text));
  const paths = texts.map((text) => inVault(text.toString()));
  const [, number = '', at = ''] = /^(\d+)<((?:\\x[0-9a-f]{2}|[^>])*)>/.exec(args) ?? [];
  const own = number === '' ? null : inVault(unescape(at).toString());
  switch (name) {
    case 'openat': {
      const path = where === null ? null : inVault(where);
      if (path === null || !args.includes('O_CREAT')) return [];
      return [{ kind: 'create', path }];
    }
    case 'write':
    case 'writev': {
      const bytes = Buffer.concat(texts);
      if (number === '1') return answersIn(bytes.toString());
      return own === null ? [] : [{ kind: 'write', path: own, bytes: bytes.subarray(0, size) }];
    }
    case 'pwrite64':
    case 'pwritev': {
      const bytes = Buffer.concat(texts).subarray(0, size);
      return own === null ? [] : [{ kind: 'write', path: own, bytes, at: Number(/, (\d+)$/.exec(args)?.[1]) }];
    }
    case 'fsync':
    case 'fdatasync':
      return own === null ? [] : [{ kind: 'sync', path: own }];
    case 'ftruncate':
      return own === null ? [] : [{ kind: 'cut', path: own, size: Number(/, (\d+)$/.exec(args)?.[1]) }];
    case 'rename':
    case 'renameat':
    case 'renameat2':
    case 'link':
    case 'linkat': {
      const [from = null, path = null] = paths;
      if (from === null || path === null) return [];
      return [{ kind: name.startsWith('rename') ? 'rename' : 'link', from, path }];
    }
    case 'unlink':
    case 'unlinkat':
    case 'mkdir':
    case 'mkdirat':
    case 'rmdir': {
      const [path = null] = paths;
      if (path === null) return [];
      const isFolder = name === 'rmdir' || args.includes('AT_REMOVEDIR');
      return [{ kind: name.startsWith('mkdir') ? 'makeFolder' : isFolder ? 'removeFolder' : 'remove', path }];
    }
    default:
      return [];
  }
}

function answersIn(text: string): readonly TracedCall[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"result"'))
    .map((line) => ({ kind: 'answer', id: Number((JSON.parse(line) as { id: number }).id) }) as const);
}

/** The disk after so many calls of a trace that began with these files. */
export async function replay(notes: Readonly<Record<string, string>>, calls: readonly TracedCall[], count: number): Promise<SimulatedDisk> {
  const disk = simulatedDisk(notes);
  const { files } = disk;
  for (const call of calls.slice(0, count)) {
    switch (call.kind) {
      case 'answer':
        break;
      case 'create':
        // Also what was there already, and was opened to be added to.
        if (files.stat(call.path) === null) files.create(call.path, 0o666);
        break;
      case 'write':
        files.append(call.path).write(call.bytes, call.at);
        break;
      case 'sync':
      case 'syncFolder':
        if (files.stat(call.path)?.kind === 'folder') await files.syncFolder(call.path);
        else if (files.stat(call.path) !== null) await files.append(call.path).sync();
        break;
      case 'cut':
        files.cut(call.path, call.size);
        break;
      case 'rename':
      case 'link':
        files[call.kind](call.from, call.path);
        break;
      default:
        files[call.kind](call.path);
    }
  }
  return disk;
}
