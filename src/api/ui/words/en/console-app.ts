/** The texts of the console's pages for developers, in English. */

export const consoleApp = {};
