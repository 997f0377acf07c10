/** Limits of images and videos (spec.md "Limits"), and bounds on the work of checking one. */

/** spec.md: "at least 480x480 pixels"; also the size that every image is scaled to. */
export const SIDE_PX = 480;
/** spec.md: "up to 1 MB", which design.md reads as a mebibyte. */
export const MEDIA_BYTES_MAX = 1_048_576;
/**
 * Of one picture. A file that the decoder must hold whole (interlaced PNG, progressive JPEG) takes 200 MB at this size,
 * which is 7,000 pixels square.
 */
export const PIXELS_MAX = 50_000_000;
/** Of a GIF. 500 frames of 500x500 in plain colours take four to six seconds of processor time. */
export const FRAMES_MAX = 500;
/** Of all frames of a GIF together. They are decoded one by one, so this bounds time, not memory. */
export const FRAME_PIXELS_MAX = 150_000_000;
/**
 * Processor time per file. A frame of noise takes no more bytes than one in plain colours but over ten times as long,
 * and no header distinguishes them.
 */
export const DECODE_PROCESSOR_MS = 15_000;
/** Of a video, whose container may claim any size: none that browsers play is nearly as large. */
export const VIDEO_SIDE_PX_MAX = 65_535;
/** Of the 480x480 picture. Repetitive content compresses well, and may not after resizing. */
export const PICTURE_BYTES_MAX = 8 * 1_048_576;
/** Of a picture's variants together. Each is smaller than its picture. */
export const VARIANTS_BYTES_MAX = PICTURE_BYTES_MAX;
/** How much of a page is read to detect its type. The page itself may have any size. */
export const PAGE_BYTES_READ = 64 * 1024;
/** The length that servers commonly accept in a request line. */
export const URL_LENGTH_MAX = 8_192;
