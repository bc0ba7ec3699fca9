//! One page's WebSocket: actions in, events out.

use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use tokio::time::{Instant, interval_at};

use crate::text::quote::shortened;
use crate::web::action::Action;
use crate::web::event::{Event, Refusal, RefusalCode};
use crate::web::hub::{Hub, PageId};
use crate::web::inbox::Inbox;

/// Ping interval. A page that has sent nothing since the last ping is disconnected.
const PING_TIME: Duration = Duration::from_secs(30);

/// Serves a page until it leaves, breaks the protocol or stays silent.
pub(super) async fn serve(mut socket: WebSocket, hub: Hub, inbox: Inbox) {
    let Some((page, mut events)) = hub.join() else {
        let refusal = Event::Error(Refusal::new(RefusalCode::Limit, "too many pages are open"));
        let text = serde_json::to_string(&refusal).unwrap_or_default();
        // the page may have gone already
        let _ = socket.send(Message::Text(text.into())).await;
        return;
    };
    let mut pings = interval_at(Instant::now() + PING_TIME, PING_TIME);
    let mut is_alive = true;
    loop {
        let sent = tokio::select! {
            event = events.recv() => match event {
                Some(event) => socket.send(Message::Text((&*event).into())).await,
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
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => break,
            },
            _ = pings.tick() => {
                if !std::mem::take(&mut is_alive) {
                    break;
                }
                socket.send(Message::Ping(Vec::new().into())).await
            }
        };
        if sent.is_err() {
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
        Err(reason) => refuse(RefusalCode::Bad, format!("{}: {reason}", shortened(text))),
    }
}
