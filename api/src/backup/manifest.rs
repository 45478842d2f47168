//! The manifest of a backup. It is written last: a directory without it is not a backup.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(super) const DATABASE: &str = "framefarm.db";
pub(super) const MEDIA: &str = "media";
const FILE: &str = "manifest.json";
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// Of the program that made it.
    pub version: String,
    /// The newest migration of the database.
    pub schema: i64,
    /// The state of the farm at this time.
    pub created_at: DateTime<Utc>,
    pub database: DatabaseFile,
    /// `None` if only the database was asked for.
    pub media: Option<MediaFiles>,
    /// Stored files that the database names and that the farm itself has lost.
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseFile {
    pub bytes: u64,
    pub sha256: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaFiles {
    pub files: u64,
    pub bytes: u64,
    /// How many of them are second names of files that were there.
    pub linked: u64,
}

impl Manifest {
    pub(super) fn new(schema: i64, created_at: DateTime<Utc>, database: DatabaseFile) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: FORMAT, version, schema, created_at, database, media: None, missing: Vec::new() }
    }

    pub fn read(backup: &Path) -> anyhow::Result<Self> {
        let path = backup.join(FILE);
        let text = std::fs::read(&path)
            .with_context(|| format!("{} is not a complete backup: {FILE} is missing", backup.display()))?;
        let manifest: Self =
            serde_json::from_slice(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        if manifest.format != FORMAT {
            bail!("this backup has format {}, but this version only reads format {FORMAT}", manifest.format);
        }
        Ok(manifest)
    }

    pub(super) fn write(&self, backup: &Path) -> anyhow::Result<()> {
        let mut file = std::fs::File::create_new(backup.join(FILE))?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.sync_all()?;
        Ok(())
    }

    /// Whether the database is the one that was backed up, to the byte.
    pub(super) fn check_database(&self, backup: &Path) -> anyhow::Result<()> {
        let found = DatabaseFile::of(&backup.join(DATABASE))?;
        ensure!(
            found == self.database,
            "{DATABASE} does not match the manifest: found {} bytes with SHA-256 {}, expected {} bytes with SHA-256 {}",
            found.bytes,
            found.sha256,
            self.database.bytes,
            self.database.sha256
        );
        Ok(())
    }
}

impl DatabaseFile {
    pub(super) fn of(path: &Path) -> anyhow::Result<Self> {
        let cannot = || format!("cannot read {}", path.display());
        let mut file = std::fs::File::open(path).with_context(cannot)?;
        let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
        loop {
            let length = file.read(&mut buffer).with_context(cannot)?;
            if length == 0 {
                return Ok(Self { bytes, sha256: hex::encode(hash.finalize()) });
            }
            hash.update(&buffer[..length]);
            bytes += length as u64;
        }
    }
}
