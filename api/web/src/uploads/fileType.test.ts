import { describe, expect, it } from "vitest";
import { notMedia, notMediaIn } from "./fileType";

const of = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const zeros = (length: number) => "\0".repeat(length);
const utf8 = (text: string) => new TextEncoder().encode(text);
const ftyp = (...brands: string[]) =>
  of(`\0\0\0${String.fromCharCode(8 + 4 * (brands.length + 1))}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join("")}`);

describe("what is clearly no video and no audio", () => {
  it.each([
    ["empty", "an empty file", of("")],
    ["text", "a letter", of("Dear reader,\nthis is a letter and no video.\n")],
    ["text", "subtitles", of("1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n")],
    ["text", "a playlist", of("#EXTM3U\nfirst.ts\n")],
    ["text", "a script", of("#!/bin/sh\nexit 0\n")],
    ["text", "a log with colours", of("\x1b[31merror\x1b[0m\n")],
    ["text", "words in another language", utf8("Größe, 大きさ, размер")],
    ["text", "UTF-8 that is cut in the middle of a letter", utf8("größe".repeat(9)).slice(0, -3)],
    ["text", "UTF-16", of(`\xff\xfe${[..."plain words"].map((letter) => `${letter}\0`).join("")}`)],
    ["text", "an old encoding", of("caf\xe9 au lait, ".repeat(60))],
    ["text", "SVG", of('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["webPage", "a web page", of("\n<!DOCTYPE html><title>Video</title>")],
    ["webPage", "an old web page", of("<HTML><body>")],
    ["pdf", "PDF", of("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")],
    ["archive", "ZIP", of(`PK\x03\x04${zeros(26)}holiday.mov`)],
    ["office", "a document of Word", of(`PK\x03\x04${zeros(26)}[Content_Types].xml`)],
    [
      "office",
      "a document of LibreOffice",
      of(`PK\x03\x04${zeros(26)}mimetypeapplication/vnd.oasis.opendocument.text`),
    ],
    ["office", "an old document of Word", of("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0")],
    ["archive", "gzip", of("\x1f\x8b\x08\0\0\0")],
    ["archive", "RAR", of("Rar!\x1a\x07\x01\0")],
    ["archive", "7-Zip", of("7z\xbc\xaf\x27\x1c\0\x04")],
    ["archive", "tar", of(`${zeros(257)}ustar\x0000`)],
    ["program", "a program for Linux", of("\x7fELF\x02\x01\x01\0")],
    ["program", "a program for Windows", of(`MZ${zeros(58)}\x80\0\0\0${zeros(64)}PE\0\0`)],
    ["program", "a program for macOS", of("\xcf\xfa\xed\xfe\x07\0\0\x01")],
    ["image", "JPEG", of("\xff\xd8\xff\xe0\0\x10JFIF\0")],
    ["image", "PNG", of("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x01IDAT")],
    ["image", "TIFF", of("II*\0\x08\0\0\0")],
    ["image", "HEIC", ftyp("heic", "mif1", "heic")],
    ["image", "AVIF", ftyp("avif", "avif", "mif1", "miaf")],
  ] as const)("%s: %s", (kind, _, head) => expect(notMedia(head)).toBe(kind));
});

describe("what may be a video or audio is left to the server", () => {
  it.each([
    ["MP4", ftyp("isom", "isom", "iso2", "avc1", "mp41")],
    ["QuickTime", ftyp("qt  ", "qt  ")],
    ["Matroska", of("\x1a\x45\xdf\xa3\x9fB\x86\x81\x01matroska")],
    ["MPEG-TS", of(`G@\0\x10${zeros(184)}G`)],
    ["AVI", of("RIFF\x10\0\0\0AVI LIST")],
    ["WAV", of("RIFF\x10\0\0\0WAVEfmt ")],
    ["MP3 with tags", of("ID3\x03\0\0\0\0\x0f\x76")],
    ["MPEG audio that begins as UTF-16 does", of(`\xff\xfe${"\x90\x44\x12\x21".repeat(64)}`)],
    ["FLAC", of("fLaC\0\0\0\x22")],
    ["Ogg", of("OggS\0\x02\0\0")],
    ["AMR", of("#!AMR\nabcdefgh")],
    ["raw frames with a header of words", of("YUV4MPEG2 W64 H64 F25:1\nFRAME\nabcd")],
    ["a GIF, which may move", of("GIF89a\x01\0\x01\0")],
    ["a WebP, which may move", of("RIFF\x10\0\0\0WEBPVP8X")],
    ["a PNG that moves", of("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08acTL\0\0\0\x02IDAT")],
    ["a PNG whose data comes later", of("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08iCCP")],
    ["a sequence of HEIF images", ftyp("mif1", "msf1", "hevc")],
    ["zeros", of(zeros(64))],
    ["bytes that nobody knows", of("\x12\x34\x56\x78\x9a\xbc\xde\xf0")],
    ["a few letters of an old encoding", of("caf\xe9 noir")],
    ["a device that begins like a program", of("MZ\0\0")],
  ] as const)("%s", (_, head) => expect(notMedia(head)).toBeNull());

  it("a raw stream of JPEG images", () => expect(notMedia(of("\xff\xd8\xff\xe0"), "camera.MJPEG")).toBeNull());
});

it("the file itself is asked, and one that cannot be read is left to the server", async () => {
  expect(await notMediaIn(new File(["%PDF-1.7"], "holiday.mov"))).toBe("pdf");
  const gone = { name: "gone.mov", slice: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }) };
  expect(await notMediaIn(gone as unknown as File)).toBeNull();
});
