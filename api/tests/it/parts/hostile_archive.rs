//! Archives that lie about names, types, sizes and ends.

use std::io::{self, Read};

use framefarm_api::parts::{PartLimits, verify};
use framefarm_api::testing::media::{RawEntry, gzip};

use super::{assert_refused_with, expectation, good, refused};

/// The good part with its third entry, the first segment, under another name.
fn named(name: impl AsRef<[u8]>) -> Vec<u8> {
    good().build_with_entries(|entries| entries[2].rename(name))
}

/// The good part with an entry of another type in front of its first segment.
fn with_special(kind: u8, target: &str) -> Vec<u8> {
    good().build_with_entries(|entries| {
        let mut special = RawEntry::special("seg_00001.m4s", kind);
        special.header.as_old_mut().linkname[..target.len()].copy_from_slice(target.as_bytes());
        entries.insert(2, special);
    })
}

fn bent(bend: impl FnOnce(&mut Vec<RawEntry>)) -> Vec<u8> {
    good().build_with_entries(bend)
}

/// A PAX record list with one record.
fn pax(record: &str) -> Vec<u8> {
    let length = record.len() + 4;
    format!("{length} {record}\n").into_bytes()
}

fn truncated(part: &[u8], left_off: usize) -> Vec<u8> {
    part[..part.len() - left_off].to_vec()
}

refused! {
    a_name_with_dot_dot_is_refused: "part_bad_name", named("../seg_00001.m4s");
    a_name_that_climbs_out_deep_is_refused: "part_bad_name", named("../../../../etc/cron.d/x");
    a_name_with_dot_dot_in_the_middle_is_refused: "part_bad_name", named("a/../../seg_00001.m4s");
    an_absolute_name_is_refused: "part_bad_name", named("/tmp/seg_00001.m4s");
    a_name_with_a_drive_is_refused: "part_bad_name", named("C:seg_00001.m4s");
    a_unc_name_is_refused: "part_bad_name", named(r"\\host\share\seg_00001.m4s");
    a_name_with_backslashes_is_refused: "part_bad_name", named(r"..\seg_00001.m4s");
    a_percent_encoded_name_is_refused: "part_bad_name", named("%2e%2e%2fseg_00001.m4s");
    a_name_with_a_dot_slash_is_refused: "part_bad_name", named("./seg_00001.m4s");
    a_name_in_a_directory_is_refused: "part_bad_name", named("720p/seg_00001.m4s");
    a_name_with_bytes_behind_a_nul_is_refused: "part_bad_name", named("seg_00001.m4s\0/../../x");
    a_name_that_starts_with_nul_is_refused: "part_bad_name", named("\0seg_00001.m4s");
    an_empty_name_is_refused: "part_bad_name", named("");
    a_name_of_a_hundred_bytes_is_refused: "part_bad_name", named("a".repeat(100));
    a_name_that_is_not_utf8_is_refused: "part_bad_name", named(b"seg_\xff\xfe001.m4s");
    a_name_with_a_newline_is_refused: "part_bad_name", named("seg_00001.m4s\n");
    a_name_with_a_terminal_escape_is_refused: "part_bad_name", named("\x1b[2Jseg");
    a_name_with_look_alike_digits_is_refused: "part_bad_name", named("seg_٠٠٠٠١.m4s");
    a_name_with_few_digits_is_refused: "part_bad_name", named("seg_1.m4s");
    a_name_with_many_digits_is_refused: "part_bad_name", named("seg_000001.m4s");
    a_name_in_capitals_is_refused: "part_bad_name", named("SEG_00001.M4S");
    a_name_split_over_the_prefix_field_is_refused: "part_bad_name", bent(|entries| {
        entries[2].header.as_ustar_mut().expect("ustar").prefix[..2].copy_from_slice(b"..");
    });

    a_symbolic_link_is_refused: "part_not_a_file", with_special(b'2', "/etc/passwd");
    a_symbolic_link_in_place_of_the_manifest_is_refused: "part_not_a_file", bent(|entries| {
        entries[0] = RawEntry::special("manifest.json", b'2');
    });
    a_hard_link_is_refused: "part_not_a_file", with_special(b'1', "../bystander");
    a_character_device_is_refused: "part_not_a_file", with_special(b'3', "");
    a_block_device_is_refused: "part_not_a_file", with_special(b'4', "");
    a_directory_is_refused: "part_not_a_file", with_special(b'5', "");
    a_fifo_is_refused: "part_not_a_file", with_special(b'6', "");
    a_contiguous_file_is_refused: "part_not_a_file", with_special(b'7', "");
    a_gnu_sparse_file_is_refused: "part_not_a_file", with_special(b'S', "");
    a_gnu_directory_dump_is_refused: "part_not_a_file", with_special(b'D', "");
    a_gnu_volume_label_is_refused: "part_not_a_file", with_special(b'V', "");
    a_type_nobody_knows_is_refused: "part_not_a_file", with_special(b'~', "");

    a_gnu_long_name_is_refused: "part_tar_extension", bent(|entries| {
        let mut long = RawEntry::file("././@LongLink", "../escape\0");
        long.set_kind(b'L');
        entries.insert(2, long);
    });
    a_gnu_long_link_is_refused: "part_tar_extension", with_special(b'K', "");
    a_pax_header_with_another_size_is_refused: "part_tar_extension", bent(|entries| {
        let mut header = RawEntry::file("pax", pax("size=0"));
        header.set_kind(b'x');
        entries.insert(2, header);
    });
    a_pax_header_with_another_path_is_refused: "part_tar_extension", bent(|entries| {
        let mut header = RawEntry::file("pax", pax("path=../x"));
        header.set_kind(b'x');
        entries.insert(0, header);
    });
    a_global_pax_header_is_refused: "part_tar_extension", bent(|entries| {
        let mut header = RawEntry::file("pax", pax("size=9"));
        header.set_kind(b'g');
        entries.insert(0, header);
    });

    the_manifest_twice_is_refused: "part_duplicate_entry", bent(|e| e.insert(1, e[0].clone()));
    the_init_twice_is_refused: "part_duplicate_entry", bent(|e| e.insert(2, e[1].clone()));
    a_segment_twice_is_refused: "part_duplicate_entry", bent(|e| e.insert(3, e[2].clone()));
    a_segment_again_at_the_end_is_refused: "part_duplicate_entry", bent(|e| e.push(e[2].clone()));
    a_manifest_that_is_not_first_is_refused: "part_wrong_order", bent(|e| e.swap(0, 1));
    a_segment_before_the_init_is_refused: "part_wrong_order", bent(|e| e.swap(1, 2));
    segments_out_of_order_are_refused: "part_wrong_order", bent(|e| e.swap(2, 3));
    a_missing_init_is_refused: "part_wrong_order", bent(|e| drop(e.remove(1)));
    a_missing_last_segment_is_refused: "part_missing_entry", bent(|e| drop(e.pop()));
    an_archive_of_the_manifest_alone_is_refused: "part_missing_entry", bent(|e| e.truncate(1));
    an_empty_archive_is_refused: "part_missing_entry", bent(Vec::clear);
    an_unlisted_segment_is_refused: "part_extra_entry", bent(|entries| {
        entries.push(RawEntry::file("seg_00003.m4s", "x"));
    });
    an_unlisted_segment_in_the_middle_is_refused: "part_extra_entry", bent(|entries| {
        entries.insert(2, RawEntry::file("seg_00000.m4s", "x"));
    });
    a_million_tiny_entries_end_at_the_first_unlisted_one: "part_extra_entry", bent(|entries| {
        entries.extend((3..5_000).map(|n| RawEntry::file(format!("seg_{n:05}.m4s"), [])));
    });

    a_wrong_tar_checksum_is_refused: "part_bad_tar", bent(|e| e[2].bad_checksum = true);
    a_checksum_that_is_not_a_number_is_refused: "part_bad_tar", good().build_with_tar(|tar| {
        tar[148..156].copy_from_slice(b"notoctal");
    });
    a_size_that_is_not_octal_is_refused: "part_bad_tar", bent(|entries| {
        entries[2].header.as_old_mut().size = *b"0000000899\0\0";
    });
    padding_that_hides_bytes_is_refused: "part_bad_tar", good().build_with_tar(|tar| {
        let content = tar[512..1024].iter().rposition(|b| *b != 0).expect("a manifest");
        let manifest_ends = 512 + content + 1;
        let next_header = manifest_ends.next_multiple_of(512);
        tar[next_header - 1] = b'!';
    });
    a_header_that_claims_gigabytes_is_refused: "part_too_big", bent(|entries| {
        entries[2].header.set_size(8 * 1024 * 1024 * 1024 - 1);
    });
    a_manifest_that_claims_gigabytes_is_refused: "part_too_big", bent(|entries| {
        entries[0].header.set_size(4 << 30);
    });
    a_base_256_size_is_refused: "part_too_big", bent(|entries| {
        entries[2].header.set_size(u64::MAX >> 1);
    });
    a_negative_base_256_size_is_refused: "part_too_big", bent(|entries| {
        entries[2].header.as_old_mut().size = [0xff; 12];
    });
    a_header_that_claims_one_byte_less_is_refused: "part_size_mismatch", bent(|entries| {
        let size = entries[2].content.len() as u64;
        entries[2].header.set_size(size - 1);
    });
    a_header_that_claims_one_byte_more_is_refused: "part_size_mismatch", bent(|entries| {
        let size = entries[2].content.len() as u64;
        entries[2].header.set_size(size + 1);
    });

    no_bytes_at_all_are_refused: "part_truncated", Vec::new();
    bytes_that_are_not_gzip_are_refused: "part_bad_gzip", *b"PK\x03\x04 this is a zip";
    a_plain_tar_is_refused: "part_bad_gzip", RawEntry::tar(&good().entries());
    a_gzip_without_its_trailer_is_refused: "part_truncated", truncated(&good().build(), 8);
    a_gzip_without_its_last_byte_is_refused: "part_truncated", truncated(&good().build(), 1);
    a_gzip_cut_in_the_middle_is_refused: "part_truncated", {
        let part = good().build();
        truncated(&part, part.len() / 2)
    };
    a_wrong_gzip_checksum_is_refused: "part_bad_gzip", {
        let mut part = good().build();
        let at = part.len() - 8;
        part[at] ^= 1;
        part
    };
    a_wrong_gzip_length_is_refused: "part_bad_gzip", {
        let mut part = good().build();
        let at = part.len() - 1;
        part[at] ^= 1;
        part
    };
    a_tar_without_an_end_marker_is_refused: "part_truncated", good().build_with_tar(|tar| {
        tar.truncate(tar.len() - 1024);
    });
    a_tar_with_half_an_end_marker_is_refused: "part_truncated", good().build_with_tar(|tar| {
        tar.truncate(tar.len() - 512);
    });
    a_tar_cut_in_a_segment_is_refused: "part_truncated", good().build_with_tar(|tar| {
        tar.truncate(tar.len() / 2);
    });
    bytes_behind_the_gzip_are_refused: "part_trailing_data", [good().build(), b"x".to_vec()].concat();
    zeros_behind_the_gzip_are_refused: "part_trailing_data", [good().build(), vec![0; 512]].concat();
    a_second_gzip_member_is_refused: "part_trailing_data", [good().build(), good().build()].concat();
    an_empty_second_gzip_member_is_refused: "part_trailing_data", [good().build(), gzip(&[])].concat();
    bytes_behind_the_end_marker_are_refused: "part_trailing_data", good().build_with_tar(|tar| tar.push(b'x'));
    a_second_tar_behind_the_first_is_refused: "part_trailing_data", good().build_with_tar(|tar| {
        tar.extend_from_within(..);
    });
    an_entry_inside_the_end_marker_is_refused: "part_trailing_data", good().build_with_tar(|tar| {
        let end = tar.len() - 512;
        tar.truncate(end);
        tar.extend(RawEntry::tar(&good().entries()[..1]));
    });
    megabytes_of_padding_are_refused: "part_trailing_data", good().build_with_tar(|tar| {
        tar.resize(tar.len() + (128 << 10), 0);
    });
}

#[test]
fn a_segment_of_zeros_is_refused_by_its_ratio() {
    let part = good().segment(0, vec![0; 64 << 20]).build();
    assert_refused_with(&part, &PartLimits::default(), &expectation(), "part_ratio");
}

#[test]
fn an_archive_over_its_own_limit_is_refused() {
    let limits = PartLimits { max_archive_bytes: 10_000, ..PartLimits::default() };
    assert_refused_with(&good().build(), &limits, &expectation(), "part_too_big");
}

#[test]
fn tar_overhead_counts_as_unpacked_bytes() {
    let part = good();
    let content = part.init.len() + part.segments.iter().map(Vec::len).sum::<usize>();
    let limits = PartLimits { max_unpacked_bytes: content as u64 + 512, ..PartLimits::default() };
    assert_refused_with(&part.build(), &limits, &expectation(), "part_too_big");
}

#[test]
fn a_connection_that_breaks_is_told_from_a_bad_part() {
    struct Broken<'a>(&'a [u8]);
    impl Read for Broken<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buf)? {
                0 => Err(io::ErrorKind::ConnectionReset.into()),
                read => Ok(read),
            }
        }
    }
    let part = good().build();
    let dir = tempfile::tempdir().expect("a directory");
    let mut half = Broken(&part[..part.len() / 2]);
    let error = verify(&mut half, dir.path(), &PartLimits::default(), &expectation());
    assert_eq!(error.expect_err("it broke").code(), "part_read_failed");
}
