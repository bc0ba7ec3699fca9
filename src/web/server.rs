//! The HTTP server: the page's files, the record of the game, and the WebSocket.
//!
//! A page of another site can make a browser send requests here, and by DNS rebinding even under another name. So the
//! `Host` header must be a name of the loopback interface or the address that is listened on, an `Origin` header must
//! be this server's own, and where the server listens on another interface, every address begins with a secret token.
//! The number of connections, the time for a request and the size of messages are bounded.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::web::action::MAX_FRAME;
use crate::web::hub::Hub;
use crate::web::inbox::Inbox;
use crate::web::pages::FILES;
use crate::web::socket;

/// Connections at the same time. A browser's tab needs one, and some more for a moment while it loads.
const MAX_CONNECTIONS: usize = 256;

/// The time in which a connection must have sent its request.
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// The content security policy: nothing is loaded from elsewhere, no script stands in the page, and no other page may
/// frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The state that request handlers share.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) hub: Hub,
    pub(super) inbox: Inbox,
    /// The secret that begins every address; `None` on the loopback interface.
    pub(super) token: Option<String>,
    pub(super) address: SocketAddr,
}

impl Site {
    /// The path below which everything is, with a slash at its end.
    pub(super) fn base(&self) -> String {
        self.token.as_ref().map_or_else(|| "/".to_owned(), |token| format!("/{token}/"))
    }

    /// Whether a request comes from this server's own page, or from no page at all.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let Some(host) = text(HOST) else { return false };
        // behind a token any name may lead here; a page that does not know the token reaches nothing
        let is_named = self.token.is_some() || is_name_of(self.address, host);
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|from| from.eq_ignore_ascii_case(host));
        is_named && text(ORIGIN).is_none_or(is_own)
    }
}

/// Whether a host is a name of the loopback interface, or the address that is listened on, with its port. Browsers leave
/// out the port 80.
fn is_name_of(address: SocketAddr, host: &str) -> bool {
    let port = address.port();
    let names = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
    let is_host = |name: &str| {
        let short = name.strip_suffix(":80").filter(|_| port == 80);
        [Some(name), short].into_iter().flatten().any(|name| name.eq_ignore_ascii_case(host))
    };
    names.iter().any(|name| is_host(name)) || is_host(&address.to_string())
}

/// Serves until the process ends.
pub(super) async fn serve(listener: TcpListener, site: Site) {
    let service = TowerToHyperService::new(router(site));
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(reason) => {
                // the process has no file handle left, or the other side has gone
                tracing::warn!("a connection failed: {reason}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // one too many is closed at once
        let Ok(permit) = free.clone().try_acquire_owned() else { continue };
        let service = service.clone();
        tokio::spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIME);
            // a fault of a connection ends that connection only
            let _ = server.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
            drop(permit);
        });
    }
}

fn router(site: Site) -> Router {
    let base = site.base();
    let mut router = Router::new();
    for &(name, kind, text) in FILES {
        let file = move || async move { ([(CONTENT_TYPE, HeaderValue::from_static(kind))], text) };
        router = router.route(&format!("{base}{name}"), get(file));
    }
    router
        .route(&format!("{base}game.sgf"), get(record))
        .route(&format!("{base}ws"), any(upgrade))
        .layer(middleware::from_fn_with_state(site.clone(), guard))
        .with_state(site)
}

/// Refuses requests of other sites, and adds the headers that all answers have.
async fn guard(State(site): State<Site>, request: Request, next: Next) -> Response {
    let mut response = match site.admits(request.headers()) {
        true => next.run(request).await,
        false => (StatusCode::FORBIDDEN, "This is a page for the browser on the same machine.\n").into_response(),
    };
    // one request a connection, so that a place is free again soon; a WebSocket keeps its connection
    let is_upgrade = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    if !is_upgrade {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The record of the current game.
async fn record(State(site): State<Site>) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/x-go-sgf; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"game.sgf\""),
    ];
    (headers, Body::from(site.hub.record())).into_response()
}

async fn upgrade(State(site): State<Site>, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .max_message_size(MAX_FRAME)
        .max_frame_size(MAX_FRAME)
        .on_upgrade(move |socket| socket::serve(socket, site.hub, site.inbox))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn requests_of_other_sites_are_refused() {
        let site = |token: Option<&str>| Site {
            hub: Hub::default(),
            inbox: Inbox::default(),
            token: token.map(str::to_owned),
            address: "127.0.0.1:8080".parse().unwrap(),
        };
        let admits = |token: Option<&str>, host: &str, origin: &str| {
            let mut headers = HeaderMap::new();
            for (name, value) in [(HOST, host), (ORIGIN, origin)].into_iter().filter(|(_, value)| !value.is_empty()) {
                headers.insert(name, value.parse().unwrap());
            }
            site(token).admits(&headers)
        };
        for (host, origin, expected) in [
            ("127.0.0.1:8080", "", true),
            ("localhost:8080", "", true),
            ("LocalHost:8080", "http://localhost:8080", true),
            ("[::1]:8080", "", true),
            ("", "", false),
            ("127.0.0.1", "", false),
            ("127.0.0.1:8081", "", false),
            ("evil.example:8080", "", false),
            ("127.0.0.1:8080", "http://evil.example", false),
            ("127.0.0.1:8080", "http://localhost:8080", false),
            ("127.0.0.1:8080", "https://127.0.0.1:8080", false),
            ("127.0.0.1:8080", "null", false),
            ("127.0.0.1:8080", "http://127.0.0.1:80801", false),
        ] {
            assert_eq!(admits(None, host, origin), expected, "{host} {origin}");
        }
        assert!(admits(Some("secret"), "my-machine:8080", "http://my-machine:8080"));
        assert!(!admits(Some("secret"), "my-machine:8080", "http://evil.example"));
    }

    #[test]
    fn hosts_are_names_of_the_loopback_interface_and_the_own_address() {
        for (address, host, expected) in [
            (([127, 0, 0, 1], 8000), "127.0.0.1:8000", true),
            (([127, 0, 0, 1], 8000), "LocalHost:8000", true),
            (([127, 0, 0, 1], 8000), "[::1]:8000", true),
            (([127, 0, 0, 1], 8000), "127.0.0.1", false),
            (([127, 0, 0, 1], 8000), "127.0.0.2:8000", false),
            (([127, 0, 0, 2], 8000), "127.0.0.2:8000", true),
            (([127, 0, 0, 1], 80), "127.0.0.1", true),
            (([127, 0, 0, 1], 80), "localhost:80", true),
            (([127, 0, 0, 2], 80), "127.0.0.2", true),
            (([127, 0, 0, 1], 80), "evil.example", false),
            (([127, 0, 0, 1], 8080), "localhost:80", false),
            (([127, 0, 0, 1], 8080), "localhost:80:80", false),
        ] {
            assert_eq!(is_name_of(SocketAddr::from(address), host), expected, "{address:?} {host}");
        }
    }
}
