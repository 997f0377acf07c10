/** The only script that stands in a page itself, of pages that load none before they are used. */

/** Loads the shared script with the first control that is used; `/` is one of them. */
export const lateScript = (src: string): string => `
addEventListener("focusin", () => import(${JSON.stringify(src)}), { once: true });
addEventListener("keydown", (event) => {
  const field = document.getElementById("site-search");
  if (event.key !== "/" || event.target !== document.body || !field) return;
  event.preventDefault();
  field.focus();
});`;
