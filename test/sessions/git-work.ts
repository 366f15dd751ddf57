import { setTimeout } from 'node:timers/promises';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGitVault } from '../support/git.ts';
import type { GitVault } from '../support/git.ts';
import { openTestVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import type { Random } from '../support/random.ts';
import type { Ledger } from './ledger.ts';

/** What git keeps of the vault. */
const FOLDER = 'git';

/** A vault whose folder `git` is kept in git, with a colleague who works on a clone of it and pushes. */
export interface SharedRepository {
  readonly vault: GitVault;
  readonly colleague: GitVault;
  dispose(): void;
}

/** Makes the vault a repository with a bare one beside it, and a clone for the colleague. */
export function openSharedRepository(vault: TestVault): SharedRepository {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'roux-remote-')));
  const [bare, clone] = [join(place, 'bare.git'), join(place, 'clone')];
  const own = openGitVault(vault, [FOLDER]);
  own.git('clone', '--quiet', '--bare', vault.root, bare);
  own.git('remote', 'add', 'origin', bare);
  own.git('clone', '--quiet', bare, clone);
  const colleague = openGitVault(openTestVault(clone), [FOLDER]);
  return { vault: own, colleague, dispose: () => rmSync(place, { recursive: true, force: true }) };
}

/** Somebody who works with branches in one folder of the vault, and pulls what the colleague has pushed. */
export async function gitAtWork(options: {
  readonly repository: SharedRepository;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly isOver: () => boolean;
}): Promise<void> {
  const { random, ledger, isOver } = options;
  const { vault, colleague } = options.repository;
  const tried = (what: string, status: number | null): void => ledger.count(status === 0 ? what : `${what} refused`);
  const commit = (message: string): void => {
    vault.try('add', FOLDER);
    tried('git commit', vault.try('commit', '--quiet', '--message', message).status);
  };
  vault.git('checkout', '--quiet', '-f', '-b', 'side');
  for (let round = 0; !isOver(); round += 1) {
    vault.write(`${FOLDER}/Branch ${random.pick([1, 2, 3, 4])}.md`, `Round ${round}. [[Shared A]] and [[Shared Ç]].\n`);
    commit(`round ${round}`);
    await setTimeout(200 + random.below(800));
    tried('git checkout', vault.try('checkout', '--quiet', '-f', random.pick(['main', 'side'])).status);
    if (random.chance(0.4)) {
      colleague.write(`${FOLDER}/Colleague ${random.below(3)}.md`, `Of a colleague in round ${round}. [[Shared B]] and [[Hub]].\n`);
      colleague.commit(`colleague ${round}`);
      colleague.git('push', '--quiet', 'origin', 'main');
      // The links that roux has rewritten meanwhile are committed first, as git would ask for.
      commit(`before the pull in round ${round}`);
      const pulled = vault.try('pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main');
      tried('git pull', pulled.status);
      if (pulled.status !== 0) vault.try('merge', '--abort');
    }
    await setTimeout(300 + random.below(1_000));
  }
}
