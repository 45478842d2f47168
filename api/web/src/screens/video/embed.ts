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
    `title="${escaped(title)}"`,
    poster && `poster="${escaped(poster)}"`,
    `src="${escaped(url)}"`,
  ];
  return `<video ${attributes.filter(Boolean).join(" ")}></video>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
