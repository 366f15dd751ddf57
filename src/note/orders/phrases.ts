/** What a text does that gives orders to a reader that is a model. */
export type OrderKind =
  | 'ignore-instructions'
  | 'new-role'
  | 'hide-from-user'
  | 'for-ai'
  | 'send-secrets'
  | 'role-marker'
  | 'tool-call'
  | 'hidden-characters'
  | 'hidden-comment';

/** Where a phrase may begin, in the text as it is: of scripts with spaces at the beginning of a word. Each place is then read with `PHRASES`. */
export const PHRASE_STARTS =
  /(?<![a-zà-ÿа-я0-9_])(?:ignor|disregard|forget|overrid|bypass|(?:do\s+not|don.?t|never)\s+(?:follow|obey|tell|inform|mention|reveal|disclose|let)|you\s+are\s+now|from\s+now\s+on|new\s+(?:system|instruction)|your\s+(?:new|real|actual|true)|(?:system|developer|admin)\s+(?:override|prompt\s*:)|(?:reveal|print|repeat|output|leak|disclose)\s|(?:if|when)\s+you\s+are\s+an?|attention|(?:notes?|messages?|instructions?)\s+(?:to|for)\s|(?:vergiss|vergessen\s+sie|missacht)|(?:sag|erzahl|erzähl|verrat)\w{0,3}\s|du\s+bist\s+(?:jetzt|nun|ab)|oubli|ne\s+(?:tiens|tenez|suis|suivez|le\s+dis|dis|dites|le\s+dites|mentionne)|tu\s+es\s+(?:maintenant|désormais|desormais)|olvid|descart|haz\s+caso|hagas?\s+caso|no\s+(?:se\s+)?(?:lo\s+|le\s+)?(?:digas|diga|menciones|informes)|ahora\s+eres|esque[cç]|desconsider|dimentic|игнориру|забудь|не\s+говори)|忽略|忽視|忽视|无视|無視|忘记|忘記|忘掉|不要(?:告|让|讓|通知)|别告诉|你现在|你現在|新的系|以前の|これまでの|上記の|前の指/gi;

interface Phrase {
  readonly kind: OrderKind;
  /** Is tested at the start of folded text: lower case, no accents, single blanks, no emphasis. */
  readonly pattern: RegExp;
}

/** Sentences that tell a model what to do, in the languages in which they are mostly written. */
export const PHRASES: readonly Phrase[] = [
  // English
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:ignore|ignoring|disregard|forget|override|bypass|do not follow|don.?t follow|never follow|do not obey|don.?t obey)(?: (?:all|any|of|the|and|or|these|those|every|other)){0,4} (?:your|previous|prior|above|earlier|preceding|foregoing|former|original|initial|system|safety|developer|all|any)(?: (?:of|the|your|and|or|previous|prior|above|earlier|preceding|given|other|original|system|safety|developer)){0,4} (?:instruct|prompt|direct(?:ive|ion)|guidel|command|order|rules|constraint|programming|training)/,
  },
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:ignore|disregard|forget)(?: all| any)?(?: (?:the|of the))? (?:instructions|prompts|directives|directions|rules|guidelines)(?: (?:that were|that you were|you were|you have been|you got))? (?:above|before this|given (?:above|before|earlier|previously)|previously given|from (?:above|before|your|the) ?(?:user|system|developer)?)/,
  },
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:ignore|disregard|forget) (?:everything|anything|all|what) (?:that )?(?:you (?:were|have been|know about your)|above|before this|said before)/,
  },
  {
    kind: 'new-role',
    pattern:
      /^you are now (?:no longer (?:bound|an? |restricted)|free (?:of|from) (?:all|any|your)|unrestricted|jailbroken|dan\b|in (?:developer|debug|god|dan|jailbreak|unrestricted) mode|(?:an?|the|my) (?:[a-z-]{1,20} ){0,4}(?:assistant|ai|model|chatbot|agent|persona|bot|llm)\b)/,
  },
  {
    kind: 'new-role',
    pattern:
      /^from now on,? (?:you (?:are|will|must|shall|have to) (?:an? |the |act|answer|respond|behave|obey|follow|only)|act as|respond only|obey)/,
  },
  {
    kind: 'new-role',
    pattern: /^new (?:system )?(?:prompt|instructions?) ?(?::|is\b|are\b|follows?\b|for (?:you|the (?:ai|assistant|model|agent))\b)/,
  },
  {
    kind: 'new-role',
    pattern: /^your (?:new|real|actual|true) (?:instructions?|system prompt|task|role|goal|purpose|objective) (?:is|are) /,
  },
  { kind: 'new-role', pattern: /^(?:system|developer|admin) (?:override\b|prompt ?:)/ },
  {
    kind: 'new-role',
    pattern:
      /^(?:reveal|print|repeat|output|leak|disclose)(?: (?:me|us|all|the|of))* (?:your|the) (?:full |entire |hidden |initial |secret |original ){0,2}(?:system prompt|system message|hidden instructions|initial instructions|instructions above)/,
  },
  {
    kind: 'hide-from-user',
    pattern:
      /^(?:do not|don.?t|never) (?:(?:tell|inform|mention|reveal|disclose)(?: [a-z]{1,12}){0,4} (?:the|your) (?:user|human|operator)s?\b(?!'s|’s| (?:to|how|where|when|name|id|interface|manual|guide|data|settings|experience|account|password|agent)\b)|let (?:the|your) (?:user|human|operator) know\b)/,
  },
  {
    kind: 'for-ai',
    pattern:
      /^(?:(?:if|when) you are an?|attention:?|(?:important )?(?:notes?|messages?|instructions?) (?:to|for)) (?:all |any |the |every )?(?:ai|llm|large language model|language model|a\.i\.)(?:s\b| (?:assistants?|agents?|models?|systems?|chatbots?|tools?))?(?: reading| processing| summari[sz]ing|,|:|;|!| that| who| you)/,
  },
  // German
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:ignorier[a-z]{0,3}|vergiss|vergessen sie|missacht[a-z]{0,3})(?: (?:bitte|sie|doch|jetzt|nun|einfach|die|diese|deine|ihre)){0,4} (?:alle[rs]?|samtliche|jegliche|deine|ihre|obige[n]?|vorherige[n]?|bisherige[n]?|fruhere[n]?|vorangegangene[n]?|vorangehende[n]?|vorige[n]?|vorstehende[n]?)(?: (?:der|die|deine[r]?|ihre[r]?|obigen?|vorherigen?|bisherigen?|fruheren?|vorangegangenen?|vorangehenden?|vorigen?|anderen?|und)){0,4} (?:anweisung|instruktion|befehl|vorgabe|regel|anordnung|prompt|richtlinie)/,
  },
  {
    kind: 'hide-from-user',
    pattern:
      /^(?:sage?|erzahle?|verrate?|sagen sie|erzahlen sie|verraten sie)(?: (?:es|das|dies|davon|ihm)){0,2} (?:dem|deinem|ihrem) (?:nutzer|benutzer|anwender|user|menschen)(?: (?:davon|hiervon|daruber|bitte|auf keinen fall)){0,2} (?:nicht|nichts)/,
  },
  {
    kind: 'new-role',
    pattern:
      /^du bist (?:jetzt|nun|ab jetzt|ab sofort) (?:eine?|der|die|kein|keine)(?: [a-z]{1,20}){0,3} (?:ki|assistent|modell|agent|bot|chatbot|sprachmodell)/,
  },
  // French
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:ignore[rz]?|oublie[rz]?|ne (?:tiens|tenez) (?:pas|aucun) compte|ne (?:suis|suivez) (?:pas|plus))(?: (?:toutes?|tous|les|des|de|tes|vos|ces|d.)){1,4} (?:instruction|consigne|directive|ordre|regle|commande)s? (?:precedent|anterieur|ci dessus|prealable|initial|du systeme|d.avant|que tu|que vous|recues)/,
  },
  {
    kind: 'ignore-instructions',
    pattern: /^(?:ignore[rz]?|oublie[rz]?) (?:toutes?|tous) (?:les|tes|vos) (?:precedentes |anciennes )?(?:instruction|consigne|directive)/,
  },
  {
    kind: 'hide-from-user',
    pattern:
      /^ne (?:le |l.|lui |en )?(?:dis|dites|mentionne|mentionnez)(?: (?:pas|rien|jamais|cela|ceci|de|tout)){1,4} (?:a l.utilisateur|a l.usager)/,
  },
  {
    kind: 'new-role',
    pattern: /^tu es (?:maintenant|desormais) (?:une?|l.|le|la)(?: ?[a-z-]{1,20}){0,3} ?(?:assistant|ia|modele|agent|bot)\b/,
  },
  // Spanish and Portuguese
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:ignor(?:a|e|ad|en|ar)|olvid(?:a|e|ad|en|ar)|descart(?:a|e|ar)|haz caso omiso de|hagas? caso omiso de|no hagas? caso (?:a|de)|esquec(?:a|er)|desconsider(?:e|a|ar))(?: (?:todas?|todos|las|los|as|os|tus|sus|suas|cualquier|cualesquiera|quaisquer)){1,4}(?: (?:anteriores|previas))? (?:instruccion|indicacion|orden|regla|directri|comando|instruco|instrucao|regra|orden)[a-z]{0,4} (?:anterior|previ|precedent|de arriba|del sistema|que|dadas|recibidas|acima|do sistema)/,
  },
  {
    kind: 'hide-from-user',
    pattern:
      /^no (?:se )?(?:lo |le )?(?:digas?|menciones?|informes?)(?: (?:esto|nada|eso|de|ello)){0,3} (?:al usuario|a la usuaria|a tu usuario)/,
  },
  { kind: 'new-role', pattern: /^ahora eres (?:una?|el|la)(?: [a-z-]{1,20}){0,3} ?(?:asistente|ia|modelo|agente|bot)\b/ },
  // Italian
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:ignora(?:te|re)?|dimentica(?:te|re)?)(?: (?:tutte|tutti|le|i|gli|tue|vostre)){1,4} (?:istruzioni|direttive|regole|comandi|ordini) (?:precedenti|anteriori|di sopra|del sistema)/,
  },
  // Russian
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:игнорируи(?:те)?|забудь(?:те)?)(?: (?:все|всех|свои|твои|ваши|любые)){0,3}(?: (?:предыдущие|прежние|прошлые|вышеуказанные|системные))? (?:инструкции|указания|команды|правила)/,
  },
  { kind: 'hide-from-user', pattern: /^не говори(?:те)?(?: (?:об|этом|это|ничего)){0,3} пользователю/ },
  // Chinese
  {
    kind: 'ignore-instructions',
    pattern:
      /^(?:忽略|忽視|忽视|无视|無視|忘记|忘記|忘掉)[^。\n]{0,6}?(?:之前|以前|以上|上面|先前|前面|此前|所有|全部|上述|一切|你的)[^。\n]{0,8}?(?:指令|指示|提示|命令|规则|規則|要求)/,
  },
  { kind: 'hide-from-user', pattern: /^(?:不要|别)(?:告诉|告訴|通知|让|讓)(?:你的)?(?:用户|用戶|使用者)(?!名)/ },
  { kind: 'new-role', pattern: /^你(?:现在|現在)是[^。\n]{0,16}(?:助手|助理|模型|人工智能|人工智慧|机器人|機器人|ai)/ },
  { kind: 'new-role', pattern: /^新的系(?:统|統)(?:提示|指令)/ },
  // Japanese
  {
    kind: 'ignore-instructions',
    pattern: /^(?:以前|これまで|上記|前)の[^。\n]{0,8}(?:指示|命令|プロンプト|ルール)[^。\n]{0,6}(?:無視|忘れ)/,
  },
];

/** Words for what nobody sends to an address that a text names. */
export const SECRET_WORDS =
  /password|passwort|passwörter|passphrase|api[ _-]?keys?\b|access tokens?\b|\btokens?\b|\bsecrets?\b|credentials|private keys?\b|ssh keys?\b|zugangsdaten|mots? de passe|contraseña|密码|密碼|密钥/gi;

/** A sentence that asks to send something. */
export const SEND_WORDS =
  /\b(?:send|post|upload|forward|e-?mail|exfiltrate|submit|transmit|leak|append|schicken?|sende[nt]?|envoie[rz]?|envoyez|envía|envia|enviar|manda)\b|发送|發送|上传|上傳/i;
