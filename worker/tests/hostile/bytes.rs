//! Pieces of containers, written by hand.

/// A box of MP4.
pub(crate) fn atom(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len() + 8).unwrap();
    [&size.to_be_bytes()[..], &kind, content].concat()
}

pub(crate) fn ftyp() -> Vec<u8> {
    atom(*b"ftyp", b"isom\0\0\x02\0isommp41")
}

/// An element of Matroska.
pub(crate) fn element(id: &[u8], content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u64 | 1 << 56).to_be_bytes();
    [id, &size, content].concat()
}

pub(crate) fn ebml() -> Vec<u8> {
    element(&[0x1a, 0x45, 0xdf, 0xa3], &element(&[0x42, 0x82], b"matroska"))
}

pub(crate) const SEGMENT: [u8; 4] = [0x18, 0x53, 0x80, 0x67];
pub(crate) const TRACKS: [u8; 4] = [0x16, 0x54, 0xae, 0x6b];
pub(crate) const CLUSTER: [u8; 4] = [0x1f, 0x43, 0xb6, 0x75];

/// A track of sound in PCM.
pub(crate) fn track(number: u16) -> Vec<u8> {
    let number = number.to_be_bytes();
    let sound =
        element(&[0xe1], &[element(&[0xb5], &48_000f32.to_be_bytes()), element(&[0x9f], &[1])].concat());
    let parts = [
        element(&[0xd7], &number),
        element(&[0x73, 0xc5], &number),
        element(&[0x83], &[2]),
        element(&[0x86], b"A_PCM/INT/LIT"),
        sound,
    ];
    element(&[0xae], &parts.concat())
}

/// The file with these bytes behind the first place where a word stands.
pub(crate) fn patched(file: &[u8], word: &[u8], behind: usize, bytes: &[u8]) -> Vec<u8> {
    let at = file.windows(word.len()).position(|found| found == word).unwrap() + word.len() + behind;
    let mut file = file.to_vec();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// The file with another name for every box of a kind.
pub(crate) fn renamed(file: &[u8], kind: [u8; 4], name: [u8; 4]) -> Vec<u8> {
    let mut file = file.to_vec();
    while let Some(at) = file.windows(4).position(|found| *found == kind) {
        file[at..at + 4].copy_from_slice(&name);
    }
    file
}
