/** Words that are common in English, and words of other languages in Latin letters that English does not have. */
const ENGLISH = new Set(
  'a all an and are as at be but by can do does for from has have how i if in is it its my not of on or our that the their there they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
);
const OTHERS = new Set(
  (
    'aber alle auf aus bei bin bis das dass dem den der des ein eine einen einem einer für gibt habe hat ich ist kann keine mein mich mit nach nicht noch nur oder sich sie sind über und unter vom von warum wenn werden wie wird wo zu zum zur ' +
    'au aux avec ce ces cette comment dans de du elle est et il je la le les leur mais nous où par pas pour pourquoi quand que quel quelle qui sont sur un une vous ' +
    'al como con cómo cual cuando cuándo del dónde el en es esta está hay las los más mi muy nos para pero por qué se ser si sin sobre su sus una uno y ya ' +
    'che chi come cosa dei della delle di dove gli ho ma mio nel nella non perché più quale quando questo sono sul tra ' +
    'ao com da das dos e é em eu mais meu na nas não no nos o os ou para pela pelo por são seu sua tem um uma ' +
    'aan bij dat deze dit een en er geen heb het hoe ik je kan maar met mijn naar niet nog om ook op te uit van voor waar wat wel wordt zijn ' +
    'att av den det ett för från hur inte jag med men och om på som till var vad är ' +
    'ale czy dla jak jest na nie od po są się to w z za że ' +
    've bir bu için ne ile nasıl'
  )
    .split(' ')
    .filter((word) => !ENGLISH.has(word)),
);
const WORDS = /[\p{L}\p{M}]+/gu;
const FOREIGN_LETTERS = /[^\p{ASCII}’]/u;
const LATIN = /^[\p{Script=Latin}\p{M}]+$/u;
const MAX_CHARACTERS = 4_000;

/** A single word may be a name, or a word of both languages: `MIT license`, `come back`. */
const MIN_LEAD = 1.5;

/** Whether a text is in English as far as its common words and letters tell; null where they do not tell enough. */
export function isEnglish(text: string): boolean | null {
  let [english, others] = [0, 0];
  for (const [word] of text.slice(0, MAX_CHARACTERS).toLowerCase().matchAll(WORDS)) {
    if (!LATIN.test(word)) others += Math.max(2, word.length / 3);
    else if (ENGLISH.has(word)) english += 1;
    else if (OTHERS.has(word)) others += 1;
    else if (FOREIGN_LETTERS.test(word)) others += 0.7;
  }
  if (others - english >= MIN_LEAD) return false;
  return english > others ? true : null;
}
