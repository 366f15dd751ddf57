import { firstCharacters } from '../../note/text.ts';

const MAX_CHARACTERS = 100;

/** What names a caller. */
export interface NamedCaller {
  /** Returns the name under which it writes when the configuration gives none. */
  readonly agent: () => string;
  /** A person, who sees the files and may replace what was not read here. */
  readonly isPerson?: boolean;
  /** A person at the web page: they write under their own name, whatever the configuration says. */
  readonly isWebUser?: boolean;
  /** Returns the name of the person, where the name under which they write does not say it. */
  readonly person?: () => string;
  /** An agent, by a client that speaks for it. */
  readonly isAgent?: boolean;
}

/**
 * Returns the name under which a caller confirms, in a form of the Open Knowledge Format: `human:<name>` for a person, `agent/<name>` for an
 * agent (G-03), `process:<name>` for other programs. `agent`: the name under which it writes.
 */
export function actorOf({ isPerson, isWebUser, isAgent, person, agent: own }: NamedCaller, agent: string): string {
  if (isWebUser === true) return `human:${wordOf(own())}`;
  // Who gives the terminal the name of an agent is that agent.
  if (isPerson === true && agent === own()) return `human:${wordOf(person?.() ?? agent)}`;
  return `${isAgent === true ? 'agent/' : 'process:'}${wordOf(agent)}`;
}

/** Makes a name one word, so that no client can pass for a person, or write into the fields of a fact. */
function wordOf(name: string): string {
  const words = name.normalize('NFC').split(/[^\p{L}\p{M}\p{N}._@+]+/u);
  const word = firstCharacters(words.filter((each) => each !== '').join('-'), MAX_CHARACTERS);
  return word === '' ? 'unknown' : word;
}
