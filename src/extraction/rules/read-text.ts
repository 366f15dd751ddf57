import type { Link } from '../../note/note.ts';
import { timesBehind } from '../times/clauses.ts';
import { readArrowLine } from './arrow-line.ts';
import { mentionedName } from './entity-name.ts';
import type { Findings, FoundFact } from './found-facts.ts';
import { readRelationLine } from './relation-line.ts';
import { Subjects } from './subjects.ts';
import { readTextLines } from './text-lines.ts';
import type { TextLine } from './text-lines.ts';

/** Longer lines are skipped, since their facts would exceed the limits. */
const MAX_LINE_CHARACTERS = 8192;

/**
 * Finds the facts of a text, line by line: arrow lines, and relation lines about a subject. `owner` is the subject or author of the text, or
 * null; `speaker` is the meaning of "I" and "me". Any other wikilink is an entity without a fact, since a common mention says nothing about
 * how two things are related. Code, HTML and math are skipped.
 */
export function readText(
  body: string,
  given: { readonly owner: string | null; readonly speaker?: string | null },
  findings: Findings,
): void {
  const { lines, links, headings } = readTextLines(body);
  const subjects = new Subjects(given.owner, headings);
  const mentions = new Mentions(links, findings);
  for (const line of lines) {
    mentions.before(line.start);
    const subject = subjects.of(line);
    const facts = readLine(line, subject).map((fact) => replacePronouns(fact, given.speaker));
    if (facts.length > 0) mentions.skip(line.end);
    for (const fact of facts) if (fact !== null) findings.fact(fact);
  }
  mentions.before(body.length);
}

/** Returns the lines of a text in which the rules find facts, without their list markers. */
export function linesWithFacts(body: string, given: Parameters<typeof readText>[1]): ReadonlySet<string> {
  const { lines, headings } = readTextLines(body);
  const subjects = new Subjects(given.owner, headings);
  const found = lines.filter((line) =>
    readLine(line, subjects.of(line))
      .map((fact) => replacePronouns(fact, given.speaker))
      .some((fact) => fact !== null),
  );
  return new Set(found.map(({ text }) => text));
}

function readLine(line: TextLine, subject: string | null): readonly FoundFact[] {
  if (line.text.length > MAX_LINE_CHARACTERS || /^(?:<!|\|)/.test(line.text)) return [];
  const arrows = readArrowLine(line.text, timesBehind);
  if (arrows !== null) return arrows;
  const statement = subject === null ? null : readRelationLine(line);
  return statement === null || subject === null ? [] : [{ subject, ...statement }];
}

/** Replaces "I" and "me" in a fact by the speaker; null if the speaker of a message is unknown. */
function replacePronouns(fact: FoundFact, speaker: string | null | undefined): FoundFact | null {
  if (speaker === undefined) return fact;
  const isSpeaker = (name: string): boolean => /^(?:i|me)$/i.test(name);
  if (!isSpeaker(fact.subject) && !isSpeaker(fact.object)) return fact;
  if (speaker === null) return null;
  const { subject, object } = fact;
  return { ...fact, subject: isSpeaker(subject) ? speaker : subject, object: isSpeaker(object) ? speaker : object };
}

/** Reports the entities of wikilinks outside of facts, in the order of the text. */
class Mentions {
  readonly #links: readonly Link[];
  readonly #findings: Findings;
  #next = 0;

  constructor(links: readonly Link[], findings: Findings) {
    this.#links = links.filter(({ form, kind }) => form === 'wikilink' && kind === 'link');
    this.#findings = findings;
  }

  before(end: number): void {
    for (let link = this.#links[this.#next]; link !== undefined && link.start < end; link = this.#links[++this.#next]) {
      const name = mentionedName(link);
      if (name !== null) this.#findings.entity({ name });
    }
  }

  skip(end: number): void {
    while ((this.#links[this.#next]?.start ?? end) < end) this.#next += 1;
  }
}
