//! A service: what it can do, its cache of results, and the execution of actions.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as reapi;
use bazel_remote_apis::google::longrunning::operations_client::OperationsClient;
use bazel_remote_apis::google::longrunning::{CancelOperationRequest, Operation, operation};
use prost::Message as _;
use reapi::action_cache_client::ActionCacheClient;
use reapi::capabilities_client::CapabilitiesClient;
use reapi::execution_client::ExecutionClient;
use reapi::{
    ActionResult, Digest, ExecuteRequest, ExecuteResponse, GetActionResultRequest,
    GetCapabilitiesRequest, ServerCapabilities, WaitExecutionRequest, digest_function,
};
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};

use crate::cas::ContentStore;
use crate::connection::{Connection, lock};
use crate::wrapper::STATUS_FILE;
use crate::{RemoteConfig, RemoteError};

/// How long the cancellation of an action may take.
const CANCEL_TIME: Duration = Duration::from_secs(2);

/// A service that runs actions.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) connection: Arc<Connection>,
    pub(crate) store: ContentStore,
}

/// How an execution ended.
#[derive(Debug)]
pub(crate) enum Execution {
    /// A worker finished with it, or its time limit ended it.
    Done(Box<ExecuteResponse>),
    /// Blobs of it are missing.
    Incomplete,
    /// The service could not run it; perhaps another try can.
    Failed(Status),
}

/// The name of the operation that runs an action, for its cancellation from another task.
#[derive(Debug, Default)]
pub(crate) struct OperationName(Mutex<Option<String>>);

impl OperationName {
    pub(crate) fn get(&self) -> Option<String> {
        lock(&self.0).clone()
    }

    fn set(&self, name: Option<String>) {
        *lock(&self.0) = name;
    }
}

impl Service {
    /// Connects to a service and checks that it can do what we need.
    pub(crate) async fn connect(config: RemoteConfig) -> Result<Self, RemoteError> {
        let patience = config.patience;
        // A mistake in the address is an error at once, not after minutes.
        let hasty = RemoteConfig {
            patience: patience.min(Duration::from_secs(10)),
            ..config.clone()
        };
        let capabilities = capabilities(&Connection::new(hasty)?).await?;
        let connection = Arc::new(Connection::new(config)?);
        check(&capabilities)?;
        let cache = capabilities.cache_capabilities.unwrap_or_default();
        let batch = u64::try_from(cache.max_batch_total_size_bytes).unwrap_or(0);
        Ok(Self {
            store: ContentStore::new(connection.clone(), batch),
            connection,
        })
    }

    /// Returns the result of an action, if one is known.
    pub(crate) async fn known(&self, action: &Digest) -> Result<Option<ActionResult>, RemoteError> {
        let answer = self.connection.call("look up a result", 0, |channel| {
            let request = self.connection.request(GetActionResultRequest {
                instance_name: self.connection.config().instance.clone(),
                action_digest: Some(action.clone()),
                inline_stdout: true,
                inline_stderr: true,
                inline_output_files: vec![STATUS_FILE.to_owned()],
                ..Default::default()
            });
            let mut client = ActionCacheClient::new(channel);
            async move { client.get_action_result(request).await }
        });
        // A cache that does not answer costs a run and nothing else.
        Ok(answer.await?.ok().map(tonic::Response::into_inner))
    }

    /// Runs an action whose blobs were uploaded. `skip` ignores results that are cached.
    pub(crate) async fn execute(
        &self,
        action: &Digest,
        skip: bool,
        name: &OperationName,
    ) -> Result<Execution, RemoteError> {
        let what = "run a test";
        let mut patience = self.connection.patience();
        name.set(None);
        loop {
            let number = self.connection.number();
            let attached = name.get();
            let is_attached = attached.is_some();
            let stream = match attached {
                Some(name) => self.watched(number, self.wait(name)).await,
                None => self.watched(number, self.start(action, skip)).await,
            };
            let status = match stream {
                Ok(stream) => match self.follow(stream, number, name).await {
                    Ok(operation) => return self.outcome(operation),
                    Err(status) => {
                        patience.renew();
                        status
                    }
                },
                // The service forgot the operation: it was restarted, or the result is cached.
                Err(status) if is_attached && !crate::connection::is_passing(&status) => {
                    name.set(None);
                    continue;
                }
                Err(status) => status,
            };
            match self.connection.after(what, status, &mut patience).await? {
                None => {}
                Some(status) if is_missing(status.code()) => return Ok(Execution::Incomplete),
                Some(status) if status.code() == Code::InvalidArgument => {
                    return Err(RemoteError::refused(what, &status));
                }
                Some(status) => return Ok(Execution::Failed(status)),
            }
        }
    }

    async fn start(&self, action: &Digest, skip: bool) -> Result<Streaming<Operation>, Status> {
        let request = self.connection.request(ExecuteRequest {
            instance_name: self.connection.config().instance.clone(),
            skip_cache_lookup: skip,
            action_digest: Some(action.clone()),
            inline_stdout: true,
            inline_stderr: true,
            inline_output_files: vec![STATUS_FILE.to_owned()],
            ..Default::default()
        });
        let mut client = ExecutionClient::new(self.connection.channel());
        Ok(client.execute(request).await?.into_inner())
    }

    async fn wait(&self, name: String) -> Result<Streaming<Operation>, Status> {
        let request = self.connection.request(WaitExecutionRequest { name });
        let mut client = ExecutionClient::new(self.connection.channel());
        Ok(client.wait_execution(request).await?.into_inner())
    }

    /// Reads the stream of an operation until it is done. An error is that of the stream.
    async fn follow(
        &self,
        mut stream: Streaming<Operation>,
        number: u64,
        name: &OperationName,
    ) -> Result<Operation, Status> {
        loop {
            match self.watched(number, stream.message()).await? {
                Some(operation) if operation.done => return Ok(operation),
                Some(operation) => name.set(Some(operation.name)),
                None => return Err(Status::unavailable("the stream ended")),
            }
        }
    }

    /// Waits for an answer on the channel with this number. An action may take hours, so there is
    /// no time limit; but when the service is silent, it is asked whether it is still there.
    async fn watched<T>(
        &self,
        number: u64,
        answer: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        let silence = self.connection.config().silence;
        let mut answer = pin!(answer);
        loop {
            if let Ok(answer) = timeout(silence, answer.as_mut()).await {
                return answer;
            }
            let mut client = CapabilitiesClient::new(self.connection.channel());
            let request = self.connection.request(GetCapabilitiesRequest {
                instance_name: self.connection.config().instance.clone(),
            });
            if !matches!(
                timeout(silence, client.get_capabilities(request)).await,
                Ok(Ok(_))
            ) {
                self.connection.give_up(number);
                return Err(Status::unavailable("the link is cut"));
            }
        }
    }

    fn outcome(&self, operation: Operation) -> Result<Execution, RemoteError> {
        let response = match operation.result {
            Some(operation::Result::Response(any)) => {
                match ExecuteResponse::decode(any.value.as_slice()) {
                    Ok(response) => response,
                    Err(error) => {
                        return Ok(Execution::Failed(Status::internal(error.to_string())));
                    }
                }
            }
            Some(operation::Result::Error(status)) => ExecuteResponse {
                status: Some(status),
                ..Default::default()
            },
            None => ExecuteResponse {
                status: Some(bazel_remote_apis::google::rpc::Status {
                    code: Code::Internal.into(),
                    message: "the operation has no result".into(),
                    ..Default::default()
                }),
                ..Default::default()
            },
        };
        let status = response.status.clone().unwrap_or_default();
        let code = Code::from_i32(status.code);
        match code {
            Code::Ok | Code::DeadlineExceeded => Ok(Execution::Done(Box::new(response))),
            code if is_missing(code) => Ok(Execution::Incomplete),
            Code::InvalidArgument
            | Code::PermissionDenied
            | Code::Unimplemented
            | Code::Unauthenticated => Err(RemoteError::refused(
                "run a test",
                &Status::new(code, status.message),
            )),
            code => Ok(Execution::Failed(Status::new(code, status.message))),
        }
    }

    /// Asks the service to stop an operation. It may not be able to; then the action ends at its
    /// time limit.
    pub(crate) async fn cancel(&self, name: String) {
        let request = self.connection.request(CancelOperationRequest { name });
        let mut client = OperationsClient::new(self.connection.channel());
        timeout(CANCEL_TIME, client.cancel_operation(request))
            .await
            .ok();
    }
}

/// Returns whether a status says that blobs are missing: the protocol asks for the first, and some
/// services send the second.
fn is_missing(code: Code) -> bool {
    matches!(code, Code::FailedPrecondition | Code::NotFound)
}

async fn capabilities(connection: &Connection) -> Result<ServerCapabilities, RemoteError> {
    let action = "ask what it can do";
    let answer = connection.call(action, 0, |channel| {
        let request = connection.request(GetCapabilitiesRequest {
            instance_name: connection.config().instance.clone(),
        });
        let mut client = CapabilitiesClient::new(channel);
        async move { client.get_capabilities(request).await }
    });
    let answer = (answer.await?).map_err(|status| RemoteError::refused(action, &status))?;
    Ok(answer.into_inner())
}

fn check(capabilities: &ServerCapabilities) -> Result<(), RemoteError> {
    let unsuitable = |problem: &str| {
        Err(RemoteError::Unsuitable {
            problem: problem.to_owned(),
        })
    };
    let execution = capabilities
        .execution_capabilities
        .clone()
        .unwrap_or_default();
    if !execution.exec_enabled {
        return unsuitable(
            "it stores results, but executes nothing; give the address of an execution service",
        );
    }
    let cache = capabilities.cache_capabilities.clone().unwrap_or_default();
    let functions = [&cache.digest_functions, &execution.digest_functions];
    let wanted = i32::from(digest_function::Value::Sha256);
    let has_sha256 = functions
        .iter()
        .any(|functions| functions.contains(&wanted))
        || execution.digest_function == wanted;
    if !has_sha256 {
        return unsuitable("it does not accept SHA-256 digests; configure it to");
    }
    match capabilities.low_api_version.as_ref().map(|low| low.major) {
        Some(major) if major > 2 => {
            unsuitable("it no longer speaks version 2 of the Remote Execution API")
        }
        _ => Ok(()),
    }
}
