/** Starts Swagger UI on the reference page. */

const root = document.getElementById("reference");

window.ui = window.SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  tryItOutEnabled: true,
  // Disables the online validator, which is a third-party site.
  validatorUrl: null,
});

// Swagger UI gives the focus to the last field, the operator's; callers have a key, which comes first.
let isOpen = false;
new MutationObserver(() => {
  const field = root.querySelector(".dialog-ux .auth-container input");
  if (field && !isOpen) setTimeout(() => field.focus());
  isOpen = field !== null;
}).observe(root, { childList: true, subtree: true });
