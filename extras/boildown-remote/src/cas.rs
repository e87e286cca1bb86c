//! The content store of a service: what it lacks is uploaded, and results are downloaded.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bazel_remote_apis::build::bazel::remote::execution::v2 as reapi;
use bazel_remote_apis::google::bytestream::byte_stream_client::ByteStreamClient;
use bazel_remote_apis::google::bytestream::{ReadRequest, WriteRequest};
use reapi::content_addressable_storage_client::ContentAddressableStorageClient;
use reapi::{
    BatchReadBlobsRequest, BatchUpdateBlobsRequest, Digest, FindMissingBlobsRequest,
    batch_update_blobs_request,
};
use tonic::{Code, Status};

use crate::RemoteError;
use crate::connection::{Connection, Patience, is_passing, lock};
use crate::digest::{Blob, digest};

/// The size of a batch for a service that states none; it is below what gRPC carries by default.
const BATCH: u64 = 3 << 20;

/// What a message needs beside the blob.
const OVERHEAD: u64 = 256;

/// Bytes in a message of a stream.
const CHUNK: usize = 1 << 20;

/// Digests in one question about missing blobs: some 80 bytes each.
const DIGESTS: usize = 10_000;

/// Bytes of outputs that are remembered: most runs print what another one printed.
const REMEMBERED: usize = 8 << 20;

/// Blobs of this size and more are not sent before it is known that they are missing.
const ASK_FIRST: usize = 64 << 10;

/// The content store.
#[derive(Debug)]
pub(crate) struct ContentStore {
    connection: Arc<Connection>,
    batch: u64,
    outputs: Mutex<Outputs>,
    uploads: AtomicU64,
}

/// Outputs that were downloaded, by digest.
#[derive(Debug, Default)]
struct Outputs {
    by_hash: HashMap<String, Arc<[u8]>>,
    bytes: usize,
}

impl ContentStore {
    /// `batch` is the size of a batch that the service states, or 0.
    pub(crate) fn new(connection: Arc<Connection>, batch: u64) -> Self {
        Self {
            connection,
            batch: if batch == 0 { BATCH } else { batch.min(BATCH) },
            outputs: Mutex::default(),
            uploads: AtomicU64::new(0),
        }
    }

    /// Uploads the blobs that the service lacks. `is_new` says that it has hardly any of them, so
    /// that it is not asked about small ones.
    pub(crate) async fn provide(&self, blobs: &[&Blob], is_new: bool) -> Result<(), RemoteError> {
        let bytes: usize = blobs.iter().map(|blob| blob.bytes.len()).sum();
        if is_new && bytes < ASK_FIRST {
            return self.upload(blobs).await;
        }
        let missing = self.missing(blobs).await?;
        let is_missing = |blob: &&&Blob| missing.contains(&blob.digest.hash);
        let missing: Vec<_> = blobs.iter().filter(is_missing).copied().collect();
        self.upload(&missing).await
    }

    async fn missing(&self, blobs: &[&Blob]) -> Result<HashSet<String>, RemoteError> {
        let mut missing = HashSet::new();
        for blobs in blobs.chunks(DIGESTS) {
            let action = "ask what is missing";
            let answer = self.connection.call(action, 0, |channel| {
                let request = self.connection.request(FindMissingBlobsRequest {
                    instance_name: self.connection.config().instance.clone(),
                    blob_digests: blobs.iter().map(|blob| blob.digest.clone()).collect(),
                    ..Default::default()
                });
                let mut client = ContentAddressableStorageClient::new(channel);
                async move { client.find_missing_blobs(request).await }
            });
            let answer = (answer.await?).map_err(|status| RemoteError::refused(action, &status))?;
            let digests = answer.into_inner().missing_blob_digests;
            missing.extend(digests.into_iter().map(|digest| digest.hash));
        }
        Ok(missing)
    }

    async fn upload(&self, blobs: &[&Blob]) -> Result<(), RemoteError> {
        let mut batch = Vec::new();
        let mut size = 0;
        for blob in blobs {
            let bytes = blob.bytes.len() as u64 + OVERHEAD;
            if bytes > self.batch {
                self.write(blob).await?;
                continue;
            }
            if size + bytes > self.batch {
                self.upload_batch(std::mem::take(&mut batch), size).await?;
                size = 0;
            }
            batch.push(*blob);
            size += bytes;
        }
        match batch.is_empty() {
            true => Ok(()),
            false => self.upload_batch(batch, size).await,
        }
    }

    async fn upload_batch(&self, blobs: Vec<&Blob>, size: u64) -> Result<(), RemoteError> {
        let action = "upload a test";
        let mut patience = self.connection.patience();
        let mut blobs = blobs;
        loop {
            let answer = self.connection.call(action, size, |channel| {
                let request = self.connection.request(BatchUpdateBlobsRequest {
                    instance_name: self.connection.config().instance.clone(),
                    requests: blobs.iter().map(|blob| update(blob)).collect(),
                    ..Default::default()
                });
                let mut client = ContentAddressableStorageClient::new(channel);
                async move { client.batch_update_blobs(request).await }
            });
            let answer = (answer.await?).map_err(|status| RemoteError::refused(action, &status))?;
            // The status of each blob is its own: a full disk takes some of them.
            let mut failures = HashMap::new();
            for response in answer.into_inner().responses {
                let status = response.status.unwrap_or_default();
                if status.code != 0 {
                    let hash = response.digest.unwrap_or_default().hash;
                    let code = Code::from_i32(status.code);
                    failures.insert(hash, Status::new(code, status.message));
                }
            }
            blobs.retain(|blob| failures.contains_key(&blob.digest.hash));
            let Some(first) = blobs.first() else {
                return Ok(());
            };
            let failure = failures.remove(&first.digest.hash);
            let failure = failure.unwrap_or_else(|| Status::internal("no status"));
            self.pause_after(action, failure, &mut patience).await?;
        }
    }

    /// Waits before another try after a failure that may pass.
    async fn pause_after(
        &self,
        action: &'static str,
        failure: Status,
        patience: &mut Patience,
    ) -> Result<(), RemoteError> {
        match self.connection.after(action, failure, patience).await? {
            None => Ok(()),
            Some(status) => Err(RemoteError::refused(action, &status)),
        }
    }

    /// Uploads a blob that is too large for a batch.
    async fn write(&self, blob: &Blob) -> Result<(), RemoteError> {
        let action = "upload a file";
        let size = blob.bytes.len() as u64;
        let answer = self.connection.call(action, size, |channel| {
            let name = format!(
                "{}uploads/{}/blobs/{}/{}",
                self.prefix(),
                self.upload_id(),
                blob.digest.hash,
                blob.digest.size_bytes
            );
            let chunks = blob.bytes.chunks(CHUNK).enumerate();
            let requests: Vec<_> = chunks
                .map(|(index, chunk)| WriteRequest {
                    resource_name: if index == 0 {
                        name.clone()
                    } else {
                        String::new()
                    },
                    write_offset: i64::try_from(index * CHUNK).unwrap_or(i64::MAX),
                    finish_write: index * CHUNK + chunk.len() == blob.bytes.len(),
                    data: chunk.to_vec(),
                })
                .collect();
            let request = self.connection.request(tokio_stream::iter(requests));
            let mut client = ByteStreamClient::new(channel);
            async move { client.write(request).await }
        });
        match answer.await? {
            // Someone else has just uploaded it.
            Err(status) if status.code() == Code::AlreadyExists => Ok(()),
            Err(status) => Err(RemoteError::refused(action, &status)),
            Ok(_) => Ok(()),
        }
    }

    /// Returns an identity of the form that the protocol asks for, new for each upload.
    fn upload_id(&self) -> String {
        let number = self.uploads.fetch_add(1, Ordering::Relaxed);
        // Each state has other keys.
        let random = RandomState::new().hash_one(number);
        let hash = digest(format!("{random} {number}").as_bytes()).hash;
        let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
        format!(
            "{}-{}-4{}-8{}-{}",
            part(0, 8),
            part(8, 12),
            part(12, 15),
            part(15, 18),
            part(18, 30)
        )
    }

    /// Returns the beginning of the names of blobs in streams.
    fn prefix(&self) -> String {
        match self.connection.config().instance.as_str() {
            "" => String::new(),
            instance => format!("{instance}/"),
        }
    }

    /// Downloads a blob, of which at most `cap` bytes are kept: half of them from its beginning and
    /// half from its end. `None` when the service does not have it any more.
    pub(crate) async fn fetch(
        &self,
        wanted: &Digest,
        cap: usize,
    ) -> Result<Option<Arc<[u8]>>, RemoteError> {
        if wanted.size_bytes == 0 {
            return Ok(Some(Arc::from([])));
        }
        if let Some(known) = lock(&self.outputs).by_hash.get(&wanted.hash) {
            return Ok(Some(known.clone()));
        }
        let size = u64::try_from(wanted.size_bytes).unwrap_or(0);
        let bytes = if size > cap as u64 {
            let half = cap as u64 / 2;
            let Some(mut head) = self.read(wanted, 0, half).await? else {
                return Ok(None);
            };
            let Some(tail) = self.read(wanted, size - half, half).await? else {
                return Ok(None);
            };
            head.extend(tail);
            Some(head)
        } else if size + OVERHEAD > self.batch {
            (self.read(wanted, 0, size).await?).filter(|bytes| digest(bytes) == *wanted)
        } else {
            (self.read_batch(wanted, size).await?).filter(|bytes| digest(bytes) == *wanted)
        };
        let bytes: Option<Arc<[u8]>> = bytes.map(Into::into);
        if let Some(bytes) = &bytes {
            lock(&self.outputs).remember(&wanted.hash, bytes);
        }
        Ok(bytes)
    }

    async fn read_batch(&self, digest: &Digest, size: u64) -> Result<Option<Vec<u8>>, RemoteError> {
        let action = "download an output";
        let answer = self.connection.call(action, size, |channel| {
            let request = self.connection.request(BatchReadBlobsRequest {
                instance_name: self.connection.config().instance.clone(),
                digests: vec![digest.clone()],
                ..Default::default()
            });
            let mut client = ContentAddressableStorageClient::new(channel);
            async move {
                let answer = client.batch_read_blobs(request).await?.into_inner();
                let Some(response) = answer.responses.into_iter().next() else {
                    return Err(Status::not_found("the answer is empty"));
                };
                match response.status.unwrap_or_default() {
                    status if status.code == 0 => Ok(response.data),
                    status => Err(Status::new(Code::from_i32(status.code), status.message)),
                }
            }
        });
        self.found(action, answer.await?)
    }

    async fn read(
        &self,
        digest: &Digest,
        offset: u64,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        let action = "download an output";
        let name = format!(
            "{}blobs/{}/{}",
            self.prefix(),
            digest.hash,
            digest.size_bytes
        );
        let answer = self.connection.call(action, limit, |channel| {
            let request = self.connection.request(ReadRequest {
                resource_name: name.clone(),
                read_offset: i64::try_from(offset).unwrap_or(i64::MAX),
                read_limit: i64::try_from(limit).unwrap_or(i64::MAX),
            });
            let mut client = ByteStreamClient::new(channel);
            async move {
                let mut stream = client.read(request).await?.into_inner();
                let mut bytes = Vec::new();
                while let Some(part) = stream.message().await? {
                    bytes.extend(part.data);
                }
                match bytes.len() as u64 == limit {
                    true => Ok(bytes),
                    false => Err(Status::not_found("the blob is shorter")),
                }
            }
        });
        self.found(action, answer.await?)
    }

    fn found(
        &self,
        action: &'static str,
        answer: Result<Vec<u8>, Status>,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        match answer {
            Ok(bytes) => Ok(Some(bytes)),
            Err(status) if status.code() == Code::NotFound || is_passing(&status) => Ok(None),
            Err(status) => Err(RemoteError::refused(action, &status)),
        }
    }
}

impl Outputs {
    fn remember(&mut self, hash: &str, bytes: &Arc<[u8]>) {
        if self.bytes + bytes.len() > REMEMBERED {
            *self = Self::default();
        }
        if bytes.len() < REMEMBERED
            && self
                .by_hash
                .insert(hash.to_owned(), bytes.clone())
                .is_none()
        {
            self.bytes += bytes.len();
        }
    }
}

fn update(blob: &Blob) -> batch_update_blobs_request::Request {
    batch_update_blobs_request::Request {
        digest: Some(blob.digest.clone()),
        data: blob.bytes.clone(),
        ..Default::default()
    }
}
