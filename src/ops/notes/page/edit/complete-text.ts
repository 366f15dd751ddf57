import * as z from 'zod';
import { foldText } from '../../../../graph/search/words/fold-text.ts';
import { baseName, folderOf } from '../../../../note/path.ts';
import type { NotePath } from '../../../../note/path.ts';
import { APPLIES_TO } from '../../../../note/anchors/anchors.ts';
import { completeCode } from '../../../../vault/code/complete-code.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { buildLink } from '../../../links.ts';
import { defineOperation } from '../../../operation.ts';
import { shorten } from '../../../shorten.ts';
import { knownNames, valuesOf } from '../find/complete-query.ts';
import type { Named } from '../find/complete-query.ts';
import { cacheByVersion } from '../cache-by-version.ts';

/** A completion of the text before the cursor. */
interface TextCompletion {
  readonly label: string;
  /** Shown beside the label, such as the folder of a note. */
  readonly detail?: string;
  /** What is written. */
  readonly text: string;
}

const MAX_COMPLETIONS = 30;
const MAX_LABEL_CHARACTERS = 200;

/** Completes what is typed into a note. */
export const completeText = defineOperation({
  name: 'complete_text',
  toolset: null,
  title: 'Complete as you type',
  summary: 'Completes what is typed into a note: titles, aliases, headings, tags, and properties with their values.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    /** The note that is written. */
    path: z.string().max(4_096),
    kind: z.enum(['link', 'heading', 'tag', 'property', 'value']),
    typed: z.string().max(200),
    /** For a heading, the link before `#`; empty is the note itself. For a value, the property. */
    of: z.string().max(1_000).default(''),
  }),
  async run({ vault }, { path, kind, typed, of }) {
    const known = knownNames(vault);
    switch (kind) {
      case 'link':
        return { completions: completeLink(vault, path, typed) };
      case 'heading':
        return { completions: completeHeading(vault, path, { of, typed }) };
      case 'tag':
        return { completions: choose(known.tags, typed).map(toCompletion) };
      case 'property':
        return { completions: choose(known.properties, typed).map(toCompletion) };
      case 'value':
        if (of === APPLIES_TO) return { completions: await completeAnchor(vault, typed) };
        return { completions: choose(/^tags?$/i.test(of) ? known.tags : valuesOf(vault, known, of), typed).map(toCompletion) };
    }
  },
});

/** YAML reads a text that begins so, or holds this, as something else. */
const NEEDS_QUOTES = /^[@&*!|>%`#[\]{},?'" -]|: | #|[:\s]$/;

/** Completes a path of code. */
async function completeAnchor(vault: Vault, typed: string): Promise<readonly TextCompletion[]> {
  const paths = await completeCode(vault, typed.replace(/^["']/, ''));
  return paths.map((path) => ({ label: shorten(path, MAX_LABEL_CHARACTERS), text: NEEDS_QUOTES.test(path) ? JSON.stringify(path) : path }));
}

function toCompletion({ name, count }: Named): TextCompletion {
  return { label: shorten(name, MAX_LABEL_CHARACTERS), text: name, ...(count === undefined ? {} : { detail: String(count) }) };
}

/** A name by which a link can be completed. */
interface LinkName extends Named {
  readonly path: NotePath;
  readonly isAlias: boolean;
}

/** Caches the titles, file names and aliases of all notes. */
function openLinkNames({ graph }: Vault): () => readonly LinkName[] {
  return cacheByVersion(graph, () => {
    const names: LinkName[] = [];
    for (const { path, title, aliases } of graph.entries()) {
      const file = baseName(path);
      const others = [title, ...aliases].filter((name, index, all) => name !== file && all.indexOf(name) === index);
      names.push({ name: file, key: foldText(file), path, isAlias: false });
      for (const name of others) names.push({ name, key: foldText(name), path, isAlias: true });
    }
    return names;
  });
}

function completeLink(vault: Vault, from: string, typed: string): readonly TextCompletion[] {
  return choose(vault.derived(openLinkNames)(), typed).map(({ name, path, isAlias }) => {
    const { linkpath, displayText } = buildLink(vault.graph, { from, target: path, title: name });
    const folder = folderOf(path);
    const detail = isAlias ? baseName(path) : folder;
    return {
      label: shorten(name, MAX_LABEL_CHARACTERS),
      text: isAlias && displayText !== null ? `${linkpath}|${displayText}` : linkpath,
      ...(detail === '' ? {} : { detail: shorten(detail, MAX_LABEL_CHARACTERS) }),
    };
  });
}

/** Characters that end a link, or a heading in it. */
const NOT_IN_A_LINK = /[[\]|#^\\\s]+/gu;

function completeHeading(
  vault: Vault,
  from: string,
  { of, typed }: { readonly of: string; readonly typed: string },
): readonly TextCompletion[] {
  const target = of === '' ? { kind: 'note' as const, path: from } : vault.graph.resolve({ linkpath: of, from });
  const note = target.kind === 'note' ? vault.notes.readUnstable(target.path)?.note : undefined;
  const headings = (note?.headings ?? []).map(({ text }) => ({ name: text, key: foldText(text) }));
  return choose(headings, typed).map(({ name }) => ({
    label: shorten(name, MAX_LABEL_CHARACTERS),
    text: name.replace(NOT_IN_A_LINK, ' ').trim(),
  }));
}

/** Returns the names for what was typed: those that begin with it, then those with a word that does, then those that contain it. */
function choose<T extends Named>(names: readonly T[], typed: string): readonly T[] {
  const key = foldText(typed.trim());
  if (key === '') return names.slice(0, MAX_COMPLETIONS);
  const [starting, inWords, inside]: [T[], T[], T[]] = [[], [], []];
  for (const each of names) {
    const at = each.key.indexOf(key);
    if (at === 0) starting.push(each);
    else if (at > 0 && inWords.length < MAX_COMPLETIONS && each.key.includes(` ${key}`)) inWords.push(each);
    else if (at > 0 && inside.length < MAX_COMPLETIONS) inside.push(each);
  }
  // The shortest of those that begin with it is the nearest.
  starting.sort((a, b) => a.key.length - b.key.length);
  return [...starting, ...inWords, ...inside].slice(0, MAX_COMPLETIONS);
}
