/** Why an image, a video or an animation is not shown: one closed table of codes. */

import {
  FRAME_PIXELS_MAX,
  FRAMES_MAX,
  MEDIA_BYTES_MAX,
  PIXELS_MAX,
  SIDE_PX,
  VIDEO_SIDE_PX_MAX,
} from "./limits.ts";

const count = (value: number): string => value.toLocaleString("en-US");
const side = `${SIDE_PX}x${SIDE_PX}`;
const bytes = count(MEDIA_BYTES_MAX);

/** Reasons found in the content. */
export const refusalTable = {
  image_too_large: `The image is over ${bytes} bytes.`,
  image_wrong_format: "The content is not PNG, JPEG or GIF, whatever its name says.",
  image_too_small: `The image is smaller than ${side} pixels in width or height.`,
  image_too_many_pixels: `The image is over ${count(PIXELS_MAX)} pixels, or its frames together over ${count(FRAME_PIXELS_MAX)}; or its picture would take more than 8 MiB.`,
  image_too_many_frames: `The GIF has over ${FRAMES_MAX} frames.`,
  image_undecodable:
    "The image is cut short or damaged, or takes too long to decode; or it is a GIF over 2,048 pixels whose first frame is smaller than its canvas.",
  video_too_large: `The video is over ${bytes} bytes.`,
  video_wrong_format: "The content is not MP4 or WEBM, whatever its name says.",
  video_too_small: `The video is smaller than ${side} pixels in width or height.`,
  video_undecodable: `The file holds no video that can be read, or claims a width or height over ${count(VIDEO_SIDE_PX_MAX)} pixels.`,
  animation_is_image: "`animation_url` leads to an image; an image, GIFs included, belongs in `image`.",
  animation_not_html: "`animation_url` leads to something other than an HTML page.",
} as const;

/** Reasons from the fetch, which is retried later. */
export const fetchReasonTable = {
  invalid_uri: "The URL can't be read, or is longer than 8,192 characters, or its host is longer than 253.",
  unsupported_scheme: "The URL is not http, https or ipfs.",
  invalid_url:
    "The URL can't be fetched, for example because it carries credentials; or, for a video or an animation, programs read it differently.",
  host_refused: "The host is on a private network, or on Vitrine's own machine.",
  too_many_redirects: "There were more than five redirects.",
  http_status: "The host answered with a status other than 200.",
  blocked_by_host: "The host answered with a challenge for browsers.",
  timeout: "The host did not answer in time.",
  unreachable: "The host could not be reached.",
  content_incomplete: "An IPFS gateway sent only some of the content's blocks.",
  content_mismatch:
    "An IPFS gateway returned bytes that don't match the CID, and no other gateway had the right ones.",
  content_unverified:
    "No IPFS gateway gave blocks to verify the content by, and the operator refuses it unverified.",
  internal_error: "The content could not be checked; the operator's log says why.",
} as const;

export type RefusalCode = keyof typeof refusalTable;
export type FetchReason = keyof typeof fetchReasonTable;
export type MediaReason = RefusalCode | FetchReason;

/** Every code, in the order of the documentation. */
export const mediaReasons = Object.keys({ ...refusalTable, ...fetchReasonTable }) as [
  MediaReason,
  ...MediaReason[],
];

/** Why content is not shown, with the measured value. */
export interface Refusal {
  readonly reason: RefusalCode;
  /** Such as `412x412, at least 480x480`. */
  readonly message: string;
  /** A busy machine may be the cause, so the same bytes are checked again. */
  readonly isOpen?: boolean;
}

export const refuse = (reason: RefusalCode, message: string): Refusal => ({ reason, message });

/** Ends the reason of a failure that is tried again soon, and may be over by then. */
export const TRYING_AGAIN = "; trying again";
