import { expect, it } from "vitest";
import { checkPicture } from "../../../src/api/media/checks/image-check.ts";

it("a picture may take 8 MiB, and one byte more is refused with both figures", () => {
  expect(checkPicture(8_388_607)).toBeUndefined();
  expect(checkPicture(8_388_608)).toBeUndefined();
  expect(checkPicture(8_388_609)).toEqual({
    reason: "image_too_many_pixels",
    message: "a picture of 8388609 bytes at 480x480, at most 8388608",
  });
});
