import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { RouxError } from '../errors.ts';
import { findGit, SAFE_SETTINGS } from './program.ts';
import { kindOf } from './repository.ts';

/** One object of a repository. */
export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The objects of a repository, as long as it is open. */
export interface GitObjects {
  /** The object of an id, or of its first digits with what they are to be (`^{commit}`); null where there is none or there are several. */
  read(name: string): Promise<GitObject | null>;
  close(): void;
}

/** One look into a repository takes no longer. */
const MAX_MS = 15_000;
/** Larger objects are no notes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Nobody writes a longer message, or merges so many branches. */
const MAX_COMMIT_BYTES = 1024 * 1024;
/** One look reads no more of all objects together. */
const MAX_LOOK_BYTES = 512 * 1024 * 1024;
/** Git refuses a larger piece of memory. An object that is kept as a difference takes three: its base, the difference and itself. */
const MAX_PIECE_BYTES = MAX_BYTES + 1024 * 1024;
/** Where the system limits the memory of a process, git gets no more, whatever it is for: mostly mapped files. */
const MAX_ADDRESS_KB = 1024 * 1024;
/** So many packs and files of packs. */
const MAX_PACKS = 50_000;

/** What a stranger's repository could make git do, and what of it is not needed to read an object. */
const BARE_SETTINGS = [
  'protocol.allow=never',
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  `core.bigFileThreshold=${MAX_BYTES}`,
  'core.useReplaceRefs=false',
  'core.packedGitWindowSize=16m',
  'core.packedGitLimit=64m',
  'core.deltaBaseCacheLimit=16m',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

/**
 * Opens the objects of a repository for reading, with `git cat-file --batch` alone. Git is given a folder of ours for its own, without a
 * configuration: that of the repository may have come with the vault and name programs. Nothing is fetched, no other
 * repository is read along (alternates), and no link among the files of the objects is passed (docs/security.md). `digits`: of an id.
 */
export function openObjects(git: string, { vault, digits }: { readonly vault: string; readonly digits: number }): GitObjects {
  const folder = join(git, 'objects');
  requirePlain(folder);
  const program = findGit({ vault });
  const own = makeOwnFolder(digits);
  const [file, args] = withinMemory(program.file, [...SAFE_SETTINGS, ...BARE_SETTINGS, 'cat-file', '--batch']);
  const child = spawn(file, args, {
    cwd: own,
    env: {
      ...program.env,
      GIT_DIR: own,
      GIT_OBJECT_DIRECTORY: folder,
      GIT_NO_LAZY_FETCH: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_ALLOC_LIMIT: String(MAX_PIECE_BYTES),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_MS);
  const answers = new Answers(child);
  const seen = new Set<string>();
  return {
    async read(name) {
      const fan = name.slice(0, 2);
      if (!seen.has(fan)) requirePlainFiles(join(folder, fan));
      seen.add(fan);
      return answers.ask(name);
    },
    close() {
      clearTimeout(timer);
      child.kill('SIGKILL');
      rmSync(own, { recursive: true, force: true });
    },
  };
}

/** How a program is started with a limit of its memory; as it is where the system has none that holds. */
function withinMemory(file: string, args: readonly string[]): readonly [file: string, args: readonly string[]] {
  if (process.platform !== 'linux') return [file, args];
  return ['/bin/sh', ['-c', `ulimit -v ${MAX_ADDRESS_KB}; exec "$0" "$@"`, file, ...args]];
}

/** Git's own folder, empty but for what makes it one. */
function makeOwnFolder(digits: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'roux-git-'));
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  const format = digits === 64 ? '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n' : '';
  writeFileSync(join(folder, 'config'), format);
  return folder;
}

function requirePlain(folder: string): void {
  for (const path of [folder, join(folder, 'pack'), join(folder, 'info')]) {
    const kind = kindOf(path);
    if (kind !== 'folder' && !(kind === null && path !== folder))
      throw strange(path === folder ? 'objects' : 'objects/pack or objects/info');
  }
  for (const name of ['alternates', 'http-alternates']) {
    if (kindOf(join(folder, 'info', name)) !== null) throw unread('it reads objects of another repository along (objects/info/alternates)');
  }
  requirePlainFiles(join(folder, 'pack'));
}

/** Refuses a folder of objects that holds anything but files: a link would lead elsewhere, and a FIFO be waited for. */
function requirePlainFiles(folder: string): void {
  const kind = kindOf(folder);
  if (kind === null) return;
  if (kind !== 'folder') throw strange('a folder of objects');
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.length > MAX_PACKS || entries.some((entry) => !entry.isFile())) throw strange('an object');
}

function strange(what: string): RouxError {
  return unread(`${what} in it is a link, or nothing that git makes`);
}

function unread(why: string): RouxError {
  return new RouxError('IO_ERROR', `The git repository of this vault is not read: ${why}.`);
}

/** What `cat-file --batch` answers, one question after the other. */
class Answers {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #bytesLeft = MAX_LOOK_BYTES;

  constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
    // Both ends say by their closing that git is gone.
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    this.#chunks = (child.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async ask(name: string): Promise<GitObject | null> {
    this.#child.stdin.write(`${name}\n`);
    const head = await this.#line();
    const [, id = '', type = '', length] = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(head) ?? [];
    if (length === undefined) return null;
    const most = type === 'commit' || type === 'tag' ? MAX_COMMIT_BYTES : MAX_BYTES;
    if (Number(length) > most)
      throw this.#end(`What git keeps there (a ${type}) has ${length} bytes, and roux reads no more than ${most} of it.`);
    this.#bytesLeft -= Number(length);
    if (this.#bytesLeft < 0)
      throw this.#end(
        `Looking for it takes more than ${MAX_LOOK_BYTES / 1024 ** 2} MB of this vault's git history. Name the commit, as "git log" shows it.`,
      );
    const bytes = await this.#bytes(Number(length) + 1);
    return { id, type, bytes: bytes.subarray(0, -1) };
  }

  /** Ends git; the error says why nothing more is read. */
  #end(why: string): RouxError {
    this.#child.kill('SIGKILL');
    return new RouxError('TOO_LARGE', why);
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end >= 0) {
        const line = this.#rest.toString('utf8', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (this.#rest.length > 4096) throw unread('git answers something else than it was asked');
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
    }
  }

  async #bytes(length: number): Promise<Buffer> {
    const parts = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const part = await this.#next();
      parts.push(part);
      have += part.length;
    }
    const all = Buffer.concat(parts);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#chunks.next();
    if (done === true)
      throw unread(
        `git ended before it answered: an object is damaged or takes more memory than git is given, or it took longer than ${MAX_MS / 1000} seconds`,
      );
    return value;
  }
}
