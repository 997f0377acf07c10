/** The words that only this project used, and the field's own words that replaced them. */

/**
 * A word is searched in lower-case text in which names are split into words: `takenBack`, `taken_back` and `taken-back`
 * all read "taken back".
 */
export interface PrivateWord {
  /** What to write instead. */
  readonly standard: string;
  readonly word: RegExp;
  /** Only names of variables, functions, types and fields: the word is good English elsewhere. */
  readonly isName?: true;
  readonly except?: readonly Exception[];
}

interface Exception {
  /** Searched like the word, and must contain it. */
  readonly use: RegExp;
  /** Only in SQL. */
  readonly isSql?: true;
  readonly reason: string;
}

const TABLE = "a table, column or function that a shipped migration has named, which no later one renames";
const EARLIER = "a value that an earlier release stored, which a migration renames";
const stored = (use: RegExp): Exception => ({ use, isSql: true, reason: TABLE });

export const privateWords: readonly PrivateWord[] = [
  {
    standard: "module, route, schema; capacity, space",
    word: /\b(?:rooms?|doors?|house)\b/,
    except: [
      { use: /\b(?:has|no|makes|little) room\b|\broom for\b/, reason: "plain English for free space" },
    ],
  },
  {
    standard: "requested, proposed, needed",
    word: /\bwanted\b/,
    except: [
      stored(/\bwanted\b/),
      { use: /\bwanted display type\b/, reason: "a field of the API, which keeps its name" },
    ],
  },
  { standard: "requested, proposed, needed", word: /\bwants?\b/, isName: true },
  {
    standard: "chain trigger",
    word: /\b(?:(?:chain|earlier|remembered|new|the|each|of) causes|causes (?:of|that)|vitrine causes?)\b/,
    except: [
      stored(/\bvitrine cause\b/),
      { use: /\bset of causes\b/, reason: "why the locks of two sides differ" },
    ],
  },
  {
    standard: "recheck",
    word: /\bsecond looks?\b/,
    except: [{ ...stored(/10, 'second look'/), reason: EARLIER }],
  },
  {
    standard: "recheck, probe, change set; to probe, to read, to poll",
    word: /\blook(?:s|ed|ing)? (?:at|after)\b|\b(?:a|its|the|each|every|next|daily|media) looks?\b/,
    except: [
      { use: /\bthe look of\b|\btoken's look\b/, reason: "how a picture of the demo looks" },
      { use: /\blook at (?:your wallet|a token|the token)\b/, reason: "what a person does" },
    ],
  },
  {
    standard: "rechecks, probe, change set",
    word: /\blooks?\b(?! (?:up|like))/,
    isName: true,
    except: [stored(/\blooks\b/)],
  },
  { standard: "unchanged, not affected; a paused host", word: /\bleft alone\b/ },
  {
    standard: "brute-force guard, attempt",
    word: /\bguess(?:es|ing)?\b/,
    except: [
      { use: /without guessing how long|not guessed|wrong guess|by guessing/, reason: "plain English" },
    ],
  },
  {
    standard: "encryption, ciphertext; to encrypt, to re-encrypt",
    word: /\b(?:re)?seal(?:s|ed|ing)?\b/,
    except: [stored(/\bsealed\b/)],
  },
  {
    standard: "to redact",
    word: /\bmask(?:s|ed|ing)?\b/,
    except: [{ use: /\bmask\b/, reason: "a mask of bits" }],
  },
  {
    standard: "reverted, removed, revoked, retracted",
    word: /\btak(?:e|es|en|ing) back\b|\btook back\b/,
    except: [
      { use: /\bforget tokens that were taken back\b/, reason: EARLIER },
      { ...stored(/\['taken back'/), reason: EARLIER },
    ],
  },
  { standard: "permission request", word: /\bwish(?:es)?\b/ },
  {
    standard: "conflicting type",
    word: /\bheld types?\b/,
    except: [{ use: /\bheld type\b/, reason: TABLE }],
  },
  { standard: "hidden", word: /\bh(?:e|o)ld(?:s|ing)? back\b/ },
  { standard: "lockLeases, pause; a maximum of what", word: /\bhold\b|\bheld max\b/, isName: true },
  { standard: "release", word: /\bgiv(?:e|es|en|ing) back\b/ },
  { standard: "fault", word: /\bquirks?\b/ },
  { standard: "rate limits", word: /\bgates?\b/ },
  { standard: "initial row, unchanged", word: /\buntouched\b/, isName: true },
  { standard: "runExclusive, in order", word: /\bin turn\b/, isName: true },
  { standard: "collectionKey, tokenKey, or what the name is of", word: /\bname of\b/, isName: true },
  { standard: "yieldToEventLoop", word: /\bbreathe\b/ },
  { standard: "growable array: ensureCapacity", word: /\bgrowable\b/, isName: true },
  {
    standard: "to report, publish, announce, return; listed, unlisted",
    word: /\b(?:tells?|told|telling|untold)\b/,
    except: [
      { use: /\b(?:can't|cannot|can) tell\b/, reason: "plain English for not to know" },
      { use: /\btells? (?:you|the operator|the owner|every subscriber)\b/, reason: "a message to somebody" },
      { use: /\btells? them apart\b/, reason: "plain English for to distinguish" },
      { use: /\bforget tokens that no transfer has told of\b/, reason: EARLIER },
      { use: /\btell of (?:seen|versions)\b/, reason: TABLE },
    ],
  },
];

const anyWord = new RegExp(privateWords.map(({ word }) => word.source).join("|"));

export const hasPrivateWord = (text: string): boolean => anyWord.test(splitNames(text));

/** The private words of a text, each with what to write instead. */
export function findPrivateWords(text: string, kind: "name" | "prose" | "sql" = "prose"): string[] {
  const split = splitNames(text);
  if (!anyWord.test(split)) return [];
  return privateWords
    .filter(({ isName }) => !isName || kind === "name")
    .flatMap(({ word, standard, except = [] }) => {
      const uses = except.filter(({ isSql }) => !isSql || kind === "sql");
      const rest = uses.reduce((left, { use }) => left.replaceAll(new RegExp(use, "g"), " … "), split);
      const found = word.exec(rest);
      return found ? [`"${found[0]}" (say ${standard})`] : [];
    });
}

/** Lower case, with names split into their words. */
export const splitNames = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[_.\-\s]+/g, " ")
    .toLowerCase();
