import type { DayVault } from './faults.ts';

/** A question in the words of a person, and the text that somebody who can answer it has read. */
export interface Question {
  readonly vault: DayVault;
  readonly asks: string;
  readonly answer: string;
}

/** The ten questions of the day. */
export const QUESTIONS: readonly Question[] = [
  { vault: 'kepano', asks: 'what did we talk about with Steph', answer: 'Discussed the book [[Out of Control]]' },
  { vault: 'kepano', asks: 'which socks last long', answer: 'Darn Tough' },
  { vault: 'kepano', asks: 'how do I download this template vault', answer: 'Unzip the .zip file' },
  { vault: 'kepano', asks: 'why ask for a deadline', answer: 'weeds out the extraneous' },
  { vault: 'obsidian-developer-docs', asks: 'make my plugin start faster', answer: 'minifying your plugin code' },
  { vault: 'obsidian-developer-docs', asks: 'may a plugin show advertising?', answer: 'Insert dynamic ads' },
  { vault: 'obsidian-developer-docs', asks: 'keep an API key safe instead of in data.json', answer: 'secure way to store' },
  { vault: 'obsidian-developer-docs', asks: 'regex crashes on iPhone', answer: 'iOS 16.4' },
  { vault: 'obsidian-developer-docs', asks: 'add text to the bar at the bottom of the window', answer: 'addStatusBarItem' },
  { vault: 'obsidian-developer-docs', asks: 'oldest app version a plugin supports', answer: 'The minimum required Obsidian version' },
];
