/** What an image or a video may be (spec.md "Limits"), and what bounds the work of looking at one. */

/** spec.md: "at least 480x480 pixels", and what every image is downscaled to. */
export const SIDE_PX = 480;
/** spec.md: "up to 1 MB", which design.md reads as a mebibyte. */
export const MEDIA_BYTES_MAX = 1_048_576;
/**
 * Of one picture. 50 million are 200 MB where a file makes the decoder hold all of them at once (interlaced PNG,
 * progressive JPEG), and still 7,000 on a side.
 */
export const PIXELS_MAX = 50_000_000;
/** Of a GIF. 500 frames of 500x500 in plain colours take four to six seconds of a processor. */
export const FRAMES_MAX = 500;
/** Of all frames of a GIF together. They are decoded one by one, so this bounds time and not memory. */
export const FRAME_PIXELS_MAX = 150_000_000;
/**
 * Processor time per file, in milliseconds. A frame of noise, which takes no more bytes than one in plain colours, costs
 * more than ten times as much, and nothing in a header tells them apart.
 */
export const DECODE_PROCESSOR_MS = 15_000;
/** What a picture may come to: what repeats itself is small in a file, and need not be once it is resized. */
export const PICTURE_BYTES_MAX = 8 * 1_048_576;
/** How much of a page is read to tell what it is. There is no limit on what it holds. */
export const PAGE_BYTES_READ = 64 * 1024;
/** What servers commonly take in a request line. */
export const URL_LENGTH_MAX = 8_192;
