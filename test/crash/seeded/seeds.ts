/** A bug that is let into the source, and the test that has to notice it. */
export interface Seed {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** The file of the test, and a part of its title. */
  readonly test: string;
  readonly title: string;
}

const LAST_LOOK = 'test/store/transaction/last-look.test.ts';
const AROUND_A_CRASH = 'test/crash/saves-around-a-crash.test.ts';

/** Bugs by the room that they are let into. */
export const seeds: readonly Seed[] = [
  // The store.
  {
    name: 'no look at the inode between link and rename',
    file: 'src/store/transaction/replace-file.ts',
    from: "if (standing === null || (kind === 'link' && kept?.ino !== standing.ino)) {",
    to: 'if (standing === null || (kind !== null && kept === null)) {',
    test: LAST_LOOK,
    title: 'F10 by a new file',
  },
  {
    name: 'no second look at a displaced file',
    file: 'src/store/open-folder-store.ts',
    from: 'if (done.displaced.length > 0) looks.after(done.displaced);',
    to: '',
    test: LAST_LOOK,
    title: 'F56 an editor that still writes',
  },
  {
    name: 'undo does not know that a change was made again on newer bytes',
    file: 'src/store/transaction/commit.ts',
    from: 'const told = asItCame(intent, outcome);',
    to: 'const told = asItCame(intent, null);',
    test: LAST_LOOK,
    title: 'S2-50 undo of a line',
  },
  {
    name: 'the trash is not synced before the name goes',
    file: 'src/store/transaction/steps.ts',
    from: 'await syncFoldersOf(this.#under, [step.trash, ...made]);',
    to: 'void made;',
    test: 'test/crash/every-call.test.ts',
    title: 'F57 delete into the trash',
  },
  {
    name: 'what was displaced before a crash is displaced again unseen',
    file: 'src/store/transaction/steps.ts',
    from: 'this.context.isRepeat ? await this.#keepEarlierText(index, step, old) : step.before;',
    to: 'step.before;',
    test: AROUND_A_CRASH,
    title: 'F09 F19 two notes',
  },
  {
    name: 'rolling back drops what a person saved in the instant of a swap',
    file: 'src/store/transaction/rollback.ts',
    from: 'const warnings = await keepUnseenTexts(under, intent);',
    to: 'const warnings: readonly string[] = [];',
    test: AROUND_A_CRASH,
    title: 'F19 F53 two notes of which one refuses',
  },
  {
    name: 'rolling back takes whatever stands there for what was staged',
    file: 'src/store/transaction/rollback.ts',
    from: 'staged.hash !== null && hash.startsWith(staged.hash)',
    to: 'staged.hash !== undefined',
    test: 'test/store/transaction/rollback.test.ts',
    title: 'F53 keeps what a person saved into a note',
  },
  {
    name: 'a machine that was started at another time is taken for one that is gone',
    file: 'src/store/folder/process-identity.ts',
    from: "isKnown(other.machine) && other.machine === record.machine ? 'dead' : 'unknown'",
    to: "isKnown(other.machine) ? 'dead' : 'unknown'",
    test: 'test/store/transaction/lock.test.ts',
    title: 'F50 has one holder',
  },
  {
    name: 'an unfinished write from elsewhere is carried out',
    file: 'src/store/transaction/recover.ts',
    from: "return isOurs ? null : 'it was not written in this folder';",
    to: 'return isOurs ? null : null;',
    test: 'test/trust/planted/planted-journal.test.ts',
    title: 'F46 a write of unknown origin',
  },
  {
    name: 'folders are opened through links',
    file: 'src/store/folder/held-folders.ts',
    from: 'const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);',
    to: 'const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);',
    test: 'test/trust/exchange/exchange.test.ts',
    title: 'F47 a folder that becomes a link',
  },
  {
    name: 'a link to the outside, made where folders cannot be held, is left',
    file: 'src/store/folder/node-file-system.ts',
    from: '() => quietly(() => unlinkSync(linked)),',
    to: '() => undefined,',
    test: 'test/trust/exchange/exchange.test.ts',
    title: 'link from',
  },
  {
    name: 'the folder of the vault is not told from another one in its place',
    file: 'src/store/folder/held-folders.ts',
    from: 'if (!isOne(found, known)) throw',
    to: 'if (!isOne(found, known) && found.dev === -1n) throw',
    test: 'test/trust/root-gone.test.ts',
    title: 'F51 a folder that is taken away',
  },
  {
    name: 'the same key with another payload gets the first answer',
    file: 'src/store/records/keys.ts',
    from: 'if (record.payload !== payload) {',
    to: "if (record.payload === '') {",
    test: 'test/store/store-contract.test.ts',
    title: 'a request that is repeated with its key',
  },
  {
    name: 'a note is read in the middle of a save',
    file: 'src/store/folder/read-stable.ts',
    from: 'if (Math.abs(age) > YOUNG_MS) return found;',
    to: 'if (Math.abs(age) >= 0) return found;',
    test: 'test/vault/opening.test.ts',
    title: 'F20 never gives an empty or half note',
  },
  // Links.
  {
    name: 'an alias that was the old name is not renamed with it',
    file: 'src/note/body/relink.ts',
    from: 'change.label !== undefined && link.alias?.trim() === change.label.from',
    to: 'change.label !== undefined && link.alias === undefined',
    test: 'test/vault/links/rename.test.ts',
    title: 'W15',
  },
  {
    name: 'links in properties stay behind',
    file: 'src/note/body/relink.ts',
    from: 'return properties.length === 0 ? after',
    to: 'return properties.length >= 0 ? after',
    test: 'test/vault/links/rename.test.ts',
    title: 'W20',
  },
  // Claims.
  {
    name: 'a claim never ends',
    file: 'src/ops/tasks/view/claims.ts',
    from: 'claim.atMs + rules.ttlMs <= rules.nowMs ? null : claim.by',
    to: 'claim.atMs + rules.ttlMs < 0 ? null : claim.by',
    test: 'test/contract/tasks/tasks-work.test.ts',
    title: 'S1-36',
  },
  {
    name: 'a task that another agent holds is given out',
    file: 'src/ops/tasks/graph-next.ts',
    from: 'if (holder !== null && holder !== context.agent) continue;',
    to: 'if (holder !== null && holder === context.agent) continue;',
    test: 'test/contract/tasks/tasks-work.test.ts',
    title: 'S1-36',
  },
  // History.
  {
    name: 'undo removes a note that somebody changed since',
    file: 'src/vault/plan/undo.ts',
    from: 'if (!this.#isAsLeft(intent, step, path, draft.bytes)) throw changedSince(path, intent.id);\n      draft.bytes = null;',
    to: 'draft.bytes = null;',
    test: 'test/vault/plan/history.test.ts',
    title: 'undo of a creation is refused',
  },
  {
    name: 'what an editor makes anew loses what it was before',
    file: 'src/vault/plan/external-edits.ts',
    from: 'pending.get(change.before?.path ?? path)',
    to: 'pending.get(change.before?.path ?? ``)',
    test: 'test/vault/plan/history-truth.test.ts',
    title: 'S1-88 an editor that removes a note',
  },
  {
    name: 'a write that was taken back is recorded as an edit of a person',
    file: 'src/vault/plan/write.ts',
    from: '    options.index(external.paths());\n',
    to: '',
    test: 'test/vault/plan/history-truth.test.ts',
    title: 'F53',
  },
  {
    name: 'a torn line of the history swallows the next one',
    file: 'src/store/records/segments.ts',
    from: "(size !== undefined && size > end ? '\\n' : '')",
    to: "(size !== undefined && size < end ? '\\n' : '')",
    test: 'test/vault/plan/history.test.ts',
    title: 'a torn last line',
  },
  // HTTP.
  {
    name: 'Host is compared by its end',
    file: 'src/faces/http/guard.ts',
    from: 'isAnyAddress || names.has(name)',
    to: 'isAnyAddress || [...names].some((known) => name.endsWith(known))',
    test: 'test/faces/http/origins.test.ts',
    title: 'a Host is compared whole',
  },
  {
    name: 'Origin is compared by its beginning',
    file: 'src/faces/http/guard.ts',
    from: 'origin === `http://${host}`',
    to: 'origin.startsWith(`http://${host}`)',
    test: 'test/faces/http/origins.test.ts',
    title: 'an Origin',
  },
  {
    name: 'a beginning of the token is enough',
    file: 'src/faces/http/guard.ts',
    from: 'timingSafeEqual(given, digest(options.token()))',
    to: 'options.token().startsWith(token)',
    test: 'test/faces/http/http.test.ts',
    title: 'F42 with a token',
  },
  {
    name: 'a server that was known once is believed for ever',
    file: 'src/faces/stdio/proxy/server-link.ts',
    from: '!(await this.#isThere())',
    to: 'await this.#isThere() === null',
    test: 'test/faces/stdio/strangers.test.ts',
    title: 'is told nothing either',
  },
  // The store of several machines.
  {
    name: 'no row lock',
    file: 'src/store/shared/database/vault-row.ts',
    from: ' FOR NO KEY UPDATE`',
    to: '`',
    test: 'test/store/shared/one-order.test.ts',
    title: 'P-02 four machines',
  },
  {
    name: 'the answer comes before the commit',
    file: 'src/store/shared/database/decide.ts',
    from: 'await commit(connection).catch(',
    to: 'void commit(connection).catch(',
    test: 'test/store/shared/doubt.test.ts',
    title: 'the caller hears so',
  },
  {
    name: 'what became of a turn is guessed',
    file: 'src/store/shared/database/decide.ts',
    from: '.catch(() => outcomes.settle(turn.batches, { signal, lost: taken.session }))',
    to: '.catch(() => undefined)',
    test: 'test/store/shared/doubt.test.ts',
    title: 'the caller hears so',
  },
  {
    name: 'a copy stands at a commit before its files are in place',
    file: 'src/store/shared/working-copy.ts',
    from: 'const { paths, isRecorded, left } = await putInPlace(held',
    to: 'await stand(shared, last?.seq ?? seq ?? 0, last?.batch ?? null);\n    const { paths, isRecorded, left } = await putInPlace(held',
    test: 'test/store/shared/simulation.test.ts',
    title: 'in the end every copy',
  },
  {
    name: 'what could not be put in place counts as being there',
    file: 'src/store/shared/working-copy.ts',
    from: 'edits.settle(filesBefore(leftOut.changes));',
    to: '',
    test: 'test/store/shared/simulation.test.ts',
    title: 'in the end every copy',
  },
  {
    name: 'a restart forgets what could not be put in place',
    file: 'src/store/shared/working-copy.ts',
    from: 'unplaced: leftOut.changes }',
    to: 'unplaced: [] }',
    test: 'test/store/shared/simulation.test.ts',
    title: 'in the end every copy',
  },
  {
    name: 'a merge starts from the wrong side',
    file: 'src/store/shared/incoming/incoming.ts',
    from: 'base: earlier, ours: ours.bytes',
    to: 'base: ours.bytes, ours: ours.bytes',
    test: 'test/store/shared/simulation.test.ts',
    title: 'in the end every copy',
  },
];
