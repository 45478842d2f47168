//! Whether packets of a transport stream are missing. libav notices, but tells no one once it has split them into frames.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

const SYNC: u8 = 0x47;
const BUFFER: usize = 1 << 20;

/// Every packet of this identifier is there and without an error. An unreadable file is not whole.
pub(super) fn are_whole(path: &Path, identifier: u16) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let mut head = [0; 1024];
    let Ok(()) = reader.read_exact(&mut head) else { return false };
    let Some((size, sync)) = layout(&head) else { return false };
    let mut rest = head.as_slice().chain(reader);
    let mut packet = vec![0; size];
    let mut counter = Counter::default();
    loop {
        match rest.read_exact(&mut packet) {
            Ok(()) if counter.accepts(&packet[sync..], identifier) => {}
            Ok(()) => return false,
            Err(error) => return error.kind() == std::io::ErrorKind::UnexpectedEof,
        }
    }
}

/// Bytes of a packet and of what stands before it: plain, with time codes (M2TS), with error correction.
fn layout(head: &[u8]) -> Option<(usize, usize)> {
    [(188, 0), (192, 4), (204, 0)]
        .into_iter()
        .find(|(size, sync)| (0..4).all(|number| head.get(number * size + sync) == Some(&SYNC)))
}

#[derive(Default)]
struct Counter {
    latest: Option<u8>,
}

impl Counter {
    fn accepts(&mut self, packet: &[u8], identifier: u16) -> bool {
        let [sync, high, low, flags, adaptation_length, adaptation_flags, ..] = *packet else { return false };
        if sync != SYNC {
            return false;
        }
        if u16::from_be_bytes([high & 0x1f, low]) != identifier {
            return true;
        }
        let (has_error, has_payload, has_adaptation) =
            (high & 0x80 != 0, flags & 0x10 != 0, flags & 0x20 != 0);
        if has_error || !has_payload {
            return !has_error;
        }
        let counter = flags & 0x0f;
        let starts_anew = has_adaptation && adaptation_length > 0 && adaptation_flags & 0x80 != 0;
        let latest = self.latest.replace(counter);
        // A packet may be sent twice.
        starts_anew || latest.is_none_or(|latest| counter == latest || counter == (latest + 1) & 0x0f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(counters: &[u8]) -> tempfile::NamedTempFile {
        let mut bytes = Vec::new();
        for counter in counters {
            let mut packet = [0xff; 188];
            packet[..4].copy_from_slice(&[SYNC, 0x01, 0x00, 0x10 | counter]);
            bytes.extend(packet);
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn a_missing_packet_shows_in_the_counters() {
        let whole: Vec<u8> = (0..40).map(|number| number % 16).collect();
        assert!(are_whole(stream(&whole).path(), 0x100));
        let twice = [&whole[..5], &whole[4..]].concat();
        assert!(are_whole(stream(&twice).path(), 0x100));
        let lost = [&whole[..5], &whole[6..]].concat();
        assert!(!are_whole(stream(&lost).path(), 0x100));
        assert!(are_whole(stream(&lost).path(), 0x101));
    }

    #[test]
    fn a_byte_too_many_is_damage() {
        let file = stream(&(0..16).collect::<Vec<u8>>());
        let mut bytes = std::fs::read(file.path()).unwrap();
        bytes.insert(188 * 8 + 20, 0);
        std::fs::write(file.path(), bytes).unwrap();
        assert!(!are_whole(file.path(), 0x100));
    }
}
