import { describe, expect, it } from "vitest";
import { checkAnimation } from "../../../src/api/media/checks/animation-check.ts";
import { gif, png } from "./pictures.ts";

const PAGE = "<!doctype html><title>Play</title><canvas></canvas>";

describe("an animation", () => {
  it.each([
    ["text/html", PAGE],
    ["text/html; charset=utf-8", PAGE],
    ["TEXT/HTML", `\uFEFF  <!-- made by hand -->\n${PAGE}`],
    ["application/xhtml+xml", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"></html>'],
    ["text/html", "Words before any tag <b>are</b> a page too"],
    ["text/html", ""],
  ])("of type %s is a page: %s", (type, body) => {
    expect(checkAnimation(Buffer.from(body), type)).toBeUndefined();
  });

  it.each([
    ["image/gif", "GIF"],
    ["text/html", "GIF"],
    ["", "GIF"],
  ])("of type %s is an image when its content is %s", (type, content) => {
    expect(checkAnimation(gif(2, 480), type)).toEqual({
      reason: "animation_is_image",
      message: `the content is ${content}; it must be HTML`,
    });
  });

  it("is an image when the host says so, whatever the content is", () => {
    expect(checkAnimation(Buffer.from("?"), "image/jxl")).toEqual({
      reason: "animation_is_image",
      message: "its type is image/jxl; it must be text/html",
    });
  });

  it("of SVG is an image", () => {
    expect(checkAnimation(Buffer.from("<svg xmlns='x'/>"), "text/html")?.reason).toBe("animation_is_image");
  });

  it.each([
    ["application/json", '{"a":1}', "its type is application/json; it must be text/html"],
    ["text/plain", PAGE, "its type is text/plain; it must be text/html"],
    ["", PAGE, "its type is not given; it must be text/html"],
    ["text/html", '{"a":1}', "the content is JSON; it must be text/html"],
    ["text/html", "%PDF-1.7", "the content is PDF; it must be text/html"],
  ])("of type %s is no page: %s", (type, body, message) => {
    expect(checkAnimation(Buffer.from(body), type)).toEqual({ reason: "animation_not_html", message });
  });

  it("that is a video is no page", async () => {
    expect(checkAnimation(Buffer.from("\0\0\0\x18ftypisom", "latin1"), "video/mp4")?.reason).toBe(
      "animation_not_html",
    );
    expect(checkAnimation(await png(1, 1), "video/mp4")?.reason).toBe("animation_is_image");
  });
});
