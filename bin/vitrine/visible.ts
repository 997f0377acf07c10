/** Text of documents, contracts and hosts as a terminal may get it. */

/** Untrusted text must not move the cursor or reverse the text around it: such characters are shown as `\u001b`. */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
