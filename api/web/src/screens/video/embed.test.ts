import { expect, it } from "vitest";
import { embedCode } from "./embed";

it("is safe whatever the title is", () => {
  expect(embedCode({ url: "https://x/a.m3u8", poster: null, title: 'A "b" <c> & d' })).toBe(
    '<video controls playsinline title="A &quot;b&quot; &lt;c&gt; &amp; d" src="https://x/a.m3u8"></video>',
  );
});

it("has the poster if there is one", () => {
  expect(embedCode({ url: "https://x/a", poster: "https://x/p.jpg", title: "A" })).toContain(
    'poster="https://x/p.jpg"',
  );
});
