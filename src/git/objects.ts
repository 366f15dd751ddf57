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

/** The objects of an open repository. */
export interface GitObjects {
  /** Returns the object with an id, or with its first digits and type (`^{commit}`); null for none or several. */
  read(name: string): Promise<GitObject | null>;
  /** How many were asked for. */
  readonly count: number;
  close(): void;
}

/** Longest time that git may take. */
const MAX_RUN_MS = 15_000;
/** Largest object that is read; larger ones are not notes. */
const MAX_OBJECT_BYTES = 32 * 1024 * 1024;
/** Largest commit object, with message and parents. */
const MAX_COMMIT_BYTES = 1024 * 1024;
/** Bytes read from all objects together. */
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;
/** Largest allocation of git. A delta object takes three: its base, the delta and itself. */
const MAX_ALLOCATION_BYTES = MAX_OBJECT_BYTES + 1024 * 1024;
/** Address space of git where the system supports a limit: mostly mapped files. */
const MAX_ADDRESS_KB = 1024 * 1024;
/** Packs and their files. */
const MAX_PACKS = 50_000;

/** Settings against what a stranger's repository could make git do, none of which is needed to read an object. */
const BARE_SETTINGS = [
  'protocol.allow=never',
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  `core.bigFileThreshold=${MAX_OBJECT_BYTES}`,
  'core.useReplaceRefs=false',
  'core.packedGitWindowSize=16m',
  'core.packedGitLimit=64m',
  'core.deltaBaseCacheLimit=16m',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

/**
 * Opens the objects of a repository for reading, using only `git cat-file --batch`. Git gets a folder of ours without a configuration,
 * since the repository's may have come with the vault and name programs. Nothing is fetched, no other repository (alternates) is read, and
 * no link among the object files is followed (docs/security.md). `digits`: length of an id.
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
      GIT_ALLOC_LIMIT: String(MAX_ALLOCATION_BYTES),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_RUN_MS);
  const answers = new Answers(child);
  const seen = new Set<string>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    async read(name) {
      count += 1;
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

/** Returns the command for a program with a memory limit; unchanged on systems without one. */
function withinMemory(file: string, args: readonly string[]): readonly [file: string, args: readonly string[]] {
  if (process.platform !== 'linux') return [file, args];
  return ['/bin/sh', ['-c', `ulimit -v ${MAX_ADDRESS_KB}; exec "$0" "$@"`, file, ...args]];
}

/** Creates a minimal git folder. */
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
      throw unexpectedFile(path === folder ? 'objects' : 'objects/pack or objects/info');
  }
  for (const name of ['alternates', 'http-alternates']) {
    if (kindOf(join(folder, 'info', name)) !== null) throw unread('it reads objects of another repository along (objects/info/alternates)');
  }
  requirePlainFiles(join(folder, 'pack'));
}

/** Throws for an object folder with anything but files: a link would lead elsewhere, and a FIFO would block. */
function requirePlainFiles(folder: string): void {
  const kind = kindOf(folder);
  if (kind === null) return;
  if (kind !== 'folder') throw unexpectedFile('a folder of objects');
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.length > MAX_PACKS || entries.some((entry) => !entry.isFile())) throw unexpectedFile('an object');
}

function unexpectedFile(what: string): RouxError {
  return unread(`${what} in it is a link, or nothing that git makes`);
}

function unread(why: string): RouxError {
  return new RouxError('IO_ERROR', `The git repository of this vault is not read: ${why}.`);
}

/** Requests to `cat-file --batch`, one after the other. */
class Answers {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #bytesLeft = MAX_TOTAL_BYTES;

  constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
    // Closed streams show that git ended.
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    this.#chunks = (child.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async ask(name: string): Promise<GitObject | null> {
    this.#child.stdin.write(`${name}\n`);
    const head = await this.#line();
    const [, id = '', type = '', length] = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(head) ?? [];
    if (length === undefined) return null;
    const most = type === 'commit' || type === 'tag' ? MAX_COMMIT_BYTES : MAX_OBJECT_BYTES;
    if (Number(length) > most)
      throw this.#end(`What git keeps there (a ${type}) has ${length} bytes, and roux reads no more than ${most} of it.`);
    this.#bytesLeft -= Number(length);
    if (this.#bytesLeft < 0)
      throw this.#end(
        `Looking for it takes more than ${MAX_TOTAL_BYTES / 1024 ** 2} MB of this vault's git history. Name the commit, as "git log" shows it.`,
      );
    const bytes = await this.#bytes(Number(length) + 1);
    return { id, type, bytes: bytes.subarray(0, -1) };
  }

  /** Ends git; returns the error with the reason. */
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
        `git ended before it answered: an object is damaged or takes more memory than git is given, or it took longer than ${MAX_RUN_MS / 1000} seconds`,
      );
    return value;
  }
}
