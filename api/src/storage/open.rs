//! From the setting `storage_url` to a storage that is known to work.

use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
#[cfg(feature = "azure")]
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
#[cfg(feature = "gcs")]
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path as StorePath;
use object_store::{ClientOptions, ObjectStoreExt, RetryConfig};
use reqwest::Url;

use super::remote::{Kind, Remote};
use super::{Place, Storage};

/// The names and values from which stores take credentials, region and endpoint: those of the process, usually.
pub type Variables = Vec<(String, String)>;

/// Those that are no text are none of a store's.
pub fn process_variables() -> Variables {
    let texts =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(texts).collect()
}

/// Opens the storage that `url` names, or the directory `otherwise` if it is empty, and proves that objects can be
/// written, read, listed and removed there. `media_max_age` goes with what is stored where no server of ours answers.
pub async fn open(
    url: &str,
    otherwise: &Path,
    variables: &Variables,
    media_max_age: Duration,
) -> anyhow::Result<Storage> {
    if url.is_empty() {
        return local(otherwise);
    }
    let parsed = Url::parse(url).with_context(|| format!("storage_url = {url}: invalid URL"))?;
    let storage = match parsed.scheme() {
        "file" => {
            let Ok(path) = parsed.to_file_path() else {
                bail!("storage_url = {url}: use an absolute path, as in file:///srv/framefarm");
            };
            return local(&path);
        }
        "s3" => s3(&parsed, variables, media_max_age),
        #[cfg(feature = "gcs")]
        "gs" => gcs(&parsed, variables, media_max_age),
        #[cfg(feature = "azure")]
        "az" => azure(&parsed, variables, media_max_age),
        known if ["gs", "az"].contains(&known) => bail!(
            "storage_url = {url}: this program was built without support for {known}://; use an image or a package, or \
             build it with `--features full`"
        ),
        other => {
            bail!(
                "storage_url = {url}: unsupported scheme `{other}`; use file:///…, s3://bucket/prefix, gs:// or az://"
            )
        }
    }
    .with_context(|| format!("storage_url = {url}"))?;
    prove(&storage).await.with_context(|| {
        format!(
            "cannot use {url}: check that the bucket exists, that its endpoint and credentials are set in the \
             environment ({}), and that they may put, get, list and delete below the prefix",
            storage.remote().map_or("", Remote::variables)
        )
    })?;
    Ok(storage)
}

/// Proves at once that files can be created, renamed and synced there.
fn local(root: &Path) -> anyhow::Result<Storage> {
    let usable = || -> anyhow::Result<LocalFileSystem> {
        std::fs::create_dir_all(root)?;
        let probe = tempfile::NamedTempFile::new_in(root)?;
        probe.as_file().sync_all()?;
        let renamed = root.join(".probe");
        probe.persist(&renamed)?;
        std::fs::remove_file(&renamed)?;
        // Written means on disk: temp name, fsync, rename, fsync of the directory.
        Ok(LocalFileSystem::new_with_prefix(root)?.with_automatic_cleanup(true).with_fsync(true))
    };
    let store = usable().with_context(|| format!("cannot write to {}", root.display()))?;
    Ok(Storage { store: Arc::new(store), place: Place::Disk(root.to_owned()) })
}

fn s3(url: &Url, variables: &Variables, media_max_age: Duration) -> anyhow::Result<Storage> {
    let mut builder = AmazonS3Builder::new().with_client_options(client()).with_retry(patience());
    for (key, value) in keys::<AmazonS3ConfigKey>(variables, &["AWS_"]) {
        builder = builder.with_config(key, value);
    }
    let store = Arc::new(builder.with_bucket_name(bucket(url)?).build()?);
    let remote = Remote::new(Kind::S3, prefix(url)?, store.clone(), store.clone(), media_max_age)?;
    Ok(Storage { store, place: Place::Remote(Arc::new(remote)) })
}

#[cfg(feature = "gcs")]
fn gcs(url: &Url, variables: &Variables, media_max_age: Duration) -> anyhow::Result<Storage> {
    let mut builder = GoogleCloudStorageBuilder::new().with_client_options(client()).with_retry(patience());
    for (key, value) in keys::<GoogleConfigKey>(variables, &["GOOGLE_"]) {
        builder = builder.with_config(key, value);
    }
    let store = Arc::new(builder.with_bucket_name(bucket(url)?).build()?);
    let remote = Remote::new(Kind::Gcs, prefix(url)?, store.clone(), store.clone(), media_max_age)?;
    Ok(Storage { store, place: Place::Remote(Arc::new(remote)) })
}

#[cfg(feature = "azure")]
fn azure(url: &Url, variables: &Variables, media_max_age: Duration) -> anyhow::Result<Storage> {
    let mut builder = MicrosoftAzureBuilder::new().with_client_options(client()).with_retry(patience());
    for (key, value) in keys::<AzureConfigKey>(variables, &["AZURE_"]) {
        builder = builder.with_config(key, value);
    }
    let store = Arc::new(builder.with_container_name(bucket(url)?).build()?);
    let remote = Remote::new(Kind::Azure, prefix(url)?, store.clone(), store.clone(), media_max_age)?;
    Ok(Storage { store, place: Place::Remote(Arc::new(remote)) })
}

/// The variables a store knows, as its builder's own `from_env` finds them.
fn keys<'a, K: FromStr>(
    variables: &'a Variables,
    beginnings: &'a [&str],
) -> impl Iterator<Item = (K, String)> + 'a {
    variables.iter().filter_map(|(name, value)| {
        let known = beginnings.iter().any(|beginning| name.starts_with(beginning));
        let key = known.then(|| name.to_ascii_lowercase().parse().ok()).flatten()?;
        Some((key, value.clone()))
    })
}

fn bucket(url: &Url) -> anyhow::Result<String> {
    let bucket = url.host_str().unwrap_or_default();
    ensure!(!bucket.is_empty(), "the bucket is missing; use {}://bucket/prefix", url.scheme());
    ensure!(
        url.username().is_empty() && url.password().is_none() && url.query().is_none(),
        "the URL must contain only a bucket and a prefix; set credentials in the environment"
    );
    Ok(bucket.to_owned())
}

fn prefix(url: &Url) -> anyhow::Result<StorePath> {
    Ok(StorePath::from_url_path(url.path())?)
}

/// A video may take an hour to be read: only standing still is limited.
fn client() -> ClientOptions {
    ClientOptions::new()
        .with_timeout_disabled()
        .with_connect_timeout(Duration::from_secs(5))
        .with_read_timeout(Duration::from_mins(2))
}

/// A caller waits behind each of these; it is told soon that the store is away, and comes again.
fn patience() -> RetryConfig {
    RetryConfig { max_retries: 5, retry_timeout: Duration::from_secs(30), ..RetryConfig::default() }
}

async fn prove(storage: &Storage) -> anyhow::Result<()> {
    let name = format!("probes/{}", hex::encode(rand::random::<[u8; 8]>()));
    let (path, text) = (storage.at(&name), "framefarm");
    storage.store.put(&path, text.into()).await.context("writing failed")?;
    let read = storage.store.get(&path).await.context("reading failed")?.bytes().await?;
    ensure!(read == text, "the object read back differs from the one written");
    ensure!(storage.count_below("probes").await > 0, "the written object is missing from the listing");
    storage.store.delete(&path).await.context("deleting failed")
}
