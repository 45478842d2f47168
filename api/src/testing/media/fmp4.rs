//! Synthetic CMAF: real boxes around noise. No decoder will show it, every parser will accept it.

use mp4_atom::{
    Audio, Avc1, Avcc, Codec, Dinf, Dref, Encode, Esds, FixedPoint, Ftyp, Hdlr, Mdat, Mdhd, Mdia, Mfhd, Minf,
    Moof, Moov, Mp4a, Mvex, Mvhd, Smhd, Stbl, Stco, Stsd, Styp, Tfdt, Tfhd, Tkhd, Traf, Trak, Trex, Trun,
    TrunEntry, Url, Visual, Vmhd, esds,
};

pub const VIDEO_TIMESCALE: u32 = 90_000;
pub const AUDIO_TIMESCALE: u32 = 48_000;

const TRACK: u32 = 1;
const FRAME_TICKS: u64 = 3_600;
const AAC_TICKS: u64 = 1_024;
const SAMPLE_BYTES: u32 = 200;
const SYNC: u32 = 0x0200_0000;
const NON_SYNC: u32 = 0x0101_0000;

/// An init segment with one H.264 track.
pub fn video_init(width: u16, height: u16) -> Vec<u8> {
    let sps = [0x67, 0x64, 0x00, 0x1f, 0xac, 0xd9];
    let avcc = Avcc::new(&sps, &[0x68, 0xeb, 0xe3]).expect("the parameter sets are long enough");
    let entry = Avc1 {
        visual: Visual { data_reference_index: 1, width, height, ..Visual::default() },
        avcc,
        ..Avc1::default()
    };
    let media = Minf { vmhd: Some(Vmhd::default()), ..minf(entry.into()) };
    init(*b"vide", VIDEO_TIMESCALE, media)
}

/// An init segment with one AAC-LC stereo track.
pub fn audio_init() -> Vec<u8> {
    let es_desc = esds::EsDescriptor {
        es_id: 1,
        dec_config: esds::DecoderConfig {
            object_type_indication: 0x40,
            stream_type: 5,
            dec_specific: Some(esds::DecoderSpecific {
                profile: 2,
                freq_index: 3,
                chan_conf: 2,
                raw: Vec::new(),
            }),
            ..esds::DecoderConfig::default()
        },
        ..esds::EsDescriptor::default()
    };
    let entry = Mp4a {
        audio: Audio {
            data_reference_index: 1,
            channel_count: 2,
            sample_size: 16,
            sample_rate: FixedPoint::new(48_000, 0),
        },
        esds: Esds { es_desc },
        btrt: None,
        taic: None,
    };
    let media = Minf { smhd: Some(Smhd::default()), ..minf(entry.into()) };
    init(*b"soun", AUDIO_TIMESCALE, media)
}

/// A segment of 25 frames per second that starts with a key frame.
pub fn video_segment(start_us: u64, end_us: u64) -> Vec<u8> {
    let start = ticks(start_us, VIDEO_TIMESCALE);
    let end = ticks(end_us, VIDEO_TIMESCALE);
    segment(start, end, FRAME_TICKS, NON_SYNC)
}

/// A segment of whole AAC frames, as near to the given instants as frames allow.
pub fn audio_segment(start_us: u64, end_us: u64) -> Vec<u8> {
    let whole = |us| ticks(us, AUDIO_TIMESCALE).div_ceil(AAC_TICKS) * AAC_TICKS;
    segment(whole(start_us), whole(end_us), AAC_TICKS, SYNC)
}

/// Bytes that do not compress, the same for the same seed.
pub fn payload(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()
    })
    .flatten()
    .take(length)
    .collect()
}

/// A box of any kind around any body.
pub fn boxed(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len() + 8).expect("a test box is small");
    [&size.to_be_bytes(), &kind[..], body].concat()
}

/// Where the header of the first box at `path` starts.
pub fn find_box(file: &[u8], path: &[&[u8; 4]]) -> usize {
    let mut at = 0;
    for (depth, kind) in path.iter().enumerate() {
        while &&file[at + 4..at + 8] != kind {
            at += read_u32(file, at);
        }
        if depth + 1 < path.len() {
            at += 8;
        }
    }
    at
}

/// `file` with bytes overwritten, `offset` bytes into the box at `path`.
pub fn patched(file: &[u8], path: &[&[u8; 4]], offset: usize, bytes: &[u8]) -> Vec<u8> {
    let at = find_box(file, path) + offset;
    let mut file = file.to_vec();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

fn read_u32(file: &[u8], at: usize) -> usize {
    let bytes = file[at..at + 4].try_into().expect("four bytes were taken");
    u32::from_be_bytes(bytes) as usize
}

fn ticks(us: u64, timescale: u32) -> u64 {
    us * u64::from(timescale) / 1_000_000
}

fn init(handler: [u8; 4], timescale: u32, minf: Minf) -> Vec<u8> {
    let ftyp =
        Ftyp { major_brand: b"iso6".into(), minor_version: 0, compatible_brands: vec![b"cmfc".into()] };
    let mdia = Mdia {
        mdhd: Mdhd { timescale, language: "und".to_owned(), ..Mdhd::default() },
        hdlr: Hdlr { handler: handler.into(), name: String::new() },
        minf,
    };
    let trak =
        Trak { tkhd: Tkhd { track_id: TRACK, enabled: true, ..Tkhd::default() }, mdia, ..Trak::default() };
    let trex = Trex { track_id: TRACK, default_sample_description_index: 1, ..Trex::default() };
    let moov = Moov {
        mvhd: Mvhd { timescale: 1_000, next_track_id: TRACK + 1, ..Mvhd::default() },
        mvex: Some(Mvex { trex: vec![trex], ..Mvex::default() }),
        trak: vec![trak],
        ..Moov::default()
    };
    [encoded(&ftyp), encoded(&moov)].concat()
}

fn minf(entry: Codec) -> Minf {
    Minf {
        dinf: Dinf { dref: Dref { entries: vec![Url::default().into()] } },
        stbl: Stbl { stsd: Stsd { codecs: vec![entry] }, stco: Some(Stco::default()), ..Stbl::default() },
        ..Minf::default()
    }
}

fn segment(start: u64, end: u64, sample_ticks: u64, later_flags: u32) -> Vec<u8> {
    let total = end - start;
    let count = (total / sample_ticks).max(1);
    let last = total - sample_ticks * (count - 1);
    let entries = (0..count).map(|n| TrunEntry {
        duration: u32::try_from(if n + 1 == count { last } else { sample_ticks }).ok(),
        size: Some(SAMPLE_BYTES),
        flags: Some(if n == 0 { SYNC } else { later_flags }),
        cts: None,
    });
    let samples: Vec<_> = entries.collect();
    let data = payload(start ^ end, samples.len() * SAMPLE_BYTES as usize);
    let mut moof = Moof {
        mfhd: Mfhd { sequence_number: 1 },
        traf: vec![Traf {
            tfhd: Tfhd { track_id: TRACK, default_base_is_moof: true, ..Tfhd::default() },
            tfdt: Some(Tfdt { base_media_decode_time: start }),
            trun: vec![Trun { data_offset: Some(0), samples: samples.into() }],
            ..Traf::default()
        }],
    };
    let behind = encoded(&moof).len() + 8;
    moof.traf[0].trun[0].data_offset = i32::try_from(behind).ok();
    let styp =
        Styp { major_brand: b"msdh".into(), minor_version: 0, compatible_brands: vec![b"msix".into()] };
    [encoded(&styp), encoded(&moof), encoded(&Mdat { data })].concat()
}

fn encoded(atom: &impl Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    atom.encode(&mut bytes).expect("a test atom is small");
    bytes
}
