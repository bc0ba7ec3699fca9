//! Requests of other sites' pages and of broken programs: all are refused, and the game goes on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::Message;
use tungstenite::client::IntoClientRequest;

use crate::engine::{Folder, MAX_WAIT};
use crate::resources::Usage;
use crate::web::server::{Page, Server};

/// A page with a stone, and whether the game still goes on.
fn begun(server: &Server) -> Page {
    let mut page = server.page();
    page.begin(5, "both", 1);
    page.play(&[12]);
    page
}

/// Plays a stone; again while too many actions of other pages wait.
fn goes_on(page: &mut Page) {
    let free = page.board().find('.').unwrap();
    let (number, begin) = (page.number() + 1, Instant::now());
    while page.number() != number {
        assert!(begin.elapsed() < MAX_WAIT, "{:#}", page.latest);
        page.latest["error"] = json!(null);
        page.act(json!({"type": "play", "point": free}), |page| {
            page.number() == number || page.latest["error"]["code"] == "busy"
        });
    }
}

#[test]
fn other_sites_and_other_names_are_refused() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = begun(&server);
    assert_eq!(server.status("/", ""), "200");
    for headers in
        ["Host: evil.example\r\n", "Host: 127.0.0.1:1\r\n", "Origin: http://evil.example\r\n", "Origin: null\r\n"]
    {
        for path in ["/", "/app.js", "/game.sgf"] {
            assert_eq!(server.status(path, headers), "403", "{path} {headers}");
        }
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        assert_eq!(server.status("/ws", &format!("{upgrade}{headers}")), "403", "{headers}");
    }
    let without_host = server.request("GET / HTTP/1.1\r\n\r\n");
    assert!(without_host.starts_with("HTTP/1.1 403") || without_host.starts_with("HTTP/1.1 400"), "{without_host}");
    let answer = server.request(&format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.host())).to_lowercase();
    for header in ["content-security-policy: default-src 'none'", "x-frame-options: deny", "nosniff", "no-referrer"] {
        assert!(answer.contains(header), "{answer}");
    }
    goes_on(&mut page);
}

#[test]
fn another_interface_needs_the_secret() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, &["--host", "0.0.0.0"]);
    let (host, path) = server.address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let (port, path) = (host.rsplit(':').next().unwrap(), path.to_owned());
    assert_eq!(path.len(), 33, "{path}");
    server.address = format!("http://127.0.0.1:{port}/{path}");
    for open in ["/", "/app.js", "/ws", "/game.sgf", "/0123456789abcdef0123456789abcdef/"] {
        assert_eq!(server.status(open, ""), "404", "{open}");
    }
    assert_eq!(server.status(&format!("/{path}"), ""), "200");
    assert_eq!(server.status(&format!("/{path}"), "Origin: http://evil.example\r\n"), "403");
    goes_on(&mut begun(&server));
}

/// Every printed address works, that of another loopback address, too.
#[test]
fn a_printed_address_is_admitted() {
    let folder = Folder::new();
    for host in ["127.0.0.1", "127.0.0.2"] {
        let server = Server::start(&folder, &["--host", host]);
        assert_eq!((server.host().split(':').next(), server.status("/", "")), (Some(host), "200".to_owned()));
    }
}

#[test]
fn no_path_reaches_the_file_system() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    for path in [
        "/../engine.toml",
        "/..%2fengine.toml",
        "/%2e%2e/engine.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/app.js/../../engine.toml",
        "/game.sgf%00",
        "/state/kifuwarabe-uec14/games/live",
    ] {
        assert!(["404", "400"].contains(&server.status(path, "").as_str()), "{path}");
    }
    let mut page = begun(&server);
    for id in ["../../engine", "..", "", "current", "lock", "/etc/passwd", "aaaaaaaa/../b"] {
        assert_eq!(page.refused(json!({"type": "open", "game": id})).0, "notFound", "{id}");
        assert_eq!(page.refused(json!({"type": "deleteGame", "game": id})).0, "notFound", "{id}");
    }
    goes_on(&mut page);
}

#[test]
fn large_bodies_and_slow_requests_are_dropped() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = begun(&server);
    let mut stream = server.connect();
    let head = format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 104857600\r\n\r\n", server.host());
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [b'x'; 65536];
    let mut sent = 0;
    while sent < 104_857_600 && stream.write_all(&chunk).is_ok() {
        sent += chunk.len();
    }
    assert!(sent < 100_000_000, "the server has read {sent} bytes");
    // an endless header
    let mut stream = server.connect();
    let mut sent = 0;
    stream.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    while sent < 104_857_600 && stream.write_all(&chunk).is_ok() {
        sent += chunk.len();
    }
    assert!(sent < 10_000_000, "the server has read {sent} bytes of a header");
    goes_on(&mut page);
}

#[test]
fn malformed_frames_close_their_page_only() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = begun(&server);
    for bytes in [
        // not masked, as clients must
        &b"\x81\x02hi"[..],
        // a reserved kind of frame
        b"\x8f\x80\0\0\0\0",
        // no UTF-8
        b"\x81\x82\0\0\0\0\xff\xfe",
        // a frame of 2^63 bytes
        b"\x81\xff\x80\0\0\0\0\0\0\0\0\0\0\0",
        // a frame beyond the limit
        b"\x81\xff\0\0\0\0\x10\0\0\0\0\0\0\0",
        // a fragment of nothing
        b"\x80\x80\0\0\0\0",
    ] {
        let mut other = server.page();
        let tungstenite::stream::MaybeTlsStream::Plain(stream) = other.socket.get_mut() else { panic!("no stream") };
        stream.write_all(bytes).unwrap();
        let mut rest = Vec::new();
        // what was on the way, then the end
        let _ = stream.read_to_end(&mut rest);
    }
    let texts = ["", "{}", "[]", "null", "\"play\"", "{\"type\":1}", "{\"type\":\"play\",\"point\":1e99}", "\u{0}"];
    for message in texts.map(Message::text).into_iter().chain([Message::binary(vec![0; 100])]) {
        page.latest["error"] = serde_json::Value::Null;
        page.socket.send(message.clone()).unwrap();
        page.until(|page| page.latest["error"].is_object());
        assert_eq!(page.latest["error"]["code"], "invalid", "{message:?}");
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    page.socket.send(Message::text(deep)).unwrap();
    goes_on(&mut page);
}

#[test]
fn a_page_that_says_goodbye_gets_an_answer() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = server.page();
    page.socket.close(None).unwrap();
    let end = loop {
        if let Err(end) = page.socket.read() {
            break end;
        }
    };
    assert!(matches!(end, tungstenite::Error::ConnectionClosed), "{end}");
}

#[test]
fn ten_thousand_connections_leave_the_game_alone() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = begun(&server);
    let before = Usage::of(server.child.id());
    let mut held = Vec::new();
    for number in 0..10_000 {
        if number % 500 == 0 {
            // the game goes on meanwhile, and the page answers the server's pings
            let text = number.to_string();
            page.act(json!({"type": "comment", "node": page.state()["node"], "text": &text}), |page| {
                page.state()["comment"] == text
            });
        }
        // the queue of the system may be full for a moment
        let Ok(stream) = TcpStream::connect(server.host()) else {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        // some stay open and say nothing, as many as a process may hold
        if number % 20 == 0 {
            held.push(stream);
        }
    }
    goes_on(&mut page);
    drop(held);
    // the places are free again
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.host());
    let is_answered = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        server.request(&request).starts_with("HTTP/1.1 200")
    });
    assert!(is_answered);
    goes_on(&mut page);
    if let (Some(before), Some(after)) = (before, Usage::of(server.child.id())) {
        println!("before the connections {before}, after them {after}");
        assert!(after.files <= before.files + 1 && after.threads <= before.threads, "{before}, then {after}");
        assert!(after.memory < before.memory + 16.0, "{before}, then {after}");
    }
}

#[test]
fn too_many_pages_and_actions_are_told_so() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = begun(&server);
    let mut pages: Vec<Page> = (0..63).map(|_| server.page()).collect();
    let request = format!("ws://{}/ws", server.host()).into_client_request().unwrap();
    let (mut one_more, _) = tungstenite::connect(request).unwrap();
    assert!(one_more.read().unwrap().to_text().unwrap().contains("\"limit\""));
    goes_on(&mut page);
    let flood = pages.last_mut().unwrap();
    for _ in 0..2000 {
        // the server may have closed the page
        if flood.socket.send(Message::text(r#"{"type":"score","on":true}"#)).is_err() {
            break;
        }
    }
    // a connection that is reset loses what the server has not read
    page.until(|page| page.state()["score"].is_object());
    drop(pages);
    goes_on(&mut page);
}

#[test]
fn hostile_records_are_refused_or_harmless() {
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut page = begun(&server);
    let deep = format!("{};B[aa]{}", "(".repeat(200_000), ")".repeat(200_000));
    let wide = format!("(;SZ[5]{})", "(;B[aa])".repeat(400_000));
    let long = format!("(;SZ[5]C[{}])", "x".repeat(5 << 20));
    for sgf in [&deep, &wide, &long, "", "(", "(;", "(;SZ[99])", "(;SZ[9]AB[aa:zz])"] {
        let before = page.latest["game"]["id"].clone();
        page.latest["error"] = serde_json::Value::Null;
        page.send(json!({"type": "load", "sgf": sgf}));
        page.until(|page| page.latest["error"].is_object() || page.latest["game"]["id"] != before);
    }
    let names = "(;SZ[5]PB[<script>alert(1)</script>]PW[\u{202e}drawkcab]GN[../../x])";
    page.act(json!({"type": "load", "sgf": names}), |page| {
        page.latest["game"]["black"].as_str().is_some_and(|name| name.contains("script"))
    });
    page.until(|page| page.number() == 0 && page.board().len() == 25);
    goes_on(&mut page);
}
