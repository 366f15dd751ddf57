const STOP_WORDS = new Set(
  (
    'a about all also am an and any are as at be been but by can could did do does doing dont each for from get had has have he her here him his ' +
    'how i if in into is it its just let like make me more my no not of on one only or other our out own shall she should so some such than that ' +
    'the their them then there these they this those to too up us very was way we were what when where which while who why will with would you your ' +
    '的 了 是 在 和 与 或 我 你 他 这 那 吗 呢 怎么 如何 什么 この その する します です ます こと もの'
  ).split(' '),
);

/** Returns whether a word is too common to be required of a note. */
export function isStopWord(term: string): boolean {
  return STOP_WORDS.has(term);
}
