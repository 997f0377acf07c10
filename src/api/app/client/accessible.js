/** Mends what a library's page keeps from keyboards and screen readers, as often as the library draws it anew. */

/** `repairs` are pairs of a selector and what is done once to each element that matches. */
export function mend(root, repairs) {
  const repair = () => {
    for (const [selector, change] of repairs)
      for (const element of root.querySelectorAll(selector)) change(element);
  };
  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      repair();
    });
  }).observe(root, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["aria-selected", "role"],
  });
  repair();
}

/** Names an element that has no name. */
export const name = (text) => (element) => {
  if (!element.getAttribute("aria-label")) element.setAttribute("aria-label", text);
};
export const without = (attribute) => (element) => element.removeAttribute(attribute);
/** Lets the keyboard scroll it. */
export const focusable = (element) => {
  if (element.tabIndex < 0) element.tabIndex = 0;
};
