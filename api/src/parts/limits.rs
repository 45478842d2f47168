//! How much one part may be, before and after unpacking.

/// The caps on one part. Whatever goes over them is refused while it streams, never after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartLimits {
    /// Bytes of the tar.gz as delivered.
    pub max_archive_bytes: u64,
    /// Bytes of the tar inside, headers and padding included.
    pub max_unpacked_bytes: u64,
    pub max_segments: u32,
    pub max_segment_bytes: u64,
    pub max_init_bytes: u64,
    pub max_manifest_bytes: u64,
    /// Unpacked bytes per delivered byte. CMAF does not compress, so an honest part stays near 1.
    pub max_ratio: u64,
}

impl Default for PartLimits {
    fn default() -> Self {
        Self {
            max_archive_bytes: 256 << 20,
            max_unpacked_bytes: 512 << 20,
            max_segments: 500,
            max_segment_bytes: 128 << 20,
            max_init_bytes: 64 << 10,
            max_manifest_bytes: 256 << 10,
            max_ratio: 200,
        }
    }
}
