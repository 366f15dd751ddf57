/** Words by which people ask for what others say: each line is one family. */
const FAMILIES = `
  live lives lived living move moved moving address home house flat apartment reside
  work works worked working job employer employed hired joined company office profession occupation career
  study studies studied studying university college degree course major
  wife husband spouse partner married marry wedding
  son daughter child children kid kids baby
  mother mom mum mama
  father dad papa
  brother sister sibling siblings
  girlfriend boyfriend partner dating
  boss manager supervisor
  car drive drives drove driving vehicle
  bicycle bike cycling cycle
  phone mobile number telephone
  dog cat pet puppy kitten
  doctor physician gp
  vacation holiday trip travel travelled traveled
  appointment meeting
  birthday born
  allergic allergy allergies intolerant
  medicine medication pills tablets prescription
  favourite favorite prefer prefers like likes love loves
  eat eats ate eating food diet vegetarian vegan
  drink drinks drank drinking
  cook cooks cooked cooking recipe
  buy bought buying purchase purchased
  sell sold selling
  give gave given gift present
  take took taken taking
  go goes went gone going
  come came coming
  see saw seen
  meet met
  get got getting
  make made making
  write wrote written writing
  read reads reading book
  speak spoke spoken speaking language
  teach taught teaching teacher
  learn learned learnt learning
  run ran running
  swim swam swimming
  ride rode riding
  fly flew flown flight
  sing sang singing
  play plays played playing
  build built building
  break broke broken
  choose chose chosen
  draw drew drawing
  paint painted painting
  feel felt feeling
  find found
  lose lost losing
  leave left leaving
  keep kept keeping
  tell told telling
  think thought
  begin began begun start started
  stop stopped quit gave
  finish finished end ended
  pay paid cost costs price rent salary earn
  sleep slept sleeping
  spend spent
  win won
  wear wore worn size
  grow grew grown
  old age aged
  instrument guitar piano violin cello drums trumpet
  sport sports football soccer tennis basketball gym
  hobby hobbies
`;

const MEMBERS = new Map<string, readonly string[]>();
for (const line of FAMILIES.trim().split('\n')) {
  const family = line.trim().split(/\s+/);
  for (const word of family) MEMBERS.set(word, [...(MEMBERS.get(word) ?? []), ...family.filter((other) => other !== word)]);
}

/** Returns English words that often answer a question with this word; nothing for most words. */
export function relatedWords(word: string): readonly string[] {
  return MEMBERS.get(word) ?? [];
}
