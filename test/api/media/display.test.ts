/** What each page shows, for every combination of a token's media and the operator's allowlist. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseDisplay } from "../../../src/api/media/display/display.ts";

const IMAGE = "https://images.example/1.png";
const VIDEO = "https://videos.example/1.mp4";
const ANIMATION = "https://animations.example:8443/1.html";
const VIDEO_HOST = "videos.example";
const ANIMATION_HOST = "animations.example:8443";

const ANIMATION_FAULT = {
  reason: "animation_is_image",
  message: "the content is GIF; it must be HTML",
} as const;
const VIDEO_FAULT = { reason: "video_too_small", message: "320x240, at least 480x480" } as const;

const names = [
  "animation",
  "video",
  "image",
  "animationAllowed",
  "videoAllowed",
  "animationBad",
  "videoBad",
] as const;
type Case = Readonly<Record<(typeof names)[number], boolean>>;
const cases = Array.from(
  { length: 2 ** names.length },
  (_, bits) => Object.fromEntries(names.map((name, bit) => [name, (bits & (1 << bit)) !== 0])) as Case,
);

describe("the pages", () => {
  it.each(cases)(
    "animation $animation (allowed $animationAllowed, bad $animationBad), video $video (allowed $videoAllowed, bad $videoBad), image $image",
    ({ animation, video, image, animationAllowed, videoAllowed, animationBad, videoBad }) => {
      const imageUrl = image ? IMAGE : null;
      const allowed = [...(animationAllowed ? [ANIMATION_HOST] : []), ...(videoAllowed ? [VIDEO_HOST] : [])];

      const { collection_page, token_page } = chooseDisplay(
        { image: imageUrl, video: video ? VIDEO : null, animation_url: animation ? ANIMATION : null },
        imageUrl,
        (host) => allowed.includes(host),
        {
          animation: animationBad ? ANIMATION_FAULT : undefined,
          video: videoBad ? VIDEO_FAULT : undefined,
        },
      );

      const ofImage = image ? { kind: "image", url: IMAGE } : { kind: "none", url: null };
      const showsAnimation = animation && animationAllowed && !animationBad;
      const showsVideo = !showsAnimation && video && videoAllowed && !videoBad;
      expect(collection_page).toEqual(ofImage);
      expect({ kind: token_page.kind, url: token_page.url }).toEqual(
        showsAnimation
          ? { kind: "animation", url: ANIMATION }
          : showsVideo
            ? { kind: "video", url: VIDEO }
            : ofImage,
      );
      // A host that is not allowed is the reason, whatever its content.
      const whyNot = (isAllowed: boolean, fault: object) =>
        isAllowed ? fault : { reason: "host_not_allowed" };
      expect(token_page.skipped).toEqual([
        ...(animation && !showsAnimation
          ? [{ kind: "animation", host: ANIMATION_HOST, ...whyNot(animationAllowed, ANIMATION_FAULT) }]
          : []),
        // Media after the shown one were not skipped.
        ...(!showsAnimation && video && !showsVideo
          ? [{ kind: "video", host: VIDEO_HOST, ...whyNot(videoAllowed, VIDEO_FAULT) }]
          : []),
      ]);
    },
  );

  it.each(["timeout", "unreachable", "blocked_by_host", "internal_error"] as const)(
    "show a video that we could not probe (%s): its host is one that the operator trusts",
    (reason) => {
      const media = { image: IMAGE, video: VIDEO, animation_url: null };

      const { token_page } = chooseDisplay(media, IMAGE, () => true, { video: { reason, message: "" } });

      expect(token_page).toEqual({ kind: "video", url: VIDEO, skipped: [] });
    },
  );

  it("show the image instead of a video that is not there", () => {
    const fault = { reason: "http_status", message: "the host answered 404" } as const;
    const media = { image: IMAGE, video: VIDEO, animation_url: null };

    const { token_page } = chooseDisplay(media, IMAGE, () => true, { video: fault });

    expect(token_page).toEqual({
      kind: "image",
      url: IMAGE,
      skipped: [{ kind: "video", host: VIDEO_HOST, ...fault }],
    });
  });

  it.each(["video", "animation"] as const)("show no %s that leads to a host that is not allowed", (kind) => {
    const url = `https://${VIDEO_HOST}/1`;
    const media = {
      image: IMAGE,
      video: null,
      animation_url: null,
      [kind === "video" ? kind : "animation_url"]: url,
    };
    const show = (end: string) =>
      chooseDisplay(
        media,
        IMAGE,
        (host) => host === VIDEO_HOST || host === "cdn.example",
        {},
        { [kind]: end },
      );

    expect(show("cdn.example").token_page).toEqual({ kind, url, skipped: [] });
    expect(show("evil.example").token_page).toEqual({
      kind: "image",
      url: IMAGE,
      skipped: [
        { kind, host: "evil.example", reason: "host_not_allowed", message: `${VIDEO_HOST} leads there` },
      ],
    });
  });

  it("show the image where it can be loaded, which may differ from what the document says", () => {
    const { collection_page, token_page } = chooseDisplay(
      { image: "ipfs://content", video: null, animation_url: null },
      IMAGE,
      () => false,
    );

    expect([collection_page.url, token_page.url]).toEqual([IMAGE, IMAGE]);
  });
});

describe("URLs that no page shows", () => {
  it.each([
    "",
    "videos.example/1.mp4",
    "//videos.example/1.mp4",
    "http://",
    "ftp://videos.example/1.mp4",
    "data:text/html,<script>alert(1)</script>",
    "javascript:alert(1)",
    "ipfs://content",
    "blob:https://videos.example/1",
    "https://user@videos.example/1.mp4",
    "https://videos.example@evil.example:password@/",
    "https://videos.example\\@evil.example/",
    "https:videos.example/1.mp4",
    "https:///videos.example/1.mp4",
    "https://videos.exam\tple/1.mp4",
  ])("%s is skipped even when every host is allowed", (url) => {
    const { token_page } = chooseDisplay({ image: IMAGE, video: url, animation_url: url }, IMAGE, () => true);

    expect(token_page).toEqual({
      kind: "image",
      url: IMAGE,
      skipped: [
        { kind: "animation", host: "", reason: "invalid_url" },
        { kind: "video", host: "", reason: "invalid_url" },
      ],
    });
  });

  it.each([
    { url: "https://VIDEOS.example/1", host: "videos.example" },
    { url: "https://videos.example:443/1", host: "videos.example" },
    { url: "http://videos.example:443/1", host: "videos.example:443" },
    { url: "https://b\u00fccher.example/1", host: "xn--bcher-kva.example" },
    { url: "https://videos.example%2eevil.example/", host: "videos.example.evil.example" },
  ])("are judged by the host a browser would go to: $url goes to $host", ({ url, host }) => {
    const seen: string[] = [];

    chooseDisplay({ image: null, video: null, animation_url: url }, null, (each) => seen.push(each) > 0);

    expect(seen).toEqual([host]);
  });

  it("never come from a host that was not allowed", () => {
    fc.assert(
      fc.property(fc.webUrl(), fc.webUrl(), fc.boolean(), (video, animation, allowsVideo) => {
        const allowed = new URL(allowsVideo ? video : animation).host;

        const { token_page } = chooseDisplay(
          { image: null, video, animation_url: animation },
          null,
          (host) => host === allowed,
        );

        expect(token_page.url === null || new URL(token_page.url).host === allowed).toBe(true);
      }),
    );
  });
});
