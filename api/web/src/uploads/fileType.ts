/**
 * Recognizes files that are clearly no video and no audio by their first bytes, so that they are not sent in vain. What
 * it does not know may be one: the server decides.
 */

export type NotMedia = "empty" | "text" | "webPage" | "pdf" | "archive" | "office" | "program" | "image";

/** Enough for the headers below, and for a look at what may be text. */
const HEAD_BYTES = 8 * 1024;
/** Shorter texts that are not UTF-8 could be anything. */
const LEAST_OLD_TEXT = 512;
const MOSTLY = 0.9;
/** A raw stream of JPEG images begins as one of them. */
const MOTION_JPEG = /\.mjpe?g$/i;

/** What a file is, if it is no video and no audio. A file that cannot be read is left to whoever sends it. */
export async function notMediaIn(file: File): Promise<NotMedia | null> {
  try {
    return notMedia(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()), file.name);
  } catch {
    return null;
  }
}

export function notMedia(head: Uint8Array, name = ""): NotMedia | null {
  if (head.length === 0) return "empty";
  if (at(head, 0, "%PDF-")) return "pdf";
  if (isProgram(head)) return "program";
  if (isImage(head, name)) return "image";
  if (at(head, 0, "PK\x03\x04")) return isOfficeZip(head) ? "office" : "archive";
  if (bytesAt(head, 0, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)) return "office";
  if (isArchive(head)) return "archive";
  const text = textOf(head);
  if (text === null) return null;
  return /^\s*(<!doctype html|<html)/i.test(text) ? "webPage" : "text";
}

function isProgram(head: Uint8Array): boolean {
  if (at(head, 0, "\x7fELF")) return true;
  // Mach-O, little-endian, of 64 and 32 bits.
  if (bytesAt(head, 0, 0xcf, 0xfa, 0xed, 0xfe) || bytesAt(head, 0, 0xce, 0xfa, 0xed, 0xfe)) return true;
  if (!at(head, 0, "MZ") || head.length < 64) return false;
  const header = new DataView(head.buffer, head.byteOffset).getUint32(0x3c, true);
  return at(head, header, "PE\0\0");
}

/** Still ones only: GIF and WebP may move, and so may PNG. */
function isImage(head: Uint8Array, name: string): boolean {
  if (bytesAt(head, 0, 0xff, 0xd8, 0xff)) return !MOTION_JPEG.test(name);
  if (at(head, 0, "\x89PNG\r\n\x1a\n")) return isStillPng(head);
  if (at(head, 0, "II*\0") || at(head, 0, "MM\0*")) return true;
  if (at(head, 0, "8BPS\0\x01")) return true;
  return at(head, 4, "ftyp") && isStillHeif(head);
}

/** What moves says so in a chunk before its first data. */
function isStillPng(head: Uint8Array): boolean {
  const text = latin(head);
  const data = text.indexOf("IDAT");
  return data >= 0 && !text.slice(0, data).includes("acTL");
}

const STILL_BRANDS = new Set(["heic", "heix", "mif1", "avif"]);
const NEUTRAL_BRANDS = new Set([
  ...STILL_BRANDS,
  "miaf",
  "MiHB",
  "MiHE",
  "MiPr",
  "MA1A",
  "MA1B",
  "heim",
  "heis",
  "tmap",
]);

/** HEIC and AVIF share their container with MP4; a sequence of images names a brand of its own. */
function isStillHeif(head: Uint8Array): boolean {
  if (!STILL_BRANDS.has(latin(head.subarray(8, 12)))) return false;
  const end = Math.min(new DataView(head.buffer, head.byteOffset).getUint32(0), head.length);
  for (let place = 16; place + 4 <= end; place += 4) {
    if (!NEUTRAL_BRANDS.has(latin(head.subarray(place, place + 4)))) return false;
  }
  return true;
}

function isOfficeZip(head: Uint8Array): boolean {
  // The names of the first files in it: of Microsoft's formats, and of OpenDocument.
  return /\[Content_Types\]\.xml|_rels\/\.rels|mimetypeapplication\/vnd\.oasis\.opendocument/.test(latin(head));
}

function isArchive(head: Uint8Array): boolean {
  return (
    bytesAt(head, 0, 0x1f, 0x8b, 0x08) ||
    at(head, 0, "Rar!\x1a\x07") ||
    at(head, 0, "7z\xbc\xaf\x27\x1c") ||
    at(head, 0, "\xfd7zXZ\0") ||
    at(head, 257, "ustar")
  );
}

/** The text that the bytes are; null if they are none. */
function textOf(head: Uint8Array): string | null {
  // A header of words in front of raw frames or samples.
  if (at(head, 0, "YUV4MPEG2") || at(head, 0, "#!AMR") || at(head, 0, "#!SILK")) return null;
  if (bytesAt(head, 0, 0xff, 0xfe) && isMostly(head, (_, index) => index % 2 === 0 || head[index] === 0))
    return new TextDecoder("utf-16le").decode(head);
  if (bytesAt(head, 0, 0xfe, 0xff) && isMostly(head, (_, index) => index % 2 === 1 || head[index] === 0))
    return new TextDecoder("utf-16be").decode(head);
  if (head.some(isControl)) return null;
  try {
    // The last letter may be cut off.
    return new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
  } catch {
    return head.length >= LEAST_OLD_TEXT && isMostly(head, (byte) => byte < 0x7f) ? latin(head) : null;
  }
}

/** Tabs, line ends and escapes (of colours in logs) are part of a text. */
function isControl(byte: number): boolean {
  return (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f;
}

function isMostly(head: Uint8Array, isRight: (byte: number, index: number) => boolean): boolean {
  return head.filter(isRight).length >= head.length * MOSTLY;
}

function at(head: Uint8Array, offset: number, signature: string): boolean {
  return latin(head.subarray(offset, offset + signature.length)) === signature;
}

function bytesAt(head: Uint8Array, offset: number, ...signature: number[]): boolean {
  return signature.every((byte, index) => head[offset + index] === byte);
}

/** Each byte as the character of its number. (The decoder that browsers call latin1 is another.) */
function latin(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
