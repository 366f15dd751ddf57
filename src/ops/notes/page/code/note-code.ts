import * as z from 'zod';
import { readNoteAnchors } from '../../../../vault/code/anchored-notes.ts';
import type { AnchoredNote } from '../../../../vault/code/anchored-notes.ts';
import type { CodeChange } from '../../../../vault/code/code-changes.ts';
import { findDeadAnchors } from '../../../../vault/code/find-dead-anchors.ts';
import type { DeadAnchor } from '../../../../vault/code/find-dead-anchors.ts';
import { findUnconfirmed } from '../../../../vault/code/find-unconfirmed.ts';
import { defineOperation } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { readShown } from '../edit/shown-note.ts';

/** An entry of `applies_to`. */
interface ShownAnchor {
  readonly text: string;
  readonly state: 'found' | DeadAnchor['kind'];
  /** The path that its link leads to; absent for an invalid one. */
  readonly path?: string;
  readonly moved_to?: string;
  readonly problem?: string;
}

/** Changes that are named. */
const MAX_CHANGES = 20;
const MAX_TEXT_CHARACTERS = 500;

/** Returns which code a note is about, and what of it is gone or changed since the note was confirmed. */
export const noteCode = defineOperation({
  name: 'note_code',
  toolset: null,
  title: 'Code that a note is about',
  summary: 'The paths in applies_to of a note, which of them lead to nothing, and the code that changed since the note was confirmed.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096) }),
  async run(context, { path }) {
    const { vault } = context;
    const { entry } = await readShown(context, path);
    const note = readNoteAnchors(vault.graph, entry, vault.code.place().folder);
    if (note.anchors.length + note.invalid.length === 0) return { anchors: [], notices: [] };
    const dead = await findDeadAnchors(vault, [note]);
    const { findings, incomplete } = await findUnconfirmed(vault, [note]);
    const [changed] = findings;
    return {
      anchors: showAnchors(note, dead.findings),
      notices: [...new Set([...dead.incomplete, ...incomplete])],
      ...(changed === undefined
        ? {}
        : {
            confirmed: {
              how: changed.confirmed.how,
              at: changed.confirmed.at,
              by: shorten(changed.confirmed.by ?? '', MAX_TEXT_CHARACTERS),
            },
            changes: changed.changes.slice(0, MAX_CHANGES).map(showChange),
            change_count: changed.changes.length,
          }),
    };
  },
});

function showAnchors({ anchors, invalid }: AnchoredNote, dead: readonly DeadAnchor[]): readonly ShownAnchor[] {
  const shown = anchors.map(({ text, pattern, isPlain, homes: [home = ''] }): ShownAnchor => {
    const found = dead.find(({ anchor }) => anchor === text);
    return {
      text: shorten(text, MAX_TEXT_CHARACTERS),
      state: found?.kind ?? 'found',
      path: isPlain ? pattern : home,
      ...(found?.movedTo === undefined ? {} : { moved_to: found.movedTo }),
    };
  });
  return [
    ...shown,
    ...invalid.map(({ text, problem }): ShownAnchor => ({ text: shorten(text, MAX_TEXT_CHARACTERS), state: 'invalid', problem })),
  ];
}

function showChange({ path, kind, from, isUncommitted }: CodeChange) {
  return { path, kind, ...(from === undefined ? {} : { from }), ...(isUncommitted === true ? { is_uncommitted: true as const } : {}) };
}

/** Returns the title of a note for a list, with the entries of `applies_to` that match. */
export function showNoteAbout({ vault }: OperationContext, path: string, anchors: readonly string[]) {
  const title = vault.graph.get(path)?.title ?? path;
  return { path, title, anchors: anchors.map((each) => shorten(each, MAX_TEXT_CHARACTERS)) };
}
