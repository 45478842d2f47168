//! Containers whose own words about themselves are lies.

use crate::bytes::{CLUSTER, SEGMENT, TRACKS, atom, ebml, element, ftyp, patched, renamed, track};
use crate::trial::{judge, try_bytes};
use crate::yard::clip;

#[test]
fn mp4_that_lies_about_its_boxes() {
    let whole = clip("mp4");
    let with_size = |size: u32, more: &[u8]| [&ftyp()[..], &size.to_be_bytes(), b"moov", more].concat();
    let deep = (0..10_000).fold(vec![], |inside, _| {
        let mut outside = atom(*b"moov", &[]);
        outside[..4].copy_from_slice(&u32::try_from(inside.len() + 8).unwrap().to_be_bytes());
        outside.extend(inside);
        outside
    });
    let huge = 0x7fff_ffffu32.to_be_bytes();
    let inputs = [
        ("size 0", with_size(0, &[])),
        ("size 1, then 2^63", with_size(1, &(1u64 << 63).to_be_bytes())),
        ("size 1, then 2^64 - 1", with_size(1, &u64::MAX.to_be_bytes())),
        ("size 7", with_size(7, &[0; 100])),
        ("size of 4 GiB", with_size(u32::MAX, &[0; 100])),
        ("ten thousand deep", [ftyp(), deep].concat()),
        ("ftyp alone", ftyp()),
        ("a hundred thousand empty boxes", [ftyp(), atom(*b"free", &[]).repeat(100_000)].concat()),
        ("mvhd of ones", patched(&whole, b"mvhd", 8, &[0xff; 16])),
        ("track of 68 years a frame", patched(&whole, b"stts", 12, &huge)),
        ("4 billion times", patched(&whole, b"stts", 4, &[0xff; 4])),
        ("4 billion samples", patched(&whole, b"stsz", 8, &[0xff; 4])),
        ("samples of 2 GiB", patched(&whole, b"stsz", 4, &huge)),
        ("chunks beyond the end", patched(&whole, b"stco", 8, &[0xff; 8])),
        ("ticks of a second", patched(&whole, b"mdhd", 12, &1u32.to_be_bytes())),
        ("ticks of zero", patched(&whole, b"mdhd", 12, &[0; 4])),
        ("edit list to the end of time", patched(&whole, b"elst", 8, &[0x7f; 12])),
        ("avcC of ones", patched(&whole, b"avcC", 0, &[0xff; 20])),
        ("no resolution", patched(&whole, b"avc1", 24, &[0; 4])),
        ("frame of 65535 a side", patched(&whole, b"avc1", 24, &[0xff; 4])),
    ];
    judge(inputs.map(|(name, bytes)| try_bytes(name, &bytes)).into());
}

#[test]
fn mp4_with_times_beyond_counting_is_refused() {
    let whole = clip("mp4");
    let slow = patched(&whole, b"mdhd", 12, &1u32.to_be_bytes());
    let slow = patched(&slow, b"stts", 12, &0x7fff_ffffu32.to_be_bytes());
    let slow = renamed(&slow, *b"edts", *b"free");
    judge(vec![try_bytes("68 years a frame, in ticks of a second", &slow).must_be_refused()]);
}

#[test]
fn matroska_that_lies_about_its_elements() {
    const UNKNOWN: [u8; 8] = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let tracks = |count| element(&TRACKS, &(1..=count).flat_map(track).collect::<Vec<_>>());
    let endless =
        |inside: &[u8]| [&ebml()[..], &SEGMENT, &UNKNOWN, &tracks(1), &CLUSTER, &UNKNOWN, inside].concat();
    let block = element(&[0xa3], &[[0x81, 0, 0, 0x80].to_vec(), vec![0; 2_000]].concat());
    let inputs = [
        ("header alone", ebml()),
        (
            "element of 2^56",
            [&ebml()[..], &SEGMENT, &[0x01, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]].concat(),
        ),
        ("endless empty cluster", endless(&[])),
        ("endless cluster of zeros", endless(&vec![0; 5 << 20])),
        ("endless cluster of blocks", endless(&block.repeat(500))),
        ("blocks of no track", endless(&element(&[0xa3], &[0x8f, 0, 0, 0x80, 0, 0]).repeat(5_000))),
        ("tracks without end", [ebml(), element(&SEGMENT, &tracks(3_000))].concat()),
        ("clusters in clusters", endless(&[&CLUSTER[..], &UNKNOWN].concat().repeat(10_000))),
        (
            "void without end",
            [&ebml()[..], &SEGMENT, &UNKNOWN, &element(&[0xec], &[0; 10]).repeat(100_000)].concat(),
        ),
    ];
    judge(inputs.map(|(name, bytes)| try_bytes(name, &bytes)).into());
}

#[test]
fn others_that_lie_about_themselves() {
    let wav = |rate: u32, channels: u16, bits: u16, size: u32| {
        let channels_and_rate =
            [&1u16.to_le_bytes()[..], &channels.to_le_bytes(), &rate.to_le_bytes()].concat();
        let rest = [&[0; 4][..], &[4, 0], &bits.to_le_bytes()].concat();
        let head =
            [&b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0"[..], &channels_and_rate, &rest, b"data"].concat();
        [head, size.to_le_bytes().to_vec(), vec![0; 100_000]].concat()
    };
    let ts = |packet: [u8; 4]| [&packet[..], &[0xff; 184]].concat().repeat(5_000);
    let inputs = [
        ("avi of ones", [&b"RIFF\xff\xff\xff\xffAVI LIST"[..], &[0xff; 4_000]].concat()),
        ("wav without a rate", wav(0, 1, 16, 100_000)),
        ("wav of 65535 channels", wav(48_000, 65_535, 16, 100_000)),
        ("wav of 4 billion samples a second", wav(u32::MAX, 2, 16, 100_000)),
        ("wav without an end", wav(48_000, 2, 16, u32::MAX)),
        ("wav of no bits", wav(48_000, 2, 0, 100_000)),
        ("gif of 65535 a side", [&b"GIF89a\xff\xff\xff\xff\x80\0\0"[..], &[0; 100]].concat()),
        ("mp3 that is all title", [&b"ID3\x04\0\0\x7f\x7f\x7f\x7f"[..], &[0; 10_000]].concat()),
        ("empty ts", ts([0x47, 0x1f, 0xff, 0x10])),
        ("ts of tables without tables", ts([0x47, 0x40, 0, 0x10])),
        ("flv of ones", [&b"FLV\x01\x05\0\0\0\x09\0\0\0\0"[..], &[0xff; 10_000]].concat()),
        ("ogg of ones", [&b"OggS\0\x02"[..], &[0xff; 10_000]].concat()),
        ("flac of ones", [&b"fLaC\x80\0\0\x22"[..], &[0xff; 10_000]].concat()),
        (
            "asf of ones",
            [&b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c"[..], &[0xff; 10_000]].concat(),
        ),
    ];
    judge(inputs.map(|(name, bytes)| try_bytes(name, &bytes).lasts_at_most(100_000)).into());
}
