import { parseRelation } from '../../note/body/relation.ts';
import { readBodySections } from '../../note/body/section.ts';
import type { BodySections } from '../../note/body/section.ts';
import { hasConnections } from '../vault-ontology.ts';
import { shorten } from '../shorten.ts';
import { MAX_LISTED } from './finding.ts';
import type { Finding, Look } from './finding.ts';
import { textOf } from './texts.ts';

/** A place in a text, and what is wrong there. */
interface Trouble {
  readonly at: number;
  readonly message: string;
}

/**
 * Lines under `## Observations` and `## Relations` that the memory and ontology tools do not read, in notes where they look for some:
 * text without a bullet, relations that no longer fit the grammar, and second sections of one name.
 */
export function findUnreadableLines({ vault, entries }: Look): readonly Finding[] {
  const root = `${vault.config.memory.root}/`;
  return entries.flatMap((entry): readonly Finding[] => {
    const isMemory = entry.path.startsWith(root);
    if (!isMemory && !hasConnections(entry)) return [];
    const text = textOf(vault, entry.path);
    const troubles = troublesIn(text, readBodySections(text), isMemory);
    const told = troubles.slice(0, MAX_LISTED).map(({ at, message }): Finding => ({
      kind: 'unreadable-line',
      paths: [entry.path],
      message: `${entry.path}:${lineNumber(text, at)}: ${message}`,
    }));
    const rest = troubles.length - told.length;
    if (rest <= 0) return told;
    return [...told, { kind: 'unreadable-line', paths: [entry.path], message: `${entry.path} has ${rest} more lines like these` }];
  });
}

function troublesIn(text: string, { Observations, Relations, repeated }: BodySections, isMemory: boolean): readonly Trouble[] {
  const shown = (start: number, end: number): string => shorten(JSON.stringify(text.slice(start, end)), 120);
  const prose = isMemory ? (Observations?.prose ?? []) : [];
  return [
    ...prose.map(({ start, end }): Trouble => ({
      at: start,
      message: `${shown(start, end)} under Observations is no list item, so no tool sees it as an observation; begin it with "- "`,
    })),
    ...[...(Relations?.prose ?? []), ...(Relations?.entries.filter(({ line }) => parseRelation(line) === null) ?? [])].map(
      ({ start, end }): Trouble => ({
        at: start,
        message: `${shown(start, end)} under Relations is no relation, so no tool sees it as one; write it on one line as "- type [[Note]]"`,
      }),
    ),
    ...repeated
      .filter(({ text: name }) => isMemory || name.toLowerCase() === 'relations')
      .map(({ start, text: name }): Trouble => ({
        at: start,
        message: `a second heading "${name}": tools read the first one only; move what is below it there`,
      })),
  ].sort((a, b) => a.at - b.at);
}

function lineNumber(text: string, at: number): number {
  return (text.slice(0, at).match(/\r\n|\n|\r/g)?.length ?? 0) + 1;
}
