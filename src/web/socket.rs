//! One page's WebSocket: actions in, events out.

use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use tokio::time::{Instant, interval_at, timeout};

use crate::text::quote::shortened;
use crate::web::action::Action;
use crate::web::event::{Event, Refusal, RefusalCode};
use crate::web::hub::{Hub, PageId};
use crate::web::inbox::Inbox;

/// Ping interval. A page that has sent nothing since the last ping is disconnected.
const PING_TIME: Duration = Duration::from_secs(30);

/// The time in which a page must take a message. One that does not read is disconnected.
const SEND_TIME: Duration = Duration::from_secs(30);

/// Serves a page until it leaves, breaks the protocol, stays silent or stops reading.
pub(super) async fn serve(socket: WebSocket, hub: Hub, inbox: Inbox) {
    serve_within(SEND_TIME, socket, hub, inbox).await;
}

/// Serves a page that must take each message within a time.
async fn serve_within(send_time: Duration, mut socket: WebSocket, hub: Hub, inbox: Inbox) {
    let Some((page, mut events)) = hub.join() else {
        let refusal = Event::Error(Refusal::new(RefusalCode::Limit, "too many pages are open"));
        let text = serde_json::to_string(&refusal).unwrap_or_default();
        // the page may have gone already
        let _ = timeout(send_time, socket.send(Message::Text(text.into()))).await;
        return;
    };
    let mut pings = interval_at(Instant::now() + PING_TIME, PING_TIME);
    let mut is_alive = true;
    loop {
        let message = tokio::select! {
            event = events.recv() => match event {
                Some(event) => Message::Text((&*event).into()),
                None => break,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    is_alive = true;
                    receive(&text, page, &hub, &inbox);
                    continue;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {
                    is_alive = true;
                    continue;
                }
                Some(Ok(Message::Binary(_))) => {
                    is_alive = true;
                    let text = "a binary message, expected a JSON object in a text frame";
                    hub.send_to(page, &Event::Error(Refusal::new(RefusalCode::Invalid, text)));
                    continue;
                }
                Some(Ok(Message::Close(_))) => {
                    // the next read sends the answer
                    let _ = timeout(send_time, socket.recv()).await;
                    break;
                }
                Some(Err(_)) | None => break,
            },
            _ = pings.tick() => {
                if !std::mem::take(&mut is_alive) {
                    break;
                }
                Message::Ping(Vec::new().into())
            }
        };
        if !matches!(timeout(send_time, socket.send(message)).await, Ok(Ok(()))) {
            break;
        }
    }
    hub.leave(page);
    // perhaps no page watches any more
    inbox.wake();
}

/// Passes an action on; what concerns this page alone is done here.
fn receive(text: &str, page: PageId, hub: &Hub, inbox: &Inbox) {
    let refuse = |code, text: String| hub.send_to(page, &Event::Error(Refusal::new(code, text)));
    match Action::parse(text) {
        Ok(Action::Watch { on, policy }) => {
            hub.watch(page, on, policy);
            inbox.wake();
        }
        Ok(Action::Visible { on }) => {
            hub.set_visible(page, on);
            inbox.wake();
        }
        Ok(action) => {
            if inbox.push(page, action).is_err() {
                refuse(RefusalCode::Busy, "too many actions wait".to_owned());
            }
        }
        Err(reason) => refuse(RefusalCode::Invalid, format!("{}: {reason}", shortened(text))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use axum::Router;
    use axum::extract::ws::WebSocketUpgrade;
    use axum::routing::any;
    use hyper::server::conn::http1;
    use hyper_util::rt::TokioIo;
    use hyper_util::service::TowerToHyperService;

    use super::*;

    /// A request of a WebSocket, with the key of RFC 6455.
    const REQUEST: &str = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                           Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    /// Serves one page.
    async fn serve_one(listener: tokio::net::TcpListener, hub: Hub, has_ended: Arc<AtomicBool>) {
        let upgrade = move |upgrade: WebSocketUpgrade| async move {
            upgrade.on_upgrade(move |socket| async move {
                serve_within(Duration::from_millis(100), socket, hub, Inbox::default()).await;
                has_ended.store(true, Ordering::Relaxed);
            })
        };
        let (stream, _) = listener.accept().await.unwrap();
        let service = TowerToHyperService::new(Router::new().route("/", any(upgrade)));
        http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades().await.unwrap();
    }

    #[test]
    fn a_page_that_stops_reading_is_disconnected() {
        let (hub, has_ended) = (Hub::default(), Arc::new(AtomicBool::new(false)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let mut page = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (served, ended) = (hub.clone(), has_ended.clone());
        thread::spawn(move || {
            runtime.block_on(async {
                serve_one(listener, served, ended).await;
                // the socket is served by a task of its own
                std::future::pending::<()>().await;
            });
        });
        page.write_all(REQUEST.as_bytes()).unwrap();
        let mut head = [0; 12];
        page.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 101");
        let event = Event::Error(Refusal::new(RefusalCode::Invalid, "x".repeat(1 << 17)));
        let begin = Instant::now();
        while !has_ended.load(Ordering::Relaxed) {
            assert!(begin.elapsed() < Duration::from_secs(20), "the page is still connected");
            hub.send(&event);
            thread::yield_now();
        }
        assert!(hub.join().is_some());
    }
}
