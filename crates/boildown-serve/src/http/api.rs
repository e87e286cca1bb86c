//! The requests of clients.

use std::fs;
use std::io;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;

use super::farm::Farm;
use super::follow::follow;
use super::request::{CheckedRequest, RefusedRequest};

/// The description of the service for clients.
const OPENAPI: &str = include_str!("openapi.json");

/// The time in which a request is read and answered. Events are followed for longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The number of requests that are answered at the same time, and of clients that follow events.
const MOST_REQUESTS: usize = 256;
const MOST_FOLLOWERS: usize = 256;

/// The number of pages that are made at the same time: each takes a process.
const MOST_PAGES: usize = 2;

/// What a body holds beside the input, in bytes.
const REST_OF_BODY: usize = 1 << 20;

/// The number of events that wait for a slow client.
const EVENTS_AHEAD: usize = 16;

/// What answers need.
#[derive(Debug, Clone)]
struct Service {
    farm: Arc<Farm>,
    token: Arc<str>,
    requests: Arc<Semaphore>,
    followers: Arc<Semaphore>,
    pages: Arc<Semaphore>,
}

impl IntoResponse for RefusedRequest {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = json(status, &json!({ "error": self.message }));
        let headers = response.headers_mut();
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            }
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response
    }
}

type HttpAnswer = Result<Response, RefusedRequest>;

/// The number of a job in a path.
type JobPath = Result<Path<i64>, PathRejection>;

/// Returns the number of a job.
fn number(job: &JobPath) -> Result<i64, RefusedRequest> {
    match job {
        Ok(Path(id)) => Ok(*id),
        Err(_) => Err(RefusedRequest::new(
            404,
            "the number of a job is a whole number",
        )),
    }
}

/// Returns the requests of a service with this token.
pub(super) fn router(farm: Arc<Farm>, token: String) -> Router {
    let input = usize::try_from(farm.config().quotas.input).unwrap_or(usize::MAX);
    // A text in JSON has up to six bytes for one.
    let largest = input.saturating_mul(6).saturating_add(REST_OF_BODY);
    let service = Service {
        farm,
        token: token.into(),
        requests: Arc::new(Semaphore::new(MOST_REQUESTS)),
        followers: Arc::new(Semaphore::new(MOST_FOLLOWERS)),
        pages: Arc::new(Semaphore::new(MOST_PAGES)),
    };
    let jobs = Router::new()
        .route("/jobs", get(list).post(submit))
        .route("/jobs/{id}", get(state).delete(remove))
        .route("/jobs/{id}/stop", post(stop))
        .route("/jobs/{id}/best", get(best))
        .route("/jobs/{id}/events", get(events))
        .route("/jobs/{id}/page", get(page))
        .route_layer(middleware::from_fn_with_state(service.clone(), admit));
    Router::new()
        .route(
            "/openapi.json",
            get(async || typed("application/json", OPENAPI)),
        )
        .merge(jobs)
        .fallback(async || RefusedRequest::new(404, "there is no such path: see /openapi.json"))
        .method_not_allowed_fallback(async || {
            RefusedRequest::new(405, "the path has other methods")
        })
        .layer(DefaultBodyLimit::max(largest))
        .with_state(service)
}

/// Answers a request of a client that knows the token, within its time.
async fn admit(State(service): State<Service>, request: Request, next: Next) -> HttpAnswer {
    if !knows_token(&service.token, &request) {
        let message = "the token is missing or wrong: send `Authorization: Bearer TOKEN`";
        return Err(RefusedRequest::new(401, message));
    }
    let full = |_| RefusedRequest::new(503, "too many requests at once: ask again later");
    let _permit = service.requests.try_acquire().map_err(full)?;
    let answered = tokio::time::timeout(PATIENCE, next.run(request)).await;
    answered.map_err(|_| RefusedRequest::new(408, "the request was not read in time"))
}

/// Returns whether a request has the token: as a header, or in the address, for browsers.
fn knows_token(token: &str, request: &Request) -> bool {
    let authorization = request.headers().get(header::AUTHORIZATION);
    let bearer = authorization.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let query = request.uri().query().unwrap_or("").split('&');
    let in_query = { query }.find_map(|pair| pair.strip_prefix("token="));
    let is_it = |given: &str| {
        // In the same time, wherever they differ.
        let pairs = given.bytes().zip(token.bytes());
        let difference = pairs.fold(0, |difference, (a, b)| difference | (a ^ b));
        given.len() == token.len() && difference == 0
    };
    bearer.or(in_query).is_some_and(is_it)
}

async fn list(State(service): State<Service>) -> HttpAnswer {
    let jobs = service.farm.list()?;
    Ok(json(StatusCode::OK, &json!({ "jobs": jobs })))
}

async fn submit(State(service): State<Service>, body: Result<Bytes, BytesRejection>) -> HttpAnswer {
    let body =
        body.map_err(|error| RefusedRequest::new(error.status().as_u16(), error.body_text()))?;
    let farm = Arc::clone(&service.farm);
    // It is written to disk, and a process is started.
    let submitted = blocking(move || {
        let request = CheckedRequest::read(&body, &farm.config().quotas)?;
        farm.submit(&request)
    });
    let id = submitted.await??;
    let mut response = json(StatusCode::CREATED, &service.farm.state(id)?);
    if let Ok(location) = HeaderValue::from_str(&format!("/jobs/{id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

async fn state(State(service): State<Service>, job: JobPath) -> HttpAnswer {
    Ok(json(StatusCode::OK, &service.farm.state(number(&job)?)?))
}

async fn stop(State(service): State<Service>, job: JobPath) -> HttpAnswer {
    let id = number(&job)?;
    service.farm.stop(id)?;
    Ok(json(StatusCode::ACCEPTED, &service.farm.state(id)?))
}

async fn remove(State(service): State<Service>, job: JobPath) -> HttpAnswer {
    let id = number(&job)?;
    blocking(move || service.farm.remove(id)).await??;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn best(State(service): State<Service>, job: JobPath) -> HttpAnswer {
    let id = number(&job)?;
    service.farm.job(id)?;
    match fs::read(service.farm.best_file(id)) {
        Ok(bytes) => Ok(typed("application/octet-stream", bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(RefusedRequest::new(
            404,
            format!("job {id} has no result yet"),
        )),
        Err(error) => Err(RefusedRequest::new(
            500,
            format!("failed to read the result: {error}"),
        )),
    }
}

async fn events(State(service): State<Service>, job: JobPath, headers: HeaderMap) -> HttpAnswer {
    let id = number(&job)?;
    service.farm.job(id)?;
    let full = |_| RefusedRequest::new(503, "too many clients follow events: ask for the state");
    let permit = Arc::clone(&service.followers)
        .try_acquire_owned()
        .map_err(full)?;
    let last = headers.get("last-event-id");
    let after = last
        .and_then(|last| last.to_str().ok()?.parse().ok())
        .unwrap_or(0);
    let (sender, receiver) = mpsc::channel(EVENTS_AHEAD);
    tokio::spawn(async move {
        follow(service.farm, id, after, sender).await;
        drop(permit);
    });
    let events = Sse::new(ReceiverStream::new(receiver));
    Ok(events.keep_alive(KeepAlive::default()).into_response())
}

async fn page(State(service): State<Service>, job: JobPath) -> HttpAnswer {
    let id = number(&job)?;
    service.farm.job(id)?;
    let has_ended = service.farm.has_ended(id);
    let full = |_| RefusedRequest::new(503, "the service ends");
    let _permit = service.pages.acquire().await.map_err(full)?;
    let farm = Arc::clone(&service.farm);
    let made = blocking(move || {
        let mut command = Command::new(&farm.config().program);
        command
            .arg("report")
            .arg(farm.best_file(id))
            .args(["--output", "-"]);
        command.stdin(Stdio::null()).output()
    });
    let failed =
        |why: String| RefusedRequest::new(404, format!("there is no page of job {id}: {why}"));
    let made: Output = made.await?.map_err(|error| failed(error.to_string()))?;
    if !made.status.success() {
        return Err(failed(
            String::from_utf8_lossy(&made.stderr).trim().to_owned(),
        ));
    }
    let mut response = typed("text/html; charset=utf-8", made.stdout);
    let headers = response.headers_mut();
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    if !has_ended {
        headers.insert(header::REFRESH, HeaderValue::from_static("5"));
    }
    Ok(response)
}

/// Does work that waits for the disk or a process on a thread of its own.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RefusedRequest> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| RefusedRequest::new(500, error.to_string()))
}

fn json(status: StatusCode, value: &Value) -> Response {
    let mut response = typed("application/json", value.to_string());
    *response.status_mut() = status;
    response
}

fn typed(kind: &'static str, body: impl Into<Body>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, body.into()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::request::OPTIONS;

    #[test]
    fn only_the_token_opens_the_door() {
        let request = |header: Option<&str>, path: &str| {
            let mut request = Request::builder().uri(path);
            if let Some(header) = header {
                request = request.header("authorization", header);
            }
            request.body(Body::empty()).unwrap()
        };
        for (header, path, is_known) in [
            (Some("Bearer secret"), "/jobs", true),
            (None, "/jobs?token=secret", true),
            (None, "/jobs?a=b&token=secret", true),
            (None, "/jobs", false),
            (Some("Bearer secre"), "/jobs", false),
            (Some("Bearer secrets"), "/jobs", false),
            (Some("Bearer "), "/jobs", false),
            (Some("secret"), "/jobs", false),
            (Some("Bearer wrong!"), "/jobs?token=secret", false),
        ] {
            let request = request(header, path);
            assert_eq!(
                knows_token("secret", &request),
                is_known,
                "{header:?} {path}"
            );
        }
    }

    #[test]
    fn each_option_is_described() {
        let description: Value = serde_json::from_str(OPENAPI).unwrap();
        let request = &description["components"]["schemas"]["JobRequest"]["properties"];
        assert_eq!(request["options"]["propertyNames"]["enum"], json!(OPTIONS));
    }

    #[test]
    fn each_path_is_described() {
        let description: Value = serde_json::from_str(OPENAPI).unwrap();
        let paths = description["paths"].as_object().unwrap();
        let described: Vec<String> = paths
            .iter()
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().unwrap().keys();
                let methods = methods.filter(|method| *method != "parameters");
                methods.map(move |method| format!("{method} {path}"))
            })
            .collect();
        let mut expected = vec![
            "get /jobs",
            "post /jobs",
            "get /jobs/{id}",
            "delete /jobs/{id}",
            "post /jobs/{id}/stop",
            "get /jobs/{id}/best",
            "get /jobs/{id}/events",
            "get /jobs/{id}/page",
            "get /openapi.json",
        ];
        expected.sort_unstable();
        let mut described: Vec<&str> = described.iter().map(String::as_str).collect();
        described.sort_unstable();
        assert_eq!(described, expected);
    }
}
