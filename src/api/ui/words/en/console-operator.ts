/** The texts of the console's frame, sign-in and operator's pages, and of the reference and the explorer, in English. */

export const consoleOperator = {};
