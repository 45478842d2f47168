interface Embedded {
  url: string;
  poster: string | null;
  title: string;
}

/** HTML to put into another page. */
export function embedCode({ url, poster, title }: Embedded): string {
  const attributes = [
    "controls",
    "playsinline",
    `title="${escape(title)}"`,
    poster && `poster="${escape(poster)}"`,
    `src="${escape(url)}"`,
  ];
  return `<video ${attributes.filter(Boolean).join(" ")}></video>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
