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
