/** The page behind `animation_url`: the token's picture in depth, which follows the pointer and throws sparks. */
import { appearanceOf } from "../art/appearance.ts";
import { drawLayers, VIEW_BOX } from "../art/scene.ts";
import type { Kind } from "./answer.ts";

/** One self-contained HTML page; it loads nothing, so it also works in a strict frame. */
export const playPage = (kind: Kind, id: bigint): string => {
  const seed = `${kind}/${id}`;
  const { palette, subject } = appearanceOf(seed);
  const { defs, back, badge, subject: body, front } = drawLayers(seed);
  const layers = [back, badge, body, front].map(
    (content, index) =>
      `<svg viewBox="${VIEW_BOX}" style="--depth:${index}">${index === 0 ? defs : ""}${content}</svg>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${palette.faction} ${subject}</title>
<style>
html, body { height: 100%; margin: 0; overflow: hidden; background: #08070d; }
main { position: absolute; inset: 0; margin: auto; width: min(100vw, 100vh); aspect-ratio: 1; perspective: 900px; cursor: pointer; }
#card { position: absolute; inset: 0; transform-style: preserve-3d; transition: transform 0.2s ease-out; }
svg { position: absolute; inset: 0; overflow: visible; transform: translateZ(calc(var(--depth) * 28px)); }
svg:first-child { overflow: hidden; }
i { position: absolute; width: 9px; height: 9px; margin: -4px; rotate: 45deg; background: ${palette.accent}; pointer-events: none; }
@media (prefers-reduced-motion: reduce) { #card { transform: none !important; } }
</style>
<main aria-label="${palette.faction} ${subject}, moves with the pointer"><div id="card">${layers.join("")}</div></main>
<script>
const stage = document.querySelector("main");
const card = document.getElementById("card");
const tilt = (x, y) => { card.style.transform = "rotateY(" + x * 24 + "deg) rotateX(" + -y * 24 + "deg) scale(0.94)"; };
const place = (event) => {
  const box = stage.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width - 0.5, (event.clientY - box.top) / box.height - 0.5];
};
let touchedAt = -1e9;
stage.addEventListener("pointermove", (event) => { touchedAt = performance.now(); tilt(...place(event)); });
stage.addEventListener("pointerdown", (event) => {
  const [x, y] = place(event);
  for (let i = 0; i < 18; i++) {
    const spark = stage.appendChild(document.createElement("i"));
    const angle = Math.random() * 6.283, reach = 60 + Math.random() * 160;
    spark.style.left = (x + 0.5) * 100 + "%";
    spark.style.top = (y + 0.5) * 100 + "%";
    const end = "translate(" + Math.cos(angle) * reach + "px," + Math.sin(angle) * reach + "px) scale(0)";
    spark.animate([{ opacity: 1 }, { opacity: 0, transform: end }], { duration: 900, easing: "ease-out" }).onfinish = () => spark.remove();
  }
});
const sway = (now) => {
  if (now - touchedAt > 1500) tilt(Math.sin(now / 1400) * 0.3, Math.cos(now / 1900) * 0.2);
  requestAnimationFrame(sway);
};
requestAnimationFrame(sway);
</script>
</html>
`;
};
