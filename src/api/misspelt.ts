/** Variables that are ignored because of their names. */

import { variableNames } from "./config.ts";
import { editDistance } from "./text/edit-distance.ts";

const TYPING_ERRORS_MAX = 2;

/** The variables that are probably misspelt: each almost has the name of one that is unset. No value is read. */
export function misspelt(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly variable: string; readonly meant: string }[] {
  const unset = variableNames.filter((name) => !environment[name]);
  return Object.keys(environment).flatMap((variable) => {
    if (variableNames.includes(variable)) return [];
    const meant = unset.find(
      (name) =>
        Math.abs(name.length - variable.length) <= TYPING_ERRORS_MAX &&
        editDistance(variable.toUpperCase(), name) <= typingErrorsMax(name),
    );
    return meant === undefined ? [] : [{ variable, meant }];
  });
}

// Short names are close to many others.
const typingErrorsMax = (name: string): number => Math.min(TYPING_ERRORS_MAX, Math.floor(name.length / 5));
