import { parseRelation } from '../../note/body/relation.ts';
import { readBodySections } from '../../note/body/section.ts';
import type { BodySections } from '../../note/body/section.ts';
import { hasConnections } from '../vault-ontology.ts';
import { MAX_LISTED, shorten } from '../shorten.ts';
import type { Finding, CheckInput } from './finding.ts';
import { presentText } from '../present-note.ts';

/** A problem and its position in the text. */
interface Problem {
  readonly at: number;
  readonly message: string;
}

/**
 * Finds lines under `## Observations` and `## Relations` that the memory and ontology tools do not read: text without a bullet, relations
 * that do not match the grammar, and repeated sections.
 */
export function findUnreadableLines({ vault, entries }: CheckInput): readonly Finding[] {
  const root = `${vault.settings.config.memory.root}/`;
  return entries.flatMap((entry): readonly Finding[] => {
    const isMemory = entry.path.startsWith(root);
    if (!isMemory && !hasConnections(entry)) return [];
    const text = presentText(vault, entry.path);
    const problems = findProblems(text, readBodySections(text), isMemory);
    const listed = problems.slice(0, MAX_LISTED).map(({ at, message }): Finding => ({
      kind: 'unreadable-line',
      paths: [entry.path],
      message: `${entry.path}:${lineNumber(text, at)}: ${message}`,
    }));
    const rest = problems.length - listed.length;
    if (rest <= 0) return listed;
    return [...listed, { kind: 'unreadable-line', paths: [entry.path], message: `${entry.path} has ${rest} more lines like these` }];
  });
}

function findProblems(text: string, { Observations, Relations, repeated }: BodySections, isMemory: boolean): readonly Problem[] {
  const shown = (start: number, end: number): string => shorten(JSON.stringify(text.slice(start, end)), 120);
  const prose = isMemory ? (Observations?.prose ?? []) : [];
  return [
    ...prose.map(({ start, end }): Problem => ({
      at: start,
      message: `${shown(start, end)} under Observations is no list item, so no tool sees it as an observation; begin it with "- "`,
    })),
    ...[...(Relations?.prose ?? []), ...(Relations?.entries.filter(({ line }) => parseRelation(line) === null) ?? [])].map(
      ({ start, end }): Problem => ({
        at: start,
        message: `${shown(start, end)} under Relations is no relation, so no tool sees it as one; write it on one line as "- type [[Note]]"`,
      }),
    ),
    ...repeated
      .filter(({ text: name }) => isMemory || name.toLowerCase() === 'relations')
      .map(({ start, text: name }): Problem => ({
        at: start,
        message: `a second heading "${name}": tools read the first one only; move what is below it there`,
      })),
  ].sort((a, b) => a.at - b.at);
}

function lineNumber(text: string, at: number): number {
  return (text.slice(0, at).match(/\r\n|\n|\r/g)?.length ?? 0) + 1;
}
