import { describe, expect, it } from 'vitest';
import { isEnglish } from '../../../src/graph/semantic/english.ts';

describe('the language of a text', () => {
  it.each([
    'how do I link two notes',
    'What is the capital of France?',
    'a café in the old town',
    'the naïve approach to caching is fine',
    'where are my notes stored',
  ])('is English: %s', (text) => expect(isEnglish(text)).toBe(true));

  it.each([
    'wie verknüpfe ich zwei Notizen',
    'comment lier deux notes entre elles avec des balises',
    '¿cómo puedo enlazar dos notas?',
    'hoe koppel ik mijn notities',
    'jak połączyć dwie notatki',
    '雨樽',
    'ノートをリンクする方法',
    '如何链接两个笔记',
    'как связать две заметки',
    '노트 두 개를 연결하는 방법',
    'כיצד לקשר שתי הערות',
  ])('is another: %s', (text) => expect(isEnglish(text)).toBe(false));

  it.each([
    'compost',
    'TODO fixme',
    '',
    '42',
    'getUserById',
    'MIT license',
    'come back',
    'bin folder',
    'github.com',
    'Notizen verknüpfen',
    'Vincent van Gogh',
  ])('cannot be told: %s', (text) => expect(isEnglish(text)).toBeNull());
});
