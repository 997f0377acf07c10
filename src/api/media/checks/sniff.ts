/** Detects a file's type by its first bytes, for the formats found where an image, a video or a page is expected. */

export type Content =
  | "PNG"
  | "JPEG"
  | "GIF"
  | "WebP"
  | "AVIF"
  | "HEIC"
  | "BMP"
  | "TIFF"
  | "ICO"
  | "SVG"
  | "MP4"
  | "QuickTime"
  | "Matroska"
  | "WebM"
  | "HTML"
  | "JSON"
  | "PDF"
  | "ZIP";

const images: ReadonlySet<string> = new Set<Content>([
  "PNG",
  "JPEG",
  "GIF",
  "WebP",
  "AVIF",
  "HEIC",
  "BMP",
  "TIFF",
  "ICO",
  "SVG",
]);

export const isImage = (content: Content | undefined): boolean =>
  content !== undefined && images.has(content);

// Enough for a byte order mark, comments and a doctype before the first element.
const TEXT_BYTES = 1_024;

const SIGNATURES: readonly (readonly [Content, string])[] = [
  ["PNG", "\x89PNG\r\n\x1a\n"],
  ["JPEG", "\xff\xd8\xff"],
  ["GIF", "GIF87a"],
  ["GIF", "GIF89a"],
  ["BMP", "BM"],
  ["TIFF", "II*\0"],
  ["TIFF", "MM\0*"],
  ["ICO", "\0\0\x01\0"],
  ["PDF", "%PDF-"],
  ["ZIP", "PK\x03\x04"],
];

// The element DocType (EBML, RFC 8794, 11.2.7), whose length takes one to eight bytes.
const WEBM_DOCTYPE = /B\x82[\s\S]{1,8}webm/;

/** Undefined for anything else, including an empty file. Uses the content alone. */
export function sniff(body: Buffer): Content | undefined {
  const head = body.toString("latin1", 0, TEXT_BYTES);
  const found = SIGNATURES.find(([, signature]) => head.startsWith(signature));
  if (found) return found[0];
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "WebP";
  if (head.startsWith("\x1aE\xdf\xa3")) return WEBM_DOCTYPE.test(head) ? "WebM" : "Matroska";
  if (head.slice(4, 8) === "ftyp") return ofBrand(head.slice(8, 12));
  return ofText(body.toString("utf8", 0, TEXT_BYTES));
}

/** ISO base media: the major brand distinguishes images from videos. */
function ofBrand(brand: string): Content {
  if (/^avi[fs]$/.test(brand)) return "AVIF";
  if (/^(?:hei[cx]|hevc|mif1|msf1)$/.test(brand)) return "HEIC";
  return brand === "qt  " ? "QuickTime" : "MP4";
}

function ofText(text: string): Content | undefined {
  const start = text
    .replace(/^\uFEFF/, "")
    .replace(/^(?:\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/, "")
    .toLowerCase();
  if (/^(?:<!doctype svg|<svg[\s>])/.test(start)) return "SVG";
  if (
    /^(?:<!doctype html|<(?:html|head|body|script|style|title|meta|link|iframe|canvas|div|p|h1)[\s>/])/.test(
      start,
    )
  )
    return "HTML";
  return /^[[{]/.test(start) ? "JSON" : undefined;
}
