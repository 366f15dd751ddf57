import { isPropertyList, isPropertyMap } from '../frontmatter/property-value.ts';
import type { PropertyMap } from '../frontmatter/property-value.ts';
import { readIsoDate } from '../iso-date.ts';
import type { Note, Problem, PropertyValue } from '../note.ts';
import { unreadable } from './check-reserved.ts';
import { createLineCounter, lineOfKey } from './problem.ts';
import type { OkfProblem, OkfRule } from './problem.ts';

const STATUSES = ['draft', 'stable', 'deprecated'];
/** The type of concepts that carry a way to compute a value. */
const COMPUTATION = 'Attested Computation';
/** Entries of one list that are looked at. */
const MAX_ENTRIES = 1_000;
const ZONED = /^\d{4}-\d{2}-\d{2}[Tt ][^ ]+(?:[Zz]|[+-]\d{2}:?\d{2})$/;
const FOOTNOTE = /\[\^([^\]\s[]{1,200})\]/g;

/** Checks a concept against sections 4, 5, 7 and 10 of the format. `problems`: those of reading its file. */
export function checkConcept(note: Note, problems: readonly Problem[]): readonly OkfProblem[] {
  const { frontmatter } = note;
  const encoding = problems.find(({ code }) => code === 'invalid-utf8');
  const found: OkfProblem[] =
    encoding === undefined ? [] : [{ rule: 'encoding', level: 'error', line: 1, message: 'it is not UTF-8', remedy: 'save it as UTF-8' }];
  if (!frontmatter.isReadable || problems.some(({ code }) => code === 'frontmatter-executable'))
    return [...found, unreadable({ problems }, 'frontmatter')];
  if (frontmatter.block === null) {
    const message = 'it has no frontmatter, which every concept needs';
    const remedy = 'put ---, type: and what it is, and --- at its start; or call it index.md or log.md if it is one';
    return [...found, { rule: 'frontmatter', level: 'error', line: 1, message, remedy }];
  }
  return [...found, ...new ConceptCheck(note).run()];
}

class ConceptCheck {
  readonly #note: Note;
  readonly #found: OkfProblem[] = [];

  constructor(note: Note) {
    this.#note = note;
  }

  run(): readonly OkfProblem[] {
    const { data } = this.#note.frontmatter;
    this.#checkType(data['type']);
    this.#checkStatus(data['status']);
    this.#time('stale_after', data['stale_after']);
    if (data['generated'] !== undefined) this.#event('generated', data['generated'], 'generated');
    this.#checkVerified(data['verified']);
    const ids = this.#checkSources(data['sources']);
    this.#window(data['usage_window']);
    if (data['timestamp'] !== undefined && data['generated'] === undefined)
      this.#advise('legacy', 'timestamp', 'timestamp is of version 0.1', 'write generated: {by: …, at: …} instead');
    if (ids !== null) this.#checkFootnotes(ids);
    if (data['type'] === COMPUTATION) this.#checkComputation(data);
    return this.#found;
  }

  #checkType(type: PropertyValue | undefined): void {
    if (typeof type === 'string' && type.trim() !== '') return;
    const message = type === undefined ? 'it has no type' : type === null || type === '' ? 'its type is empty' : 'its type is not text';
    const line = this.#lineOf('type');
    this.#found.push({ rule: 'type', level: 'error', line, message, remedy: 'write what kind of thing it is about, as type: Metric' });
  }

  #checkStatus(status: PropertyValue | undefined): void {
    if (status === undefined || (typeof status === 'string' && STATUSES.includes(status))) return;
    this.#advise('status', 'status', `its status is none of ${STATUSES.join(', ')}`, 'use one of these, or another property');
  }

  #checkVerified(verified: PropertyValue | undefined): void {
    if (verified === undefined) return;
    const entries = isPropertyList(verified) ? verified.slice(0, MAX_ENTRIES) : [verified];
    for (const entry of entries) this.#event('verified', entry, 'an entry of verified');
  }

  /** Checks that a map says by whom and when something was done. */
  #event(key: string, value: PropertyValue, what: string): void {
    if (!isPropertyMap(value)) return this.#advise('actor', key, `${what} is not a map of by and at`, 'write {by: …, at: …}');
    const { by, at } = value;
    if (typeof by !== 'string' || by.trim() === '')
      this.#advise('actor', key, `${what} does not say by whom`, 'write by: human:<name>, process:<name> or <program>/<version>');
    if (at === undefined && key === 'verified') this.#advise('timestamp', key, `${what} does not say when`, 'write at: and the time');
    this.#time(key, at);
  }

  #time(key: string, value: PropertyValue | undefined): void {
    if (value === undefined) return;
    const isTime = typeof value === 'string' && ZONED.test(value.trim()) && readIsoDate(value.trim().toUpperCase()) !== null;
    if (!isTime)
      this.#advise(
        'timestamp',
        key,
        `a time in ${key} is not an ISO 8601 time with its offset from UTC`,
        'write it as 2026-06-30T14:00:00Z',
      );
  }

  #window(value: PropertyValue | undefined): void {
    if (value === undefined) return;
    if (!isPropertyMap(value))
      return this.#advise('sources', 'usage_window', 'usage_window is not a map of from and to', 'write {from: …, to: …}');
    this.#time('usage_window', value['from']);
    this.#time('usage_window', value['to']);
  }

  /** Returns the ids of the sources; null if there are none. */
  #checkSources(sources: PropertyValue | undefined): ReadonlySet<string> | null {
    if (sources === undefined) return null;
    const ids = new Set<string>();
    if (!isPropertyList(sources)) {
      this.#advise('sources', 'sources', 'sources is not a list', 'write a list of maps, each with resource');
      return null;
    }
    for (const source of sources.slice(0, MAX_ENTRIES)) {
      const resource = isPropertyMap(source) ? source['resource'] : undefined;
      if (typeof resource !== 'string' || resource.trim() === '')
        this.#advise('sources', 'sources', 'a source has no resource', 'name the address, path or scope that it is as resource');
      if (!isPropertyMap(source)) continue;
      if (typeof source['id'] === 'string') ids.add(source['id']);
      this.#time('sources', source['last_modified']);
      this.#window(source['usage_window']);
    }
    return ids;
  }

  /** Names footnotes that no source has as its id. */
  #checkFootnotes(ids: ReadonlySet<string>): void {
    const { text, bodyStart } = this.#note;
    const seen = new Set<string>();
    const lineAt = createLineCounter(text);
    for (const { index, 1: label = '' } of text.slice(bodyStart).matchAll(FOOTNOTE)) {
      if (ids.has(label) || seen.has(label)) continue;
      seen.add(label);
      const message = `no source has the id of the footnote [^${label}]`;
      const line = lineAt(bodyStart + index);
      this.#found.push({ rule: 'footnote', level: 'advice', line, message, remedy: 'give the source that it cites this id' });
    }
  }

  #checkComputation(data: PropertyMap): void {
    const { text, headings, bodyStart } = this.#note;
    if (typeof data['runtime'] !== 'string' || data['runtime'].trim() === '')
      this.#advise('computation', 'type', 'an attested computation needs its runtime', 'write runtime: and what runs it, such as bigquery');
    const heading = headings.findIndex((each) => each.text.trim() === 'Computation');
    const body = heading === -1 ? '' : text.slice(headings[heading]?.end ?? bodyStart, headings[heading + 1]?.start ?? text.length);
    const isInline = /^[ \t]*(?:`{3,}|~{3,})|^(?: {4}|\t)\S/m.test(body);
    if (data['computation'] === undefined && !isInline)
      this.#advise(
        'computation',
        'type',
        'it has no computation',
        'put one in a code block below # Computation, or name its file as computation',
      );
  }

  #lineOf(key: string): number {
    return lineOfKey(this.#note.text, key, this.#note.frontmatter.yaml);
  }

  #advise(rule: OkfRule, key: string, message: string, remedy: string): void {
    this.#found.push({ rule, level: 'advice', line: this.#lineOf(key), message, remedy });
  }
}
