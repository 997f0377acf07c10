/** The texts that scripts show: the page holds them in its visitor's language. */

const texts = JSON.parse(document.getElementById("script-texts").dataset.texts);

/** A text, with its values in place of `{their names}`. */
export const say = (name, values = {}) =>
  texts[name].replaceAll(/\{(\w+)\}/g, (place, value) => values[value] ?? place);
